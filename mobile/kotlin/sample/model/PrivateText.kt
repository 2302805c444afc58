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

    /** Why there is no release, or why it was not sent: the stable code of the error, or `not-sent`. People read [sentenceOf]. */
    var problem: String? = null
        private set

    /** Whether the release was sent. It is sent once. */
    var isSent = false
        private set

    /** Whether there is a release that was not sent and is not being sent. */
    val canBeSent get() = release != null && !isSent && sending == null

    private var edits = 0

    /** The edit whose release is being sent. */
    private var sending: Int? = null

    /** Call this on every edit. The release of another text is then not sent for this one. */
    fun edited() {
        edits++
        release = null
        problem = null
        isSent = false
    }

    /**
     * Draws the release of a finished text, once. Every further text is a further release and spends anew, so call this when
     * the person has finished, not on each keystroke.
     */
    suspend fun finish(text: String) {
        if (isSent || sending == edits) return
        edited()
        val edit = edits
        val outcome = runCatching { veil.privatizeInBackground(text, options, field) }
        val failure = outcome.exceptionOrNull()
        if (failure is CancellationException) throw failure
        // An edit in the meantime has made it the release of another text.
        if (edit != edits) return
        release = outcome.getOrNull()
        problem = failure?.let { (it as? TextVeilException)?.code ?: "internal" }
    }

    /**
     * Hands the release to [send], once: not while it is being sent, and not after it was. If that fails, the person may try
     * again. A ledger belongs at the beginning of [send].
     */
    suspend fun send(send: suspend (Release) -> Unit) {
        val release = release.takeIf { canBeSent } ?: return
        val edit = edits
        sending = edit
        val failure = try {
            runCatching { send(release) }.exceptionOrNull()
        } finally {
            sending = null
        }
        if (failure is CancellationException) throw failure
        if (edit != edits) return
        isSent = failure == null
        problem = failure?.let { (it as? TextVeilException)?.code ?: "not-sent" }
    }
}

/** What a person reads of a problem, in English: an app has its own words and languages. */
fun sentenceOf(problem: String): String = when (problem) {
    "text-too-long" -> "This text is too long. Please make it shorter."
    "other-language" -> "This form takes English only. Please write in English."
    "budget-exhausted" -> "You have sent all that this form takes for now. Please come back later."
    "not-sent" -> "It was not sent. Please try again."
    else -> "This text cannot be sent. It has not left your device."
}
