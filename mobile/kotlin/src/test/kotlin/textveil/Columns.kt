package textveil

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test

@DisplayName("lists of texts")
class ColumnsTest {
    private val text = "The doctor was kind to my mother on Monday, and to her sister."
    private val list = Reference.vectors("statements", "lists").first { it["name"].text == "plain" }["file"].bytes

    @Test
    fun `each text of a list has a release of its own, and what is missing stays so`() = TextVeil().use { veil ->
        val texts = listOf(text, null, "", "two words \uD83D", text)
        val (first, second) = veil.privatizeAll(texts) to veil.privatizeAll(texts, threads = 2)
        assertEquals(4, listOf(first.texts[0], first.texts[4], second.texts[0], second.texts[4]).distinct().size)
        for (released in listOf(first, second)) {
            assertEquals(5, released.texts.size)
            assertNull(released.texts[1])
            assertEquals("", released.texts[2])
            assertEquals(3, released.texts[3]!!.split(' ').size)
            assertEquals(veil.privatize(text).guarantee, released.guarantee)
        }
        assertEquals(0u, veil.privatizeAll(emptyList()).guarantee.words)
    }

    @Test
    fun `statements take the place of each text of a list`() {
        Statements(list, Reference.table("encoder.tvt")).use { statements ->
            val released = statements.privatizeAll(listOf("the food was cold", null))
            assertTrue(released.texts[0] in statements.statements())
            assertNull(released.texts[1])
            assertEquals(statements.guarantee(), released.guarantee)
        }
    }

    @Test
    fun `a list with a text that is refused is refused`() = TextVeil().use { veil ->
        assertEquals("text-too-long", codeOf { veil.privatizeAll(listOf("kind", "a ".repeat(1 shl 20))) })
        assertEquals(1, veil.refusedRow(listOf("kind", "a ".repeat(1 shl 20), null)))
        val german = listOf(text, null, "Ich habe seit drei Tagen starke Kopfschmerzen.")
        assertEquals(listOf(2, null), listOf(false, true).map { veil.refusedRow(german, Options(anyLanguage = it)) })
        assertEquals("invalid-epsilon", codeOf { veil.privatizeAll(listOf("kind"), Options(epsilon = -1.0)) })
    }
}
