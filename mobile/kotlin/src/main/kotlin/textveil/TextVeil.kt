package textveil

/**
 * Privatizes texts over one table. May be shared by threads; every call is synchronous.
 *
 * **Make it and call it off the main thread** (with coroutines: [load] and [privatizeInBackground]). The first object of a program
 * loads the library and reads the table, which takes some hundred milliseconds. The first call of each kind takes up to two hundred.
 * From then on [privatize] takes less than a tenth of a millisecond a word, some tenths for an unknown one. [alternatives] and
 * [deniability] take some milliseconds a word, and up to two hundred where the noise is drawn in floating point (`metric-laplace`).
 *
 * A text is drawn **once**: for the life of the object, the same text for the same field under the same terms gives the very
 * same release, because every further draw would spend privacy again. Texts and releases are remembered in memory, in plain
 * text, for as long; a fresh object forgets. **One object is for one person's texts.** Any edit is another text and draws all its words
 * anew: privatize the finished text, not each keystroke.
 *
 * Half of a surrogate pair is not valid Unicode. It counts as U+FFFD.
 *
 *     TextVeil().use { veil ->
 *         val release = veil.privatize("My sister was diagnosed with diabetes in March.")
 *         send(release.text) // release.guarantee says what holds
 *     }
 */
class TextVeil internal constructor(internal val native: NativeTextVeil) : AutoCloseable {
    /** With the English table that the library carries. */
    constructor() : this(refusals { NativeTextVeil() })

    /**
     * Privatizes a text: the only thing that leaves the device should be the result's `text` (and its `guarantee`).
     *
     * [field] is any name of what the text is for, such as that of the form's field, and stays here: each field is drawn for
     * itself, as equal releases for two fields would show that their texts are equal.
     *
     * [spans] are what a detector found: a placeholder with the kind takes the place of each, and of the rest of a word that it
     * touches. The guarantee says that a detector chose, also of an empty list.
     *
     * @throws TextVeilException `TextTooLong`, `OtherLanguage`, `InvalidSpan`, `EntropyUnavailable`, and what is wrong with the
     * options.
     */
    fun privatize(
        text: String, options: Options = Options(), field: String? = null, spans: List<Span>? = null,
    ): Release = refusals {
        Release(native.privatize(unicode(text), valid(options), field?.let(::unicode), spans?.let { detected(text, it) }))
    }

    /** The guarantee that [privatize] would give for a text of one word, before anything is drawn. */
    fun guarantee(options: Options = Options()): Guarantee = refusals { native.guarantee(valid(options)) }

    /** The levels of the table, for all mechanisms, each ordered from the most private on. */
    fun levels(): List<Level> = refusals { native.levels() }

    /** Every mechanism, with its parameters. */
    fun mechanisms(): List<MechanismInfo> = refusals { native.mechanisms() }

    /** The table's public identity: its SHA-256 in hexadecimal. */
    val tableId: String get() = refusals { native.tableId() }

    /**
     * The [k] likeliest outcomes of a token, from 1 to 1000. **For the device only**: the probabilities tell which word was
     * typed.
     */
    fun alternatives(token: String, options: Options = Options(), k: Int = 10): Alternatives =
        refusals { native.alternatives(unicode(token), valid(options), count(k)) }

    /**
     * What protects each word of a text, in its order, before it is privatized. Nothing is released. **For the device only:
     * it depends on the words.**
     */
    fun deniability(text: String, options: Options = Options()): List<TokenDeniability> =
        refusals { native.deniability(unicode(text), valid(options)) }

    /**
     * Represents a text by noisy vectors of the table, or by noisy bits: what a model on a server can learn from. Without a
     * mechanism, it is `privunit2`, at the `epsilon` that is then needed. Each [field] is drawn for itself, as by [privatize].
     */
    fun representation(text: String, options: RepresentationOptions, field: String? = null): Representation =
        refusals { Representation(native.representation(unicode(text), options, field?.let(::unicode))) }

    /**
     * The same for the vectors that any other encoder gave: one for each word, or one for the text.
     *
     * **What is protected is a vector.** If the encoder looks at more than one word for a vector (as contextual ones do), what
     * holds for a word is the guarantee's `epsilonText`.
     *
     * For `privunit2`, and so without a mechanism, each must have length 1; every other mechanism needs `clip`. It tells most
     * where what all vectors have in common is subtracted first: their mean over public texts, **never over private ones**.
     */
    fun representationOf(
        vectors: List<DoubleArray>, options: RepresentationOptions, field: String? = null,
    ): Representation = refusals {
        Representation(native.representationOf(vectors.map(::packed), options, field?.let(::unicode)))
    }

    /** The guarantee of a representation of [words] words, with [dims] dimensions if they are another encoder's. */
    fun representationGuarantee(options: RepresentationOptions, words: Int, dims: Int? = null): Guarantee =
        refusals { native.representationGuarantee(options, count(words), dims?.let(::count)) }

    /**
     * Reports value number [index] of a public list of [size] as a noisy bit for each value. [question] is any name of what
     * is answered, and stays here: each question has its own. A changed answer is a new release that spends again.
     */
    fun choice(index: Int, size: Int, question: String, options: ChoiceOptions): ChoiceReport =
        refusals { ChoiceReport(native.choice(count(index), count(size), unicode(question), options)) }

    /** The guarantee of a report of one of [size] values, before anything is drawn. */
    fun choiceGuarantee(size: Int, options: ChoiceOptions): Guarantee =
        refusals { native.choiceGuarantee(count(size), options) }

    /** Gives the memory back. What was drawn is forgotten; no call may follow. */
    override fun close() = native.close()

    companion object {
        /**
         * With a table file, which decides the language and the vocabulary.
         *
         * @throws TextVeilException.BadTable
         */
        fun fromTable(bytes: ByteArray): TextVeil = refusals { NativeTextVeil.fromTable(bytes) }
    }
}

/**
 * A span of a text that a detector found, by its characters, as a match of a `Regex` has them. [kind] is a name that is sent: a
 * letter, then up to 23 letters, digits, `-` and `_`.
 */
data class Span(val range: IntRange, val kind: String)

/** What a detector found, for the library. A negative place becomes a large one, which is out of range. */
internal fun detected(text: String, spans: List<Span>): Detected {
    if (unicode(text).length != text.length) throw TextVeilException.InvalidSpan("the text is no Unicode")
    val found = spans.map { (range, kind) ->
        DetectedSpan(range.first.toLong().toULong(), (range.last.toLong() + 1).toULong(), unicode(kind))
    }
    return Detected(Offsets.UTF16, found)
}

/** What the bindings' named constructors return: to the generator, `TextVeil` has the name that it is renamed from. */
internal object FfiConverterTypeTextVeil {
    fun lift(handle: Long): TextVeil = TextVeil(FfiConverterTypeNativeTextVeil.lift(handle))
}

/** The text with U+FFFD in place of everything that is not valid Unicode. */
internal fun unicode(text: String): String = String(text.toByteArray(Charsets.UTF_16LE), Charsets.UTF_16LE)

/** The options with U+FFFD in their lists, too. */
internal fun valid(options: Options): Options =
    options.copy(keepWords = options.keepWords.map(::unicode), neverSay = options.neverSay.map(::unicode))

/** A number for the library. A negative one becomes the largest number, which the library refuses as out of range. */
internal fun count(number: Int): UInt = if (number < 0) UInt.MAX_VALUE else number.toUInt()
