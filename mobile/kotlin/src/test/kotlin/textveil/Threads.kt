package textveil

import java.io.File
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test

@DisplayName("threads")
class ThreadsTest {
    private val texts =
        listOf("My sister was diagnosed with diabetes in March.", "The doctor was kind.", "Paris, 2 o’clock: rain.")

    @Test
    fun `8 threads hammer one object, and each text is drawn once`() = TextVeil().use { veil ->
        val first = texts.map { veil.privatize(it).text }
        val (calls, failures) = AtomicInteger() to AtomicInteger()
        val end = System.nanoTime() + (SECONDS * 1e9).toLong()
        (0 until 8).map { number ->
            thread {
                var call = number
                while (System.nanoTime() < end) {
                    val known = call % texts.size
                    runCatching {
                        veil.privatize("Text $call of thread $number, about ${texts[known]}")
                        assertEquals(first[known], veil.privatize(texts[known]).text)
                    }.onFailure { failures.incrementAndGet() }
                    calls.addAndGet(2)
                    call++
                }
            }
        }.forEach(Thread::join)
        assertEquals(0, failures.get())
        assertTrue(calls.get() > 0)
        println("8 threads: ${(calls.get() / SECONDS).toInt()} calls a second on one object")
    }

    @Test
    fun `10,000 objects are made and freed without a trace`() {
        fun cycle(number: Int) = TextVeil().use { if (number % 20 == 0) it.guarantee() else it.tableId }
        repeat(200, ::cycle)
        val before = residentBytes()
        repeat(10_000, ::cycle)
        // What was prepared for one kept object would be 2 MB, for 500; the heap of Java may grow meanwhile, to 256 MB.
        val grown = residentBytes() - before
        assertTrue(grown < 512 shl 20) { "$grown bytes more" }
    }

    @Test
    fun `coroutines give the same release`() = TextVeil().use { veil ->
        val releases = runBlocking(Dispatchers.Default) {
            (0 until 16).map { async { veil.privatizeInBackground(texts[0]).text } }.awaitAll()
        }
        assertEquals(1, releases.toSet().size)
    }

    @Test
    fun `what takes long is done in the background, and gives the same`(): Unit = runBlocking {
        val (table, encoder) = Reference.table("toy.tvt") to Reference.table("encoder.tvt")
        assertEquals(TextVeil.fromTable(table).use { it.tableId }, TextVeil.load(table).use { it.tableId })
        val options = RepresentationOptions(epsilon = 8.0)
        TextVeil.load().use { veil ->
            assertEquals(veil.levels(), veil.levelsInBackground())
            assertEquals(3, veil.alternativesInBackground("kind", k = 3).distribution.size)
            assertEquals(2, veil.deniabilityInBackground("kind words").size)
            assertEquals(texts.size, veil.privatizeAllInBackground(texts).texts.size)
            assertEquals(veil.representation(texts[0], options), veil.representationInBackground(texts[0], options))
            val unit = listOf(doubleArrayOf(0.6, 0.8, 0.0))
            assertEquals(veil.representationOf(unit, options), veil.representationOfInBackground(unit, options))
        }
        TextVectors.load(Reference.table("wide.tvt")).use { assertEquals(it.representation(texts[0]), it.representationInBackground(texts[0])) }
        val lines = Reference.vectors("statements", "lists").first { it["name"].text == "plain" }["file"].bytes
        Statements.load(lines, encoder).use { statements ->
            assertEquals(statements.privatize(texts[0]), statements.privatizeInBackground(texts[0]))
            assertEquals(listOf(null), statements.privatizeAllInBackground(listOf(null)).texts)
            val list = listOf("The app crashes.", "The app is good.", "The delivery was late.")
            assertTrue(Statements.build(list, encoder).contentEquals(Statements.buildInBackground(list, encoder)))
        }
    }

    /** What the process holds in memory; 0 where the system does not say. */
    private fun residentBytes(): Long =
        File("/proc/self/statm").takeIf(File::exists)?.readText()?.split(' ')?.get(1)?.toLong()?.times(4096) ?: 0

    private companion object {
        /** How long the threads call the object, in seconds. */
        const val SECONDS = 10.0
    }
}
