package textveil

/**
 * Exchanges whole texts for statements of a public list, under one ε. May be shared by threads; every call is synchronous:
 * make it and call it off the main thread (with coroutines: [load] and [privatizeInBackground]).
 *
 * Any two texts that are not refused are protected from each other: nothing of a text leaves but the statements.
 *
 * A text is drawn **once**: for the life of the object, the same text for the same field gives the very same release, because
 * every further draw would spend ε again. Texts and releases are remembered in memory, in plain text, for as long; a fresh
 * object forgets. **One object is for one person's texts.**
 *
 * Half of a surrogate pair is not valid Unicode. It counts as U+FFFD.
 */
class Statements internal constructor(internal val native: NativeStatements) : AutoCloseable {
    /**
     * With the file of a list (`.tvs`) and the file of the text encoder that it was made with: `english-text.tvt`, which the
     * app has among its assets. Without an encoder, it takes vectors and choices alone.
     *
     * [epsilon] is that of one statement, in nats; without it 8, and 2 for a list of answers, which needs no encoder. [near]
     * says how many statements are near to each text; without it, that follows from ε. [perSentence] says how many statements
     * each text is exchanged for, one for each of its first sentences: each costs ε. With [anyLanguage], texts of other languages
     * than the encoder's are taken, too: without it, they are refused (`OtherLanguage`).
     *
     * @throws TextVeilException `BadStatements`, `BadTable`; `OtherEncoder` if the list was made with another encoder;
     * `InvalidEpsilon` unless ε is above 0 and at most 20; `InvalidMass` for such a [near]; `InvalidArgument` unless
     * [perSentence] is from 1 to 32, and 1 for answers.
     */
    constructor(
        list: ByteArray, encoder: ByteArray? = null, epsilon: Double? = null, near: Int? = null, perSentence: Int = 1,
        anyLanguage: Boolean = false,
    ) : this(refusals { NativeStatements(list, encoder, epsilon, near?.let(::count), count(perSentence), anyLanguage) })

    /**
     * Exchanges a whole text: the only thing that leaves the device should be the result's `text` (and its `guarantee`).
     *
     * [field] is any name of what the text is for, such as that of the form's field, and stays here: each field is drawn for
     * itself, as equal releases for two fields would show that their texts are equal.
     *
     * @throws TextVeilException `OtherEncoder` without an encoder; `TextTooLong`, `OtherLanguage`, `EntropyUnavailable`.
     */
    fun privatize(text: String, field: String? = null): StatementRelease =
        refusals { native.privatize(unicode(text), field?.let(::unicode)) }

    /**
     * The same for the vectors that the app's own encoder gave: one for the text, or one for each sentence. Only their
     * direction counts. The same vectors for the same field are drawn once.
     *
     * @throws TextVeilException `InvalidArgument` for more vectors than statements come out; `DimensionMismatch`;
     * `InvalidVector`; `EntropyUnavailable`.
     */
    fun privatizeVectors(vectors: List<DoubleArray>, field: String? = null): StatementRelease =
        refusals { native.privatizeVectors(vectors.map(::packed), field?.let(::unicode)) }

    /**
     * Exchanges a text by what a person chose for it, for example from what [suggest] gave: the number of one statement, or of
     * one for each sentence. Nothing else of the text is used.
     *
     * The same text with the same choice is drawn once for a field. Another choice spends ε again. So does an edited text, and
     * [privatize] for the same text.
     *
     * Whether a person has chosen says something of the text. So make the object with `anyLanguage` also for texts where none
     * is chosen: then all releases have one guarantee.
     *
     * @throws TextVeilException `InvalidArgument` for more numbers than statements come out, or one that the list does not
     * have; `TextTooLong`; `EntropyUnavailable`.
     */
    fun privatizeChosen(text: String, chosen: List<UInt>, field: String? = null): StatementRelease =
        refusals { native.privatizeChosen(unicode(text), chosen, field?.let(::unicode)) }

    /**
     * What a person may have meant: the [count] statements nearest to a text, from 1 to 1000, the nearest first. After them
     * comes the one for texts that fit nothing, if the list has one.
     *
     * An app shows them, and [privatizeChosen] exchanges the one that the person chooses. Nothing is drawn, and no language is
     * refused. **For the device only**: they say more of the text than a release.
     *
     * @throws TextVeilException `OtherEncoder` without an encoder; `TextTooLong`; `InvalidArgument` for another [count].
     */
    fun suggest(text: String, count: Int = 5): List<Statement> = refusals { native.suggest(unicode(text), count(count)) }

    /** What holds for every release, whatever the text. */
    fun guarantee(): Guarantee = refusals { native.guarantee() }

    /** All statements of the list, in order. */
    fun statements(): List<String> = refusals { native.statements() }

    /** The list's public identity: its SHA-256 in hexadecimal. */
    val listId: String get() = refusals { native.listId() }

    /** How many statements are near to each text. */
    val near: Int get() = refusals { native.near().toInt() }

    /** Gives the memory back. What was drawn is forgotten; no call may follow. */
    override fun close() = native.close()

    companion object {
        /**
         * The file of a list from its statements, each encoded by the text encoder whose file is given. The list is public.
         *
         * A string that begins with a space or a tab is another phrasing of the statement before it: a text that is near to it
         * comes to that statement. Phrasings are never sent.
         *
         * [otherwise] is the statement for texts that fit nothing: those whose cosine to the nearest statement is below
         * [leastCosine] (0.35 unless told).
         *
         * @throws TextVeilException `BadTable`, `OtherEncoder`, `BadStatements`; `InvalidVector` for a statement of unknown
         * words alone; `InvalidArgument` if [otherwise] is not one of the statements; `InvalidOptions` for a [leastCosine]
         * without it. For a string that breaks a rule, the message names its line, from 1, and the rule.
         */
        fun build(
            statements: List<String>, encoder: ByteArray, otherwise: String? = null, leastCosine: Double? = null,
        ): ByteArray =
            refusals { buildStatements(statements.map(::unicode), encoder, otherwise?.let(::unicode), leastCosine) }

        /**
         * The same with the vectors of the app's own encoder, one for each string. [encoderId] names that encoder: any 32
         * bytes, such as a digest of its model.
         */
        fun build(
            statements: List<String>, vectors: List<DoubleArray>, encoderId: ByteArray, otherwise: String? = null,
            leastCosine: Double? = null,
        ): ByteArray = refusals {
            buildStatementsOf(
                statements.map(::unicode), vectors.map(::packed), encoderId, otherwise?.let(::unicode), leastCosine,
            )
        }
    }
}

/** What a named constructor of the bindings returns: to the generator, `Statements` has the name that it is renamed from. */
internal object FfiConverterTypeStatements {
    fun lift(handle: Long): Statements = Statements(FfiConverterTypeNativeStatements.lift(handle))
}
