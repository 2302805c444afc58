package textveil

import com.fasterxml.jackson.annotation.JsonAutoDetect
import com.fasterxml.jackson.annotation.PropertyAccessor
import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.json.JsonMapper
import com.google.gson.Gson
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource

@DisplayName("bad input")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadInputTest {
    private val veil = TextVeil()

    @AfterAll
    fun close() = veil.close()

    @ParameterizedTest
    @ValueSource(ints = [0, 1, 64, 1 shl 20])
    fun `bytes that are no table are refused`(size: Int) {
        assertEquals("bad-table", codeOf { TextVeil.fromTable(ByteArray(size)) })
    }

    @ParameterizedTest
    @ValueSource(strings = ["\uD83D", "\uDE00", "half \uD83D of a pair", "\uDE00\uD83D"])
    fun `half of a surrogate pair counts as U+FFFD, which is a symbol like any other`(text: String) {
        val release = veil.privatize(text)
        assertEquals(release, veil.privatize(unicode(text)))
        assertEquals(veil.privatize(unicode(text)).guarantee.words, release.guarantee.words)
        assertFalse(release.text.any(Char::isSurrogate))
        for (call in listOf({ veil.alternatives("\uD83D") }, { veil.deniability(text) }, { veil.choice(0, 2, text, ChoiceOptions(epsilon = 1.0)) })) {
            assertNull(codeOf(call))
        }
        val asked = { words: List<String> -> codeOf { veil.privatize("text", Options(keepWords = words, neverSay = words)) } }
        assertEquals(asked(listOf(unicode(text))), asked(listOf(text)))
        assertNotEquals("internal", asked(listOf(text)))
    }

    @ParameterizedTest
    @ValueSource(strings = ["", "\u0000", "a\u0000b", "\uFFFE", "\u0301"])
    fun `a NUL, a noncharacter and a lone combining mark are text like any other`(text: String) {
        assertFalse('\u0000' in veil.privatize(text).text)
    }

    @ParameterizedTest
    @ValueSource(doubles = [Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -1.0, 0.0])
    fun `what is not a number above zero is refused`(number: Double) {
        assertEquals("invalid-eta", codeOf { veil.privatize("text", Options(Mechanism.EXPONENTIAL, eta = number)) })
        assertEquals("invalid-epsilon", codeOf { veil.privatize("text", Options(epsilon = number)) })
        assertEquals("invalid-level", codeOf { veil.privatize("text", Options(level = number - 0.5)) })
    }

    @Test
    fun `vectors with what is not a number, and of unequal lengths, are refused`() {
        val options = RepresentationOptions(Mechanism.LAPLACE, epsilon = 1.0, clip = 1.0)
        fun code(vararg vectors: DoubleArray) = codeOf { veil.representationOf(vectors.asList(), options) }
        assertEquals("invalid-vector", code(doubleArrayOf(Double.NaN)))
        assertEquals("invalid-vector", code())
        assertEquals("dimension-mismatch", code(doubleArrayOf(1.0, 2.0), doubleArrayOf(1.0)))
    }

    @Test
    fun `a span counts as a string does, and one that is none is refused`() {
        val text = "😀 Anna saw"
        val spans = Regex("Anna").findAll(text).map { Span(it.range, "PERSON") }.toList()
        assertEquals("[person]", veil.privatize(text, spans = spans).text.split(' ')[1])
        for (range in listOf(0..0, 1..2, 3..99, -1..2, 3..2)) {
            assertEquals("invalid-span", codeOf { veil.privatize(text, spans = listOf(Span(range, "a"))) })
        }
    }

    @Test
    fun `numbers below zero are as far out of range as those above`() {
        val options = ChoiceOptions(epsilon = 1.0)
        assertEquals("invalid-argument", codeOf { veil.choice(-1, 2, "any", options) })
        assertEquals("invalid-argument", codeOf { veil.choice(0, -2, "any", options) })
        assertEquals("invalid-options", codeOf { veil.alternatives("word", k = -1) })
    }

    @Test
    fun `an error says its code, and nothing of the text`() {
        val error = assertThrows(TextVeilException::class.java) { veil.privatize("secret ".repeat(1 shl 18)) }
        assertEquals("text-too-long", error.code)
        assertFalse("secret" in error.toString())
    }

    @Test
    fun `a panic is an error that says nothing of the text`() {
        val error = assertThrows(TextVeilException.Internal::class.java) { refusals { veil.native.failWith("secret") } }
        assertEquals("internal", error.code)
        assertEquals("textveil has failed; nothing was released", error.message)
        assertFalse("secret" in error.stackTraceToString())
        // The generated calls are public, too.
        val generated = assertThrows(Exception::class.java) { veil.native.failWith("secret") }
        assertFalse("secret" in generated.stackTraceToString())
    }

    @Test
    fun `a closed object is not called`() {
        val closed = TextVeil().apply { close() }
        assertThrows(IllegalStateException::class.java) { closed.privatize("text") }
    }

    @Test
    fun `a release prints without the words typed`() {
        // No word of the table: it can stand only where what was typed is shown.
        val release = veil.privatize("My sister Zyzzoxquu was diagnosed with diabetes.")
        assertTrue(release.account.any { it.token.lowercase() == "zyzzoxquu" })
        assertFalse("zyzzoxquu" in "$release".lowercase())
    }

    @Test
    fun `what writes objects by their fields or getters writes the text and the guarantee of a release, and nothing else`() {
        val release = veil.privatize("My sister Zyzzoxquu was diagnosed with diabetes.")
        val fields = JsonMapper.builder().visibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY).build()
        val written = listOf(
            Gson().toJson(release), ObjectMapper().writeValueAsString(release), fields.writeValueAsString(release),
        )
        for (json in written) {
            assertEquals(setOf("text", "guarantee"), (Json.parseToJsonElement(json) as JsonObject).keys)
            assertFalse("zyzzoxquu" in json.lowercase())
        }
    }

    @Test
    fun `the names of mechanisms are the core's`() {
        for (info in veil.mechanisms()) assertEquals(info.name, info.mechanism.id)
        assertEquals(Mechanism.entries.toSet(), veil.mechanisms().map { it.mechanism }.toSet())
    }

    @Test
    fun `a field has a release of its own`() = runBlocking {
        val text = "The doctor was kind to my mother on Monday."
        val fields = listOf(null, "", "comment", "reply")
        val releases = fields.map { veil.privatize(text, field = it).text }
        assertEquals(releases, fields.map { veil.privatizeInBackground(text, field = it).text })
        assertEquals(fields.size, releases.toSet().size)
    }

    @Test
    fun `a field has representations of its own`(): Unit = TextVectors(Reference.table("wide.tvt")).use { vectors ->
        val text = "The doctor was kind to my mother on Monday."
        val options = RepresentationOptions(epsilon = 8.0)
        val ways = listOf<(String?) -> Representation>(
            { veil.representation(text, options, it) },
            { veil.representationOf(listOf(doubleArrayOf(0.6, 0.8, 0.0)), options, it) },
            { vectors.representation(text, it) },
        )
        val fields = listOf(null, "", "comment", "reply")
        for (way in ways) {
            val values = { field: String? -> way(field).vectors!!.map { it.toList() } }
            val drawn = fields.map(values)
            assertEquals(drawn, fields.map(values))
            assertEquals(fields.size, drawn.toSet().size)
        }
    }

    @Test
    fun `results that are drawn again are equal`() {
        val choice = { veil.choice(1, 5, "question", ChoiceOptions(epsilon = 1.0)) }
        val text = "The doctor was kind to my mother on Monday."
        val vectors = { veil.representation(text, RepresentationOptions(epsilon = 8.0)) }
        val bits = { veil.representation(text, RepresentationOptions(mechanism = Mechanism.OUE, epsilon = 9.0)) }
        val snapshot = { Ledger(mapOf("comment" to Budget(epsilon = 1.0))).use { it.spend("comment", Loss(1.0, 0.0), now = 0u) } }
        for (draw in listOf<() -> Any>(choice, vectors, bits, snapshot)) {
            assertEquals(draw(), draw())
            assertEquals(1, setOf(draw(), draw()).size)
        }
        assertFalse(vectors() == bits())
        assertFalse(choice() == TextVeil().use { it.choice(1, 500, "question", ChoiceOptions(epsilon = 1.0)) })
    }
}
