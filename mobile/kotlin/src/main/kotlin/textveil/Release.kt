package textveil

/**
 * What may leave the device, and the device's own account of how it came about. Printed, it is the text; equal to another one
 * of the same text and guarantee.
 *
 * The account is a transient field and an extension of the class: neither what writes an object by its fields nor what does so
 * by its getters (Gson, Jackson, Moshi) comes to it.
 */
class Release(
    /** The privatized text. This, and the guarantee, is what may be sent. */
    val text: String,
    /** What is promised about [text]. */
    val guarantee: Guarantee,
    account: List<Entry> = emptyList(),
) {
    // Read without a getter: to Java's reflection, an internal getter is a public one.
    @JvmField
    @Transient
    internal val entries: List<Entry> = account

    internal constructor(native: NativeRelease) : this(native.text, native.guarantee, native.account)

    override fun equals(other: Any?): Boolean = other is Release && text == other.text && guarantee == other.guarantee

    override fun hashCode(): Int = text.hashCode()

    override fun toString(): String = text
}

/**
 * Word by word, what became of the text. **For the device only: it holds the words typed and must not be uploaded.**
 */
val Release.account: List<Entry> get() = entries

/** What the bindings print a release with: there, to the generator, `Release` has the name that it is renamed from. */
internal object FfiConverterTypeRelease {
    fun lower(release: NativeRelease): RustBuffer.ByValue = FfiConverterTypeNativeRelease.lower(release)
}
