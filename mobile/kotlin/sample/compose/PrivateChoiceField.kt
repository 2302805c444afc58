package textveil.sample

import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.selection.selectable
import androidx.compose.foundation.selection.selectableGroup
import androidx.compose.material3.Button
import androidx.compose.material3.MaterialTheme
import androidx.compose.material3.RadioButton
import androidx.compose.material3.Text
import androidx.compose.runtime.Composable
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.remember
import androidx.compose.runtime.rememberCoroutineScope
import androidx.compose.runtime.setValue
import androidx.compose.ui.Alignment
import androidx.compose.ui.Modifier
import androidx.compose.ui.semantics.Role
import androidx.compose.ui.unit.dp
import kotlinx.coroutines.launch
import textveil.Statement
import textveil.StatementRelease
import textveil.Statements

/**
 * A text field that asks the person which statement of a public list says it best. It shows what will be sent, before it is sent.
 *
 *     PrivateChoiceField("How do you like the app?", "feedback", statements) { release, nonce ->
 *         post(release.text, release.guarantee.short(), nonce)
 *     }
 *
 * `statements` outlives the screen, as the object of [PrivateTextField] does, and belongs to one person. What is said there of
 * `record`, of keyboards and of pictures of the screen is true here, too: the statements on the screen say much of the text.
 */
@Composable
fun PrivateChoiceField(
    title: String, field: String, statements: Statements, record: suspend (StatementRelease) -> Unit = {},
    send: suspend (release: StatementRelease, nonce: String) -> Unit,
) {
    val model = remember(statements, field) { PrivateChoice(statements, field) }
    val scope = rememberCoroutineScope()
    var text by remember(model) { mutableStateOf("") }
    var offered by remember(model) { mutableStateOf(emptyList<Statement>()) }
    var chosen by remember(model) { mutableStateOf<Statement?>(null) }
    var release by remember(model) { mutableStateOf<StatementRelease?>(null) }
    var canBeSent by remember(model) { mutableStateOf(false) }
    var status by remember(model) { mutableStateOf("") }
    fun show() {
        offered = model.offered
        chosen = model.chosen
        release = model.outgoing.release
        canBeSent = model.outgoing.canBeSent
        val problem = model.problem ?: model.outgoing.problem
        status = when {
            problem != null -> sentenceOf(problem)
            model.outgoing.isSent -> "Sent."
            release != null -> "This will be sent: ${release?.text}"
            else -> ""
        }
    }
    fun work(work: suspend () -> Unit) {
        scope.launch {
            work()
            show()
        }
    }
    fun offer() = work { model.offer(text) }
    Column {
        Written(title, text, ::offer) {
            text = it
            model.edited()
            show()
        }
        Button(onClick = ::offer) { Text("Find statements") }
        Status(if (offered.isEmpty()) "" else "Which of these says it best?")
        Column(Modifier.selectableGroup()) {
            for (statement in offered) {
                val isChosen = statement == chosen
                val choose = {
                    model.choose(statement)
                    show()
                }
                Row(
                    Modifier.fillMaxWidth().selectable(isChosen, role = Role.RadioButton, onClick = choose).padding(8.dp),
                    verticalAlignment = Alignment.CenterVertically,
                ) {
                    RadioButton(isChosen, onClick = null)
                    Text(statement.text, Modifier.padding(start = 8.dp), style = MaterialTheme.typography.bodyMedium)
                }
            }
        }
        if (chosen != null) Button(onClick = { work { model.outgoing.finish(text) } }) { Text("Show what will be sent") }
        Status(status)
        release?.let {
            Sendable(it.guarantee, canBeSent) {
                canBeSent = false
                work { model.outgoing.send(record, send) }
            }
        }
    }
}
