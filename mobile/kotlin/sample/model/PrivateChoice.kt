package textveil.sample

import textveil.Statement
import textveil.StatementRelease
import textveil.Statements
import textveil.privatizeChosenInBackground
import textveil.suggestInBackground

/**
 * What a field shows and sends whose text is exchanged for the statement that the person chooses, without any view: made for
 * one `field` of one form, used on the main thread.
 */
class PrivateChoice(private val statements: Statements, private val field: String) {
    /** What may be sent: the release of exactly this text and this choice, once there is one. Nothing is drawn without a choice. */
    val outgoing: PrivateText<StatementRelease> =
        PrivateText { text -> statements.privatizeChosenInBackground(text, listOf(checkNotNull(chosen).number), field) }

    /** The statements to choose from, the nearest first. **For the device only.** */
    var offered: List<Statement> = emptyList()
        private set

    /** The statement that the person has chosen. */
    var chosen: Statement? = null
        private set

    /** Why nothing is offered: the stable code of the error. People read [sentenceOf]. */
    var problem: String? = null
        private set

    private var edits = 0

    /** Call this on every edit. What was offered, chosen and drawn for another text is then gone. */
    fun edited() {
        edits++
        offered = emptyList()
        chosen = null
        problem = null
        outgoing.edited()
    }

    /** Finds the statements for a finished text. Nothing is drawn, so this spends nothing. */
    suspend fun offer(text: String) {
        edited()
        val edit = edits
        val outcome = outcomeOf { if (text.isBlank()) emptyList() else statements.suggestInBackground(text) }
        // They are for an earlier text.
        if (edit != edits) return
        offered = outcome.getOrDefault(emptyList())
        problem = problemOf(outcome)
    }

    /** The person chooses. The release of another choice is then not sent for this one. */
    fun choose(statement: Statement) {
        if (statement == chosen) return
        chosen = statement
        outgoing.edited()
    }
}
