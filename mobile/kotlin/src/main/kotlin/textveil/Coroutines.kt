package textveil

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext

// The calls that take long enough to stop a screen, each on a background thread. Nothing is done for a coroutine that has been
// cancelled before its turn. Needs kotlinx-coroutines, which the package does not bring: a caller must add it.

/** [TextVeil] with the English table, or with a table file. The first one of a program also loads the library. */
suspend fun TextVeil.Companion.load(table: ByteArray? = null): TextVeil =
    inBackground { if (table == null) TextVeil() else fromTable(table) }

/** [TextVeil.privatize] on a background thread. */
suspend fun TextVeil.privatizeInBackground(
    text: String, options: Options = Options(), field: String? = null, spans: List<Span>? = null,
): Release = inBackground { privatize(text, options, field, spans) }

/** [TextVeil.privatizeAll] on a background thread, and on [threads] more. */
suspend fun TextVeil.privatizeAllInBackground(
    texts: List<String?>, options: Options = Options(), threads: Int = 0,
): Releases = inBackground { privatizeAll(texts, options, threads) }

/** [TextVeil.levels] on a background thread. */
suspend fun TextVeil.levelsInBackground(): List<Level> = inBackground { levels() }

/** [TextVeil.alternatives] on a background thread. **For the device only.** */
suspend fun TextVeil.alternativesInBackground(token: String, options: Options = Options(), k: Int = 10): Alternatives =
    inBackground { alternatives(token, options, k) }

/** [TextVeil.deniability] on a background thread. **For the device only.** */
suspend fun TextVeil.deniabilityInBackground(text: String, options: Options = Options()): List<TokenDeniability> =
    inBackground { deniability(text, options) }

/** [TextVeil.representation] on a background thread. */
suspend fun TextVeil.representationInBackground(
    text: String, options: RepresentationOptions, field: String? = null,
): Representation = inBackground { representation(text, options, field) }

/** [TextVeil.representationOf] on a background thread. */
suspend fun TextVeil.representationOfInBackground(
    vectors: List<DoubleArray>, options: RepresentationOptions, field: String? = null,
): Representation = inBackground { representationOf(vectors, options, field) }

/** [Statements] of the file of a list, and the file of its encoder. */
suspend fun Statements.Companion.load(
    list: ByteArray, encoder: ByteArray? = null, epsilon: Double? = null, near: Int? = null, perSentence: Int = 1,
    anyLanguage: Boolean = false,
): Statements = inBackground { Statements(list, encoder, epsilon, near, perSentence, anyLanguage) }

/** [Statements.privatize] on a background thread. */
suspend fun Statements.privatizeInBackground(text: String, field: String? = null): StatementRelease =
    inBackground { privatize(text, field) }

/** [Statements.privatizeVectors] on a background thread. */
suspend fun Statements.privatizeVectorsInBackground(vectors: List<DoubleArray>, field: String? = null): StatementRelease =
    inBackground { privatizeVectors(vectors, field) }

/** [Statements.privatizeChosen] on a background thread. */
suspend fun Statements.privatizeChosenInBackground(text: String, chosen: List<UInt>, field: String? = null): StatementRelease =
    inBackground { privatizeChosen(text, chosen, field) }

/** [Statements.suggest] on a background thread. **For the device only.** */
suspend fun Statements.suggestInBackground(text: String, count: Int = 5): List<Statement> =
    inBackground { suggest(text, count) }

/** [Statements.privatizeAll] on a background thread, and on [threads] more. */
suspend fun Statements.privatizeAllInBackground(texts: List<String?>, threads: Int = 0): Releases =
    inBackground { privatizeAll(texts, threads) }

/** [Statements.build] on a background thread. */
suspend fun Statements.Companion.buildInBackground(
    statements: List<String>, encoder: ByteArray, otherwise: String? = null, leastCosine: Double? = null,
): ByteArray = inBackground { build(statements, encoder, otherwise, leastCosine) }

/** [TextVectors] of the file of a text encoder. */
suspend fun TextVectors.Companion.load(encoder: ByteArray, epsilon: Double = 8.0, dims: Int? = null): TextVectors =
    inBackground { TextVectors(encoder, epsilon, dims) }

/** [TextVectors.representation] on a background thread. */
suspend fun TextVectors.representationInBackground(text: String, field: String? = null): Representation =
    inBackground { representation(text, field) }

/** [Contributor] for a request. */
suspend fun Contributor.Companion.load(
    request: String, table: ByteArray? = null, trustedSum: Boolean = false,
): Contributor = inBackground { Contributor(request, table, trustedSum) }

/** [Contributor.contribute] on a background thread. */
suspend fun Contributor.contributeInBackground(texts: List<String>, epsilon: Double? = null): Contribution =
    inBackground { contribute(texts, epsilon) }

private suspend fun <T> inBackground(work: () -> T): T = withContext(Dispatchers.Default) { work() }
