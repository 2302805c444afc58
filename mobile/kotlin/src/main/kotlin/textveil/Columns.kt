package textveil

import java.nio.ByteBuffer
import java.nio.ByteOrder

/** The releases of a list of texts. */
data class Releases(
    /** The released texts, in the order of the list; `null` where it had none. */
    val texts: List<String?>,
    /** What is promised of the text with the most private words; every text keeps it. */
    val guarantee: Guarantee,
) {
    internal constructor(list: List<String?>, released: ReleaseColumn) : this(unpacked(list, released.column), released.guarantee)
}

/**
 * Privatizes a list of texts of many people on [threads] threads (0: as many as the machine has), each a release of its own.
 *
 * Nothing is remembered, and equal texts are drawn each for itself: equal releases would show that two people wrote the same. **So a
 * second call spends again.** Texts of the same person add up. A text that is refused fails the whole list:
 * [refusedRow] finds it.
 *
 * @throws TextVeilException as `privatize`.
 */
fun TextVeil.privatizeAll(texts: List<String?>, options: Options = Options(), threads: Int = 0): Releases =
    refusals { Releases(texts, native.privatizeColumn(packed(texts), valid(options), count(threads))) }

/**
 * The first text of a list that [privatizeAll] refuses on these terms, by its place. `null` if it refuses none, or the terms
 * themselves. **For the device only**, where somebody looks for it.
 */
fun TextVeil.refusedRow(texts: List<String?>, options: Options = Options()): Int? =
    native.refusedRow(packed(texts), valid(options))?.toInt()

/**
 * Exchanges a list of texts of many people on [threads] threads (0: as many as the machine has), each a release of its own. Nothing
 * is remembered, as with [TextVeil.privatizeAll].
 *
 * @throws TextVeilException as `privatize`.
 */
fun Statements.privatizeAll(texts: List<String?>, threads: Int = 0): Releases =
    refusals { Releases(texts, native.privatizeColumn(packed(texts), count(threads))) }

/** The first text of a list that [privatizeAll] refuses, as [TextVeil.refusedRow]. */
fun Statements.refusedRow(texts: List<String?>): Int? = native.refusedRow(packed(texts))?.toInt()

/** The texts behind each other in UTF-8, and where each begins. */
private fun packed(texts: List<String?>): TextColumn {
    val rows = texts.map { unicode(it.orEmpty()).toByteArray() }
    val ends = rows.runningFold(0L) { end, row -> end + row.size }
    val offsets = ByteBuffer.allocate(ends.size * Long.SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN)
    ends.forEach(offsets::putLong)
    val text = ByteBuffer.allocate(Math.toIntExact(ends.last()))
    rows.forEach(text::put)
    return TextColumn(text.array(), offsets.array())
}

private fun unpacked(texts: List<String?>, column: TextColumn): List<String?> {
    val ends = ByteBuffer.wrap(column.offsets).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer()
    return texts.mapIndexed { row, text ->
        val (start, end) = ends[row].toInt() to ends[row + 1].toInt()
        text?.let { String(column.text, start, end - start) }
    }
}
