package textveil.sample

import kotlinx.coroutines.CancellationException
import textveil.Options
import textveil.Release
import textveil.TextVeil
import textveil.TextVeilException
import textveil.code
import textveil.privatizeInBackground

/** What a private text field shows and sends, without any view: made for one `field` of one form, used on the main thread. */
class PrivateText(private val veil: TextVeil, private val field: String, private val options: Options = Options()) {
    /** What may be sent: the release of exactly this text, once there is one. Raw text is never sent. */
    var release: Release? = null
        private set

    /** Why there is no release: the stable code of the error. */
    var problem: String? = null
        private set

    private var edits = 0

    /** Call this on every edit. The release of another text is then not sent for this one. */
    fun edited() {
        edits++
        release = null
        problem = null
    }

    /**
     * Draws the release of a finished text, once. Every further text is a further release and spends anew, so call this when
     * the person has finished, not on each keystroke.
     */
    suspend fun finish(text: String) {
        edited()
        val edit = edits
        val outcome = runCatching { veil.privatizeInBackground(text, options, field) }
        outcome.exceptionOrNull()?.let { if (it is CancellationException) throw it }
        // An edit in the meantime has made it the release of another text.
        if (edit != edits) return
        release = outcome.getOrNull()
        problem = outcome.exceptionOrNull()?.let { (it as? TextVeilException)?.code ?: "internal" }
    }
}
