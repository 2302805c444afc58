package textveil

/**
 * Represents whole texts by noisy vectors of a text encoder: what a model on a server can learn from. May be shared by threads;
 * every call is synchronous: make it and call it off the main thread (with coroutines: [load] and [representationInBackground]).
 *
 * Any two texts are protected from each other, of whatever length: nothing of a text leaves but the vector.
 *
 * A text is drawn **once**: for the life of the object, the same text for the same field gives the very same vector, because
 * every further draw would spend ε again. Texts and vectors are remembered in memory, in plain text, for as long; a fresh object
 * forgets. **One object is for one person's texts.**
 *
 * Half of a surrogate pair is not valid Unicode. It counts as U+FFFD.
 */
class TextVectors internal constructor(internal val native: NativeTextVectors) : AutoCloseable {
    /**
     * With the file of a text encoder: `english-text.tvt`, which the app has among its assets, or one for the subject of the
     * texts, as `textveil table project` makes it.
     *
     * [epsilon] is that of a text, in nats. [dims] says how many of the encoder's first coordinates are noised, from 3 up:
     * without it 16, or all of an encoder that has fewer.
     *
     * @throws TextVeilException `BadTable`; `OtherEncoder` for a table that is no text encoder; `InvalidEpsilon` unless ε is
     * above 0; `DimensionMismatch` for no dimension, or more than the encoder has; `NotOffered` for one or two.
     */
    constructor(encoder: ByteArray, epsilon: Double = 8.0, dims: Int? = null) :
        this(refusals { NativeTextVectors(encoder, epsilon, dims?.let(::count)) })

    /**
     * Represents a whole text by one noisy vector. A text that is both represented and exchanged has been released twice, and
     * the losses add up.
     *
     * [field] is any name of what the text is for, such as that of the form's field, and stays here: each field is drawn for
     * itself, as equal vectors for two fields would show that their texts are equal.
     *
     * @throws TextVeilException `TextTooLong`, `EntropyUnavailable`.
     */
    fun representation(text: String, field: String? = null): Representation =
        refusals { Representation(native.representation(unicode(text), field?.let(::unicode))) }

    /** What holds for every vector, whatever the text. */
    fun guarantee(): Guarantee = refusals { native.guarantee() }

    /** The encoder's public identity: its SHA-256 in hexadecimal. */
    val encoderId: String get() = refusals { native.encoderId() }

    /** Gives the memory back. What was drawn is forgotten; no call may follow. */
    override fun close() = native.close()

    /** For what makes one elsewhere: see [load]. */
    companion object
}

/** What a named constructor of the bindings returns: to the generator, `TextVectors` has the name that it is renamed from. */
internal object FfiConverterTypeTextVectors {
    fun lift(handle: Long): TextVectors = TextVectors(FfiConverterTypeNativeTextVectors.lift(handle))
}
