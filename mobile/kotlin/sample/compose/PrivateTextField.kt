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
import androidx.compose.ui.Modifier
import androidx.compose.ui.semantics.LiveRegionMode
import androidx.compose.ui.semantics.liveRegion
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.text.input.ImeAction
import java.util.Locale
import kotlinx.coroutines.launch
import textveil.Guarantee
import textveil.Options
import textveil.Release
import textveil.TextVeil

/**
 * A text field that shows the person what will be sent, before it is sent.
 *
 *     PrivateTextField("How are you?", "mood", veil, record = { store(ledger.spend("mood", it.guarantee)) }) { release, nonce ->
 *         post(release.text, release.guarantee.short(), nonce)
 *     }
 *
 * `record` is called once for each release, before it is first sent. After a failure the person may send it again: the same
 * `nonce` lets a collector count it once.
 *
 * What is typed is not saved with the screen: a saved state may lie on a disk. The keyboard does not correct it, so that it learns
 * less. `veil` outlives the screen: an object of its own for each screen would draw the same text again. Another `veil` means
 * another person: the field then shows nothing of the earlier one.
 *
 * On Android the rest is for the app to say. `window.addFlags(LayoutParams.FLAG_SECURE)` keeps the screen out of pictures, also that of the
 * list of recent apps. `EditorInfo.IME_FLAG_NO_PERSONALIZED_LEARNING` asks a keyboard not to learn. `View.importantForAutofill` keeps the
 * field from services that fill in.
 */
@Composable
fun PrivateTextField(
    title: String, field: String, veil: TextVeil, options: Options = Options(), record: suspend (Release) -> Unit = {},
    send: suspend (release: Release, nonce: String) -> Unit,
) {
    val model = remember(veil, field, options) { PrivateText(veil, field, options) }
    val scope = rememberCoroutineScope()
    var text by remember(model) { mutableStateOf("") }
    var release by remember(model) { mutableStateOf<Release?>(null) }
    var canBeSent by remember(model) { mutableStateOf(false) }
    var status by remember(model) { mutableStateOf("") }
    fun show() {
        release = model.release
        canBeSent = model.canBeSent
        status = model.problem?.let(::sentenceOf) ?: if (model.isSent) "Sent." else release?.let { "This will be sent: ${it.text}" }.orEmpty()
    }
    fun finish() {
        scope.launch {
            model.finish(text)
            show()
        }
    }
    fun sendIt() {
        canBeSent = false
        scope.launch {
            model.send(record, send)
            show()
        }
    }
    Column {
        Written(title, text, ::finish) {
            text = it
            model.edited()
            show()
        }
        // The enter key of a keyboard with keys begins a new line.
        Button(onClick = ::finish) { Text("Show what will be sent") }
        Status(status)
        release?.let { Sendable(it.guarantee, canBeSent, ::sendIt) }
    }
}

/** Where the person writes. The keyboard does not correct it, so that it learns less. */
@Composable
internal fun Written(title: String, text: String, finish: () -> Unit, write: (String) -> Unit) = TextField(
    value = text,
    onValueChange = write,
    label = { Text(title) },
    keyboardOptions = KeyboardOptions(autoCorrect = false, imeAction = ImeAction.Done),
    keyboardActions = KeyboardActions(onDone = { finish() }),
)

/** What a person is told. It is always there: a screen reader tells what changes in it. */
@Composable
internal fun Status(sentence: String) = Text(sentence, Modifier.semantics { liveRegion = LiveRegionMode.Polite })

/** The guarantee of a release, and the button that sends it. */
@Composable
internal fun Sendable(guarantee: Guarantee, canBeSent: Boolean, send: () -> Unit) {
    Text(guarantee.describe(Locale.getDefault().toLanguageTag()), style = MaterialTheme.typography.bodySmall)
    Button(onClick = send, enabled = canBeSent) { Text("Send") }
}
