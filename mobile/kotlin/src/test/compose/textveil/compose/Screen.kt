package textveil.compose

import androidx.compose.material3.MaterialTheme
import androidx.compose.runtime.Composable
import androidx.compose.runtime.CompositionLocalProvider
import androidx.compose.runtime.saveable.LocalSaveableStateRegistry
import androidx.compose.runtime.saveable.SaveableStateRegistry
import androidx.compose.ui.awt.ComposeWindow
import java.awt.Robot
import java.awt.event.InputEvent.BUTTON1_DOWN_MASK
import java.awt.event.KeyEvent
import java.io.File
import java.util.concurrent.FutureTask
import javax.accessibility.AccessibleContext
import javax.accessibility.AccessibleRole
import javax.accessibility.AccessibleState
import javax.accessibility.AccessibleText
import javax.imageio.ImageIO
import javax.swing.SwingUtilities
import org.junit.jupiter.api.Assertions.assertTrue

/** A window, a person at the keyboard and the mouse, and a screen reader, which finds what the window tells. */
class Screen(private val content: @Composable () -> Unit) : AutoCloseable {
    private val person = Robot().apply { autoDelay = 5 }
    private val registry = SaveableStateRegistry(null) { true }
    private val window = onScreen {
        ComposeWindow().apply {
            setContent {
                CompositionLocalProvider(LocalSaveableStateRegistry provides registry) { MaterialTheme(content = content) }
            }
            setBounds(0, 0, 700, 700)
            isVisible = true
        }
    }

    /** Types letters and spaces into the field, after a click. */
    fun type(text: String) {
        await("a field") { fields().isNotEmpty() }
        click(fields().single())
        // Keys that come before the click is done are lost.
        await("a field with the focus") { window.isFocused && fields().any { isFocused(it) } }
        for (letter in text) {
            val key = KeyEvent.getExtendedKeyCodeForChar(letter.code)
            person.keyPress(key)
            person.keyRelease(key)
        }
    }

    /** Presses the button with this label, once it is there. */
    fun press(label: String) = press(AccessibleRole.PUSH_BUTTON, label)

    /** Chooses what has this label among several, once it is there. */
    fun choose(label: String) = press(AccessibleRole.RADIO_BUTTON, label)

    private fun press(role: AccessibleRole, label: String) {
        await("a $role '$label'") { label in labels(role) }
        click(all(role).single { it.accessibleName == label })
    }

    /** The text in the field. */
    fun typed(): String = fields().single().let(::textOf)

    /** The labels of the buttons. */
    fun buttons(): List<String> = labels(AccessibleRole.PUSH_BUTTON)

    /** The labels of what can be chosen. */
    fun choices(): List<String> = labels(AccessibleRole.RADIO_BUTTON)

    /** All that the window tells a screen reader, except for the text in the field. */
    fun told(): String = (all() - fields().toSet()).joinToString("\n") { context ->
        listOfNotNull(context.accessibleName, context.accessibleDescription, textOf(context)).joinToString(" ")
    }

    /** All that would be saved with the screen. */
    fun saved(): String = onScreen { registry.performSave() }.toString()

    /** Waits until it is so. */
    fun await(what: String, isSo: Screen.() -> Boolean) {
        val end = System.nanoTime() + PATIENCE
        while (!isSo()) {
            assertTrue(System.nanoTime() < end) { "there is not: $what\n${told()}" }
            Thread.sleep(20)
        }
    }

    /** Takes a picture, for people to look at. */
    fun picture(name: String) {
        val file = File(checkNotNull(System.getProperty("textveil.screenshots"))).apply { mkdirs() }.resolve("$name.png")
        assertTrue(ImageIO.write(person.createScreenCapture(window.bounds), "png", file))
    }

    override fun close() = onScreen { window.dispose() }

    private fun click(context: AccessibleContext) {
        val component = context.accessibleComponent
        val (place, size) = onScreen { component.locationOnScreen to component.size }
        person.mouseMove(place.x + size.width / 2, place.y + size.height / 2)
        person.mousePress(BUTTON1_DOWN_MASK)
        person.mouseRelease(BUTTON1_DOWN_MASK)
    }

    private fun fields() = all(AccessibleRole.TEXT)

    private fun labels(role: AccessibleRole): List<String> = all(role).map { it.accessibleName }

    private fun isFocused(context: AccessibleContext): Boolean = onScreen { AccessibleState.FOCUSED in context.accessibleStateSet }

    private fun all(role: AccessibleRole? = null): List<AccessibleContext> = onScreen {
        fun inside(context: AccessibleContext): List<AccessibleContext> =
            (0 until context.accessibleChildrenCount).flatMap { inside(context.getAccessibleChild(it).accessibleContext) } + context
        inside(window.accessibleContext).filter { role == null || it.accessibleRole == role }
    }

    private fun textOf(context: AccessibleContext): String = onScreen {
        val text = context.accessibleText
        (0 until (text?.charCount ?: 0)).joinToString("") { text.getAtIndex(AccessibleText.CHARACTER, it).orEmpty() }
    }

    private companion object {
        /** How long something may take, in nanoseconds. */
        const val PATIENCE = 60_000_000_000
    }
}

/** Does it on the thread that draws. */
fun <T> onScreen(work: () -> T): T = FutureTask(work).also(SwingUtilities::invokeAndWait).get()
