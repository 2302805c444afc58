package textveil

import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import textveil.sample.PrivateChoice
import textveil.sample.PrivateText

@DisplayName("the fields of the samples, without a view")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SamplesTest {
    private val veil = TextVeil()
    private val statements = Reference.feedback(epsilon = 20.0)

    @AfterAll
    fun close() {
        veil.close()
        statements.close()
    }

    @Test
    fun `a private text field never has another text's release`() = runBlocking {
        val field = PrivateText(veil, "comment")
        field.finish("The doctor was kind.")
        assertEquals(veil.privatize("The doctor was kind.", field = "comment"), field.release)
        field.edited()
        assertNull(field.release)
        field.finish("a ".repeat(1 shl 20))
        assertNull(field.release)
        assertEquals("text-too-long", field.problem)
    }

    @Test
    fun `a private text field sends a release once, and again only if that failed`() = runBlocking {
        val (field, sent) = PrivateText(veil, "comment") to mutableListOf<Release>()
        val (recorded, nonces) = mutableListOf<Release>() to mutableListOf<String>()
        field.finish("The doctor was kind.")
        field.send({ error("the ledger is full") }) { release, _ -> sent += release }
        assertEquals("not-sent", field.problem)
        field.send({ recorded += it }) { _, nonce ->
            nonces += nonce
            error("no network")
        }
        assertEquals("not-sent", field.problem)
        field.send({ recorded += it }) { release, nonce ->
            assertFalse(field.canBeSent)
            field.send { again, _ -> sent += again }
            nonces += nonce
            sent += release
        }
        field.send { release, _ -> sent += release }
        assertEquals(listOf(veil.privatize("The doctor was kind.", field = "comment")), sent)
        // A second try is recorded once, and a collector counts it once.
        assertEquals(sent, recorded)
        assertEquals(listOf(2, 1), listOf(nonces.size, nonces.toSet().size))
        field.finish("The doctor was kind.")
        assertTrue(field.isSent)
        assertFalse(field.canBeSent)
        field.edited()
        assertFalse(field.isSent)
    }

    @Test
    fun `a field for a choice sends what was chosen for this text, and draws nothing before`() = runBlocking {
        val (field, sent) = PrivateChoice(statements, "comment") to mutableListOf<String>()
        field.offer(TYPED)
        assertEquals(statements.suggest(TYPED), field.offered)
        assertNull(field.outgoing.release)
        for (statement in field.offered.take(2)) {
            field.choose(statement)
            // The release of an earlier choice is gone.
            assertNull(field.outgoing.release)
            field.outgoing.finish(TYPED)
            assertEquals(statements.privatizeChosen(TYPED, listOf(statement.number), "comment"), field.outgoing.release)
        }
        field.outgoing.send { release, _ -> sent += release.text }
        assertEquals(listOf(statements.privatizeChosen(TYPED, listOf(field.offered[1].number), "comment").text), sent)
        field.choose(field.offered[1])
        assertTrue(field.outgoing.isSent)
        field.edited()
        assertEquals(emptyList<Statement>() to null, field.offered to field.chosen)
        assertNull(field.outgoing.release)
    }

    @Test
    fun `without a choice nothing is drawn, an empty text has no statements, and a text that is too long is told`() = runBlocking {
        val field = PrivateChoice(statements, "comment")
        field.outgoing.finish(TYPED)
        assertEquals(null to "internal", field.outgoing.release to field.outgoing.problem)
        field.offer(" \n")
        assertEquals(emptyList<Statement>() to null, field.offered to field.problem)
        field.offer("a ".repeat(1 shl 20))
        assertEquals(emptyList<Statement>() to "text-too-long", field.offered to field.problem)
        val late = launch { field.offer(TYPED) }
        yield()
        field.edited()
        late.join()
        assertEquals(emptyList<Statement>(), field.offered)
    }

    private companion object {
        const val TYPED = "The search does not find things that I know are there."
    }
}
