package textveil

import java.nio.ByteBuffer
import java.nio.ByteOrder

/** The name of the mechanism that is the same in every language, file and table: `metric-laplace`. */
val Mechanism.id: String get() = name.lowercase().replace('_', '-')

/** The mechanism of that name; `null` if there is no such mechanism. */
fun mechanismOf(id: String): Mechanism? = Mechanism.entries.find { it.id == id }

/** What the guarantee means for the person at the keyboard, in English; `describe("de")` in German. */
fun Guarantee.describe(): String = describe("en")

/** The noisy vectors, one for each word or a single one; `null` if the mechanism gives bits. */
val Representation.vectors: List<DoubleArray>?
    get() = (values as? Values.Vectors)?.rows?.map { row ->
        val floats = ByteBuffer.wrap(row).order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer()
        DoubleArray(floats.remaining(), floats::get)
    }

/** The noisy bits, a row for each word or a single one; `null` if the mechanism gives vectors. */
val Representation.bits: List<BooleanArray>?
    get() = (values as? Values.Bits)?.let { values -> values.rows.map { bits(it, values.bitLength) } }

/** A noisy bit for each value of the list, in its order. */
val ChoiceReport.values: BooleanArray get() = bits(bits, bitLength)

/** The first bits of some bytes, the first of a byte in its highest place. */
private fun bits(bytes: ByteArray, length: UInt) =
    BooleanArray(length.toInt()) { bytes[it / 8].toInt() shr (7 - it % 8) and 1 == 1 }

/** A vector as the library takes it. */
internal fun packed(vector: DoubleArray): ByteArray {
    val bytes = ByteBuffer.allocate(vector.size * Double.SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN)
    vector.forEach(bytes::putDouble)
    return bytes.array()
}
