package textveil.sample

import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.text.KeyboardActions
import androidx.compose.foundation.text.KeyboardOptions
import androidx.compose.material3.Button
import androidx.compose.material3.MaterialTheme
import androidx.compose.material3.Text
import androidx.compose.material3.TextField
import androidx.compose.runtime.Composable
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.remember
import androidx.compose.runtime.rememberCoroutineScope
import androidx.compose.runtime.setValue
import androidx.compose.ui.text.input.ImeAction
import kotlinx.coroutines.launch
import textveil.Options
import textveil.Release
import textveil.TextVeil

/**
 * A text field that shows the person what will be sent, before it is sent.
 *
 *     PrivateTextField("How are you?", "mood", veil) { release -> send(release.text) } // release.guarantee says what holds
 *
 * What is typed is not saved with the screen: a saved state may lie on a disk. The keyboard does not correct it, so that it learns
 * less. Whether it learns at all (`IME_FLAG_NO_PERSONALIZED_LEARNING`), and what fills fields in, is for the app to say. `veil` outlives the screen: an object of its own for each screen would draw the same text again. Another `veil` means
 * another person: the field then shows nothing of the earlier one.
 */
@Composable
fun PrivateTextField(title: String, field: String, veil: TextVeil, options: Options = Options(), send: (Release) -> Unit) {
    val model = remember(veil, field, options) { PrivateText(veil, field, options) }
    val scope = rememberCoroutineScope()
    var text by remember(model) { mutableStateOf("") }
    var release by remember(model) { mutableStateOf<Release?>(null) }
    var problem by remember(model) { mutableStateOf<String?>(null) }
    fun show() {
        release = model.release
        problem = model.problem
    }
    fun finish() {
        scope.launch {
            model.finish(text)
            show()
        }
    }
    Column {
        TextField(
            value = text,
            onValueChange = {
                text = it
                model.edited()
                show()
            },
            label = { Text(title) },
            keyboardOptions = KeyboardOptions(autoCorrect = false, imeAction = ImeAction.Done),
            keyboardActions = KeyboardActions(onDone = { finish() }),
        )
        // The enter key of a keyboard with keys begins a new line.
        Button(onClick = ::finish) { Text("Show what will be sent") }
        release?.let {
            Text("What will be sent: ${it.text}")
            Text(it.guarantee.statement, style = MaterialTheme.typography.bodySmall)
            Button(onClick = { send(it) }) { Text("Send") }
        }
        problem?.let { Text("Nothing can be sent ($it).", color = MaterialTheme.colorScheme.error) }
    }
}
