package textveil.documents

import java.io.File
import java.io.InputStream
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import textveil.TextVeil

/** What the blocks of the documents take for granted of an app: see `docs/blocks.py`. */
class Granted {
    val context = Context()
    val veil by lazy { TextVeil() }

    /** The files of a list and of its encoder. */
    val list by lazy { context.open("product-feedback.tvs").use { it.readBytes() } }
    val encoder by lazy { context.open("english-text.tvt").use { it.readBytes() } }
    val text = "My sister Anna is happy with order AB-1234."
    val release by lazy { veil.privatize(text) }

    /** A request for a new word in the English table. */
    val request = """{
        "table": "${TextVeil().use { it.tableId }}", "dims": 2, "window": 5, "mean": [0, 0], "words": ["zyzzoxquu"], "wordsEach": 60,
        "norm": 4096, "noise": {"by": "devices", "least": 100}, "epsilon": 3, "delta": 1e-6
    }"""
    val answered = mutableSetOf<String>()
    val texts = listOf("My sister was diagnosed with zyzzoxquu in March.")
    val sent = mutableListOf<Any>()

    fun send(vararg what: Any) = sent.add(what.asList()).let { }
}

/** Of Android's class of this name, what opens an asset. */
class Context {
    val assets = this
    private val checkout = File(checkNotNull(System.getProperty("textveil.tests"))).parentFile

    fun open(name: String): InputStream =
        listOf("statements", "tables/data").map { checkout.resolve(it).resolve(name) }.first(File::exists).inputStream()
}

/** Runs a block, and holds that it has sent something as often as it says. */
fun granted(sent: Int, block: suspend Granted.() -> Unit) = runBlocking {
    val granted = Granted().apply { block() }
    assertEquals(sent, granted.sent.size)
    assertTrue(granted.sent.none { "$it".isBlank() })
}
