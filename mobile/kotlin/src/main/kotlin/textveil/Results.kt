package textveil

import java.nio.ByteBuffer
import java.nio.ByteOrder

/** The name of the mechanism that is the same in every language, file and table: `metric-laplace`. */
val Mechanism.id: String get() = name.lowercase().replace('_', '-')

/** The mechanism of that name; `null` if there is no such mechanism. */
fun mechanismOf(id: String): Mechanism? = Mechanism.entries.find { it.id == id }

/** What the guarantee means for the person at the keyboard, in English; `describe("de")` in German. */
fun Guarantee.describe(): String = describe("en")

/** What may leave the device: noisy vectors or bits, and what is promised about them. Equal to another one with the same content. */
class Representation(
    /** The rows: one for each word, or a single one. */
    val values: Values,
    /** What is promised about them. */
    val guarantee: Guarantee,
) {
    internal constructor(native: NativeRepresentation) : this(native.values, native.guarantee)

    override fun equals(other: Any?): Boolean =
        other is Representation && guarantee == other.guarantee && content() == other.content()

    override fun hashCode(): Int = content().hashCode()

    override fun toString(): String = "Representation(rows=${content().second.size}, guarantee=$guarantee)"

    /** What compares by value: an array does not. */
    private fun content(): Pair<UInt?, List<List<Byte>>> = when (values) {
        is Values.Vectors -> null to values.rows.map(ByteArray::asList)
        is Values.Bits -> values.bitLength to values.rows.map(ByteArray::asList)
    }
}

/** What may leave the device: the noisy report of a choice, and what is promised about it. Equal to another one with the same content. */
class ChoiceReport(
    /** A noisy bit for each value of the list, in its order: eight bits a byte, the first in the highest place. */
    val bits: ByteArray,
    /** How many bits there are: one for each value. */
    val bitLength: UInt,
    /** What is promised about them. */
    val guarantee: Guarantee,
) {
    internal constructor(native: NativeChoiceReport) : this(native.bits, native.bitLength, native.guarantee)

    override fun equals(other: Any?): Boolean =
        other is ChoiceReport && bitLength == other.bitLength && guarantee == other.guarantee && bits.contentEquals(other.bits)

    override fun hashCode(): Int = bits.contentHashCode()

    override fun toString(): String = "ChoiceReport(bits=${values.joinToString("") { if (it) "1" else "0" }}, guarantee=$guarantee)"
}

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
