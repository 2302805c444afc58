package textveil

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext

// Needs kotlinx-coroutines, which the package does not bring. A caller must add it.

/** [TextVeil.privatize] on a background thread. Nothing is drawn for a coroutine that has been cancelled before its turn. */
suspend fun TextVeil.privatizeInBackground(
    text: String, options: Options = Options(), field: String? = null, spans: List<Span>? = null,
): Release = withContext(Dispatchers.Default) { privatize(text, options, field, spans) }

/** [Statements.privatize] on a background thread. */
suspend fun Statements.privatizeInBackground(text: String, field: String? = null): StatementRelease =
    withContext(Dispatchers.Default) { privatize(text, field) }
