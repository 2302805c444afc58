package textveil

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.util.concurrent.ConcurrentHashMap
import kotlin.concurrent.thread
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource

@DisplayName("statements")
class StatementsTest {
    private val lists = Reference.vectors("statements", "lists").associateBy { it["name"].text!! }
    private val encoder = Reference.table("encoder.tvt")

    private fun list(name: String) = lists.getValue(name)["file"].bytes

    /** What a case asks for. The list `own` was made with an encoder of an app's own. */
    private fun asked(one: Case) = Statements(
        list(one["list"].text!!), encoder.takeUnless { isOwn(one) }, one["epsilon"].number!!, one["near"].number?.toInt(),
        one["releases"].number!!.toInt(),
    )

    private fun packedVectors(one: Case) =
        one["vectors"].list.map { row -> packed(row.list.map { it.number!! }.toDoubleArray()) }

    private fun isOwn(one: Case) = one["list"].text == "own"

    private fun plain(epsilon: Double = 0.1, perSentence: Int = 32) =
        Statements(list("plain"), encoder, epsilon, perSentence = perSentence)

    @Test
    fun `a text is exchanged for the reference's statements, with its guarantee`() = check(
        Reference.vectors("statements", "releases"),
        found = { one ->
            asked(one).use { statements ->
                val release =
                    if (isOwn(one)) statements.native.privatizeVectorsSeeded(packedVectors(one), one["seed"].bytes)
                    else statements.native.privatizeSeeded(one["text"].text!!, one["seed"].bytes)
                val lines = statements.statements()
                assertEquals(release.statements.map { lines[it.number.toInt()] }, release.statements.map { it.text })
                assertEquals(release.statements.joinToString(" ") { it.text }, release.text)
                val guarantee = release.guarantee.run { listOf(words.toDouble(), epsilonWord, unit, notion) }
                listOf(release.statements.map { it.number.toDouble() }, statements.near.toDouble(), statements.listId, guarantee)
            }
        },
        expected = { one ->
            val guarantee =
                listOf(one["releases"].number, one["epsilon"].number, PrivacyUnit.WHOLE_TEXT, Notion.KNOWN_SEED)
            listOf(
                one["statements"].list.map { it.number }, one["usual_near"].number,
                lists.getValue(one["list"].text!!)["id"].text, guarantee,
            )
        },
    )

    @Test
    fun `texts and vectors are remembered by the reference's keys`() = check(
        Reference.vectors("statements", "releases"),
        found = { one ->
            asked(one).use {
                val field = one["field"].text
                it.native.key(one["text"].text!!, field) to it.native.vectorsKey(packedVectors(one), field)
            }
        },
        expected = { it["key"].text to it["vector_key"].text },
    )

    @Test
    fun `what is out of range has the reference's code`() = check(
        Reference.vectors("statements", "refusals"),
        found = { one -> codeOf { asked(one) } },
        expected = { it["code"].text },
    )

