package textveil.sample

import java.util.UUID
import kotlinx.coroutines.CancellationException
import textveil.Options
import textveil.Release
import textveil.TextVeil
import textveil.TextVeilException
import textveil.code
import textveil.privatizeInBackground

/** What a private text field shows and sends, without any view: made for one `field` of one form, used on the main thread. */
fun PrivateText(veil: TextVeil, field: String, options: Options = Options()): PrivateText<Release> =
    PrivateText { text -> veil.privatizeInBackground(text, options, field) }

/** The same for releases of any kind. [draw] makes the release of a text. */
class PrivateText<R : Any>(private val draw: suspend (String) -> R) {
    /** What may be sent: the release of exactly this text, once there is one. Raw text is never sent. */
    var release: R? = null
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

    /** The edit whose release was recorded. */
    private var recorded: Int? = null

    /** By this a collector counts a release once, however often it is sent. */
    private var nonce = ""

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
        val outcome = outcomeOf { draw(text) }
        // An edit in the meantime has made it the release of another text.
        if (edit != edits) return
        release = outcome.getOrNull()
        nonce = UUID.randomUUID().toString()
        problem = problemOf(outcome)
    }

    /**
     * Hands the release and its nonce to [send], once: not while it is being sent, and not after it was. If that fails, the
     * person may try again, with the same nonce. Before the first try, [record] gets the release: a ledger belongs there.
     */
    suspend fun send(record: suspend (R) -> Unit = {}, send: suspend (release: R, nonce: String) -> Unit) {
        val release = release.takeIf { canBeSent } ?: return
        val edit = edits
        // An edit in the meantime has another one.
        val nonce = nonce
        sending = edit
        val outcome = try {
            outcomeOf {
                if (recorded != edit) record(release)
                recorded = edit
                send(release, nonce)
            }
        } finally {
            sending = null
        }
        if (edit != edits) return
        isSent = outcome.isSuccess
        problem = problemOf(outcome, "not-sent")
    }
}

/** What the work gives, or how it failed. A coroutine that was cancelled ends. */
internal inline fun <T> outcomeOf(work: () -> T): Result<T> =
    runCatching(work).onFailure { if (it is CancellationException) throw it }

/** Why the work failed, if it did: the stable code of the error, or [otherwise]. */
internal fun problemOf(outcome: Result<*>, otherwise: String = "internal"): String? =
    outcome.exceptionOrNull()?.let { (it as? TextVeilException)?.code ?: otherwise }

/** What a person reads of a problem, in English: an app has its own words and languages. */
fun sentenceOf(problem: String): String = when (problem) {
    "text-too-long" -> "This text is too long. Please make it shorter."
    "other-language" -> "This form takes English only. Please write in English."
    "budget-exhausted" -> "You have sent all that this form takes for now. Please come back later."
    "not-sent" -> "It was not sent. Please try again."
    else -> "This text cannot be sent. It has not left your device."
}
