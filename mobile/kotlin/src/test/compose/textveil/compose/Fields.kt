package textveil.compose

import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.setValue
import com.google.gson.Gson
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.util.logging.Handler
import java.util.logging.Level
import java.util.logging.LogRecord
import java.util.logging.Logger
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import textveil.Options
import textveil.Reference
import textveil.Release
import textveil.StatementRelease
import textveil.TextVeil
import textveil.sample.PrivateChoiceField
import textveil.sample.PrivateTextField

@DisplayName("the fields for Compose, in a window")
class FieldsTest {
    private val handed = mutableListOf<Release>()

    @Test
    fun `what is typed is handed over only as a release, and stands nowhere but in the field`() = TextVeil().use { veil ->
        val printed = printed {
            window(veil) {
                type(TYPED)
                await("the typed text") { typed() == TYPED }
                holdsNothingRaw()
                press(SHOW)
                await("a release") { SEND in buttons() }
                assertEquals(emptyList<Release>(), handed)
                picture("release")
                holdsNothingRaw()
                press(SEND)
                await("what is handed over") { "Sent." in told() }
                holdsNothingRaw()
                // A second press does nothing.
                press(SEND)
                press(SHOW)
                press(SEND)
                await("what was sent") { "Sent." in told() }
            }
        }
        // The same text, field and terms have the same release.
        assertEquals(listOf(veil.privatize(TYPED, field = FIELD)), handed)
        assertNothingRaw(handed.single().text + Gson().toJson(handed))
        assertNothingRaw(printed)
    }

    @Test
    fun `a refusal is told, and nothing can be sent`() = TextVeil().use { veil ->
        val closed = TextVeil().apply { close() }
        for ((broken, options, code) in listOf(
            Triple(veil, Options(epsilon = -1.0), "invalid-epsilon"), Triple(closed, Options(), "internal"),
        )) {
            val printed = printed {
                window(broken, options) {
                    type(TYPED)
                    await("the typed text") { typed() == TYPED }
                    press(SHOW)
                    await("a sentence for people") { "This text cannot be sent." in told() }
                    picture(code)
                    assertFalse(code in told())
                    assertFalse(SEND in buttons())
                    holdsNothingRaw()
                }
            }
            assertNothingRaw(printed)
        }
        assertEquals(emptyList<Release>(), handed)
    }

    @Test
    fun `an edit takes the release away, and so does another person`() = TextVeil().use { first ->
        TextVeil().use { second ->
            var person by mutableStateOf(first)
            Screen { PrivateTextField("How are you?", FIELD, person) { release, _ -> handed += release } }.use { screen ->
                screen.type(TYPED)
                screen.press(SHOW)
                screen.await("a release") { SEND in buttons() }
                screen.type("x")
                screen.await("no release") { SEND !in buttons() }
                screen.press(SHOW)
                screen.await("another release") { SEND in buttons() }
                onScreen { person = second }
                screen.await("an empty field") { typed().isEmpty() && SEND !in buttons() }
            }
        }
        assertEquals(emptyList<Release>(), handed)
    }

    @Test
    fun `what the person chooses is handed over, and nothing else of the text`() = Reference.feedback(epsilon = 20.0).use { statements ->
        val (sent, offered) = mutableListOf<StatementRelease>() to statements.suggest(TYPED)
        val printed = printed {
            Screen { PrivateChoiceField("How do you like the app?", FIELD, statements) { release, _ -> sent += release } }.use { screen ->
                with(screen) {
                    type(TYPED)
                    press("Find statements")
                    await("statements") { choices() == offered.map { it.text } }
                    assertFalse(SHOW in buttons())
                    picture("statements")
                    choose(offered[1].text)
                    press(SHOW)
                    await("a release") { SEND in buttons() }
                    picture("choice")
                    holdsNothingRaw()
                    assertEquals(emptyList<StatementRelease>(), sent)
                    press(SEND)
                    await("what was sent") { "Sent." in told() }
                    type("x")
                    await("no statements") { choices().isEmpty() && SEND !in buttons() }
                    holdsNothingRaw()
                }
            }
        }
        assertEquals(listOf(statements.privatizeChosen(TYPED, listOf(offered[1].number), FIELD)), sent)
        assertNothingRaw(printed)
    }

    private fun window(veil: TextVeil, options: Options = Options(), work: Screen.() -> Unit) =
        Screen { PrivateTextField("How are you?", FIELD, veil, options) { release, _ -> handed += release } }.use(work)

    private fun Screen.holdsNothingRaw() {
        assertNothingRaw(told())
        assertNothingRaw(saved())
    }

    private companion object {
        const val FIELD = "mood"
        const val SHOW = "Show what will be sent"
        const val SEND = "Send"

        /** With two words that are not in the table: neither can come out by chance. */
        const val TYPED = "my sister zyzzoxquu was diagnosed with colonoscopyx in march"
        val RAW = Regex("zyzz|copyx", RegexOption.IGNORE_CASE)

        fun assertNothingRaw(text: String) = assertFalse(RAW in text, text)

        /** All that is printed and logged meanwhile. */
        fun printed(work: () -> Unit): String {
            val (streams, bytes) = (System.out to System.err) to ByteArrayOutputStream()
            val log = object : Handler() {
                override fun publish(record: LogRecord) = bytes.write("${record.message} ${record.thrown}\n".toByteArray())
                override fun flush() = Unit
                override fun close() = Unit
            }
            val root = Logger.getLogger("").apply { level = Level.ALL; addHandler(log) }
            PrintStream(bytes, true).let { System.setOut(it); System.setErr(it) }
            try {
                work()
            } finally {
                System.setOut(streams.first)
                System.setErr(streams.second)
                root.apply { level = Level.INFO; removeHandler(log) }
            }
            return bytes.toString()
        }
    }
}