    @Test
    fun `lists of given vectors are the reference's, byte for byte`() {
        for (one in lists.values) {
            val file = one["file"].bytes
            val statements = Statements(file).use { it.statements() }
            val rows = statements.indices.map { row -> DoubleArray(3) { file[96 + 3 * row + it].toDouble() } }
            val header = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN)
            val otherwise = statements.getOrNull(header.getInt(80))
            val built = Statements.build(
                statements, rows, file.sliceArray(16 until 48), otherwise, otherwise?.let { header.getDouble(88) },
            )
            assertArrayEquals(file, built)
        }
    }

    @Test
    fun `a list of lines is built, and each line comes to itself`() {
        val lines = listOf("The app crashes.", "The app is good.", "The delivery was late.")
        Statements(Statements.build(lines, encoder), encoder, epsilon = 20.0).use { statements ->
            for (line in lines) assertEquals(line, statements.privatize(line.uppercase()).text)
        }
        assertEquals("bad-statements", codeOf { Statements.build(emptyList(), encoder) })
        assertEquals("bad-statements", codeOf { Statements.build(listOf("good", "good"), encoder) })
        assertEquals("invalid-vector", codeOf { Statements.build(listOf("good", "Lieferung"), encoder) })
        val twice = assertThrows(TextVeilException::class.java) { Statements.build(listOf("good", "good"), encoder) }
        assertTrue("line 2: a statement appears twice" in twice.message.orEmpty()) { twice.toString() }
        assertEquals("invalid-argument", codeOf { Statements.build(lines, encoder, "Another.") })
        assertEquals("invalid-options", codeOf { Statements.build(lines, encoder, leastCosine = 0.5) })
    }

    @Test
    fun `a list of answers has its own defaults and needs no encoder`() =
        Statements(Reference.answers(), encoder).use { question ->
            val guarantee = question.privatizeChosen("", listOf(2u)).guarantee
            assertEquals(listOf(2.0, 1, question.guarantee()), listOf(guarantee.epsilonText, question.near, guarantee))
            assertEquals("other-encoder", codeOf { question.privatize("Never") })
        }

    @ParameterizedTest
    @ValueSource(ints = [0, 95, 200])
    fun `bytes that are no list are refused`(size: Int) {
        assertEquals("bad-statements", codeOf { Statements(ByteArray(size), encoder) })
        assertEquals("bad-statements", codeOf { Statements(list("plain").copyOf(size), encoder) })
    }

    @Test
    fun `what is no encoder and another list's encoder are refused, and numbers below zero`() {
        assertEquals("bad-table", codeOf { Statements(list("plain"), ByteArray(64)) })
        assertEquals("other-encoder", codeOf { Statements(list("plain"), Reference.table("toy.tvt")) })
        assertEquals("other-encoder", codeOf { Statements(list("own"), encoder) })
        assertEquals("invalid-mass", codeOf { Statements(list("plain"), near = -1) })
        assertEquals("invalid-argument", codeOf { plain(perSentence = -1) })
    }

    @Test
    fun `a text without an encoder and vectors that are wrong are refused`() = Statements(list("own")).use { own ->
        fun code(vararg vectors: DoubleArray) = codeOf { own.privatizeVectors(vectors.asList()) }
        assertEquals("other-encoder", codeOf { own.privatize("good") })
        assertEquals("invalid-vector", code(doubleArrayOf(1.0, Double.NaN, 0.0)))
        assertEquals("dimension-mismatch", code(doubleArrayOf(1.0)))
        assertEquals("invalid-argument", code(doubleArrayOf(1.0, 0.0, 0.0), doubleArrayOf(1.0, 0.0, 0.0)))
        assertNull(code())
    }

    @Test
    fun `a choice that the list does not have is refused, and suggestions that cannot be given`() {
        Statements(list("own")).use { own ->
            for (chosen in listOf(listOf(own.statements().size.toUInt()), listOf(UInt.MAX_VALUE), listOf(0u, 0u))) {
                assertEquals("invalid-argument", codeOf { own.privatizeChosen("", chosen) })
            }
            for (chosen in listOf(listOf(), listOf(0u))) assertNull(codeOf { own.privatizeChosen("", chosen) })
            assertEquals("other-encoder", codeOf { own.suggest("good") })
        }
        plain().use { statements ->
            for (count in listOf(-1, 0, 1001)) assertEquals("invalid-argument", codeOf { statements.suggest("good", count) })
            assertEquals("text-too-long", codeOf { statements.suggest("secret ".repeat(1 shl 18)) })
        }
    }

    @Test
    fun `suggestions have what was typed first and the statement for all else last`(): Unit = runBlocking {
        val lines = listOf("The app crashes.", "The app is good.", "The delivery was late.", "The price is high.")
        Statements(Statements.build(lines, encoder, otherwise = lines[2]), encoder).use { statements ->
            for (typed in listOf(0, 1, 3)) {
                val found = statements.suggest(lines[typed].uppercase(), 2)
                assertEquals(listOf(3, typed, 2), listOf(found.size, found[0].number.toInt(), found[2].number.toInt()))
                assertEquals(found.map { lines[it.number.toInt()] }, found.map { it.text })
                assertEquals(found, statements.suggestInBackground(lines[typed], 2))
                assertEquals(lines.toSet(), statements.suggest(lines[typed]).map { it.text }.toSet())
            }
            assertEquals(listOf(lines[2]), statements.suggest("\uD83D Приложение").map { it.text })
        }
    }

    @Test
    fun `what was chosen comes to itself at a large epsilon`() = plain(20.0, perSentence = 2).use { statements ->
        for ((number, line) in statements.statements().withIndex()) {
            val release = statements.privatizeChosen("good", listOf(number.toUInt(), 0u))
            assertEquals(listOf(line, statements.statements()[0]), release.statements.map { it.text })
        }
    }

    @Test
    fun `a choice is drawn once, and anew for another text, field or choice, with the guarantee of any language`() {
        Statements(list("plain"), encoder, 0.1, perSentence = 32, anyLanguage = true).use { statements ->
            val asked = listOf(listOf(0u), listOf(1u), listOf(0u, 1u), listOf()).map { Triple("good", it, null) } +
                listOf("", "comment").map { Triple("good", listOf(0u), it) } + Triple("late", listOf(0u), null)
            val releases = asked.map { (text, chosen, field) -> statements.privatizeChosen(text, chosen, field) }
            val again = runBlocking { asked.map { (text, chosen, field) -> statements.privatizeChosenInBackground(text, chosen, field) } }
            assertEquals(releases, again)
            assertEquals(7, releases.map { it.text }.toSet().size)
            assertEquals(setOf(statements.privatize("good").guarantee), releases.map { it.guarantee }.toSet())
            assertTrue(plain().use { it.guarantee() } != statements.guarantee(), "no choice is refused for its language")
        }
    }

    @Test
    fun `a text that is too long is refused, and its words are not told`() = plain().use { statements ->
        val error = assertThrows(TextVeilException::class.java) { statements.privatize("secret ".repeat(1 shl 18)) }
        assertEquals("text-too-long", error.code)
        assertFalse("secret" in error.toString())
    }

    @ParameterizedTest
    @ValueSource(strings = ["", "\u0000", "\uD83D", "\uDE00\uD83D", "Приложение"])
    fun `what the encoder does not know is text like any other`(text: String) = plain().use { statements ->
        val release = statements.privatize(text)
        assertEquals(32, release.statements.size)
        assertEquals(release, statements.privatize(unicode(text)))
    }

    @Test
    fun `a text is drawn once, and anew for another field, and so are vectors`(): Unit = plain().use { statements ->
        val vectors = listOf(doubleArrayOf(1.0, 2.0, 3.0))
        val fields = listOf(null, "", "comment", "reply")
        val releases = fields.map { statements.privatize("good", it) } + fields.map { statements.privatizeVectors(vectors, it) }
        val again = runBlocking { fields.map { statements.privatizeInBackground("good", it) } }
        assertEquals(releases, again + fields.map { statements.privatizeVectors(vectors, it) })
        assertEquals(8, releases.map { it.text }.toSet().size)
        val guarantees = releases.map { it.guarantee }
        assertEquals(setOf(statements.guarantee()), guarantees.take(4).toSet())
        assertTrue(guarantees.drop(4).none { it == statements.guarantee() }, "no vector is refused for its language")
        assertEquals(releases.map { it.text }, releases.map { "$it" })
    }

    @Test
    fun `8 threads see one release of each text`() = plain().use { statements ->
        val seen = ConcurrentHashMap<String, MutableSet<String>>()
        (0 until 8).map {
            thread {
                for (number in 0 until 100) {
                    val text = "delivery $number"
                    seen.getOrPut(text) { ConcurrentHashMap.newKeySet() } += statements.privatize(text).text
                }
            }
        }.forEach(Thread::join)
        assertEquals(List(100) { 1 }, seen.values.map { it.size })
    }

    @Test
    fun `a closed object is not called`() {
        val closed = plain().apply { close() }
        assertThrows(IllegalStateException::class.java) { closed.privatize("good") }
    }
}
