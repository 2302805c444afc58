package textveil

import java.io.File
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue

/** What the reference has written: `tests/vectors` and `tests/tables`, and objects over those tables. */
object Reference {
    private val tests = File(checkNotNull(System.getProperty("textveil.tests")))

    /** A list of a file of golden vectors. */
    fun vectors(file: String, list: String): List<Case> =
        Case(Json.parseToJsonElement(tests.resolve("vectors/$file.json").readText()))[list].list

    /** The bytes of a table. */
    fun table(name: String): ByteArray =
        tests.resolve(if (name == ENGLISH) "../core/data/$name" else "tables/$name").readBytes()

    /** Statements of the list that comes with the project. */
    fun feedback(epsilon: Double): Statements {
        val (list, encoder) = listOf("statements/product-feedback.tvs", "tables/data/english-text.tvt").map { tests.resolve("..").resolve(it).readBytes() }
        return Statements(list, encoder, epsilon)
    }

    /** A list of answers. */
    fun answers(): ByteArray = tests.resolve("data/answers.tvs").readBytes()

    private val small = listOf("classes.tvt", "line.tvt", "mend.tvt", "odd.tvt", "one.tvt", "toy.tvt")
    private val veils = small.associateWith { TextVeil.fromTable(table(it)) } + (ENGLISH to TextVeil())

    /** An object over the table that a vector names; without a name over the one that the library carries. */
    fun veil(name: String?): TextVeil = veils.getValue(name ?: ENGLISH)

    /** The words of the small tables, by row. */
    val words: Map<String, List<String>> =
        vectors("table", "good").associate { good -> good["file"].text!! to good["words"].list.map { it.text!! } }

    private const val ENGLISH = "english.tvt"
}

/** A JSON value of a golden vector. */
@JvmInline
value class Case(val json: JsonElement) {
    /** A member; `null` in JSON where it is missing. */
    operator fun get(name: String) = Case((json as? JsonObject)?.get(name) ?: JsonNull)

    val isNull: Boolean get() = json is JsonNull

    val list: List<Case> get() = (json as? JsonArray).orEmpty().map(::Case)

    val members: Map<String, Case> get() = (json as? JsonObject).orEmpty().mapValues { Case(it.value) }

    val text: String? get() = (json as? JsonPrimitive)?.takeUnless { it is JsonNull }?.content

    /** A number, also one that is written as a string because JSON knows no NaN and no infinity. */
    val number: Double? get() = text?.toDouble()

    val truth: Boolean? get() = text?.toBooleanStrict()

    /** 32 bytes from their hexadecimal digits. */
    val bytes: ByteArray get() = text!!.chunked(2).map { it.toInt(16).toByte() }.toByteArray()
}

/** Holds what the module makes of each case against what the reference says. */
fun check(cases: List<Case>, found: (Case) -> Any?, expected: (Case) -> Any?) {
    assertTrue(cases.isNotEmpty())
    for (case in cases) assertEquals(expected(case), found(case)) { case.json.toString().take(300) }
}

/** The code of the error that [work] throws, or `null`. */
fun codeOf(work: () -> Any?): String? =
    try {
        work()
        null
    } catch (error: TextVeilException) {
        error.code
    }
