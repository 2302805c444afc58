package textveil

/**
 * Answers a request for new words, which a collector has published: what one user's texts say of the words that it names, as
 * one vector for a sum over many users. May be shared by threads; every call is synchronous: make it and call it off the
 * main thread (with coroutines: [load] and [contributeInBackground]).
 *
 * **A user answers a request once**: every further answer would spend ε again, so an object refuses a second one. It knows
 * nothing of other objects and earlier runs: store [id] before the vector leaves, and answer no request whose id is stored.
 *
 * Half of a surrogate pair is not valid Unicode. It counts as U+FFFD.
 */
class Contributor internal constructor(internal val native: NativeContributor) : AutoCloseable {
    /**
     * With the request as the collector has published it (JSON), and the file of the table that it names. Without a table, it
     * is the English one that the library carries. With [trustedSum] it also answers a request whose noise is added to the sum,
     * or shared by more than 10,000 devices: the answer then holds no noise, or next to none.
     *
     * @throws TextVeilException `NoiseElsewhere` for such a request if the sum is not trusted; `BadRequest`; `OtherTable` if the request names another table; `BadTable`.
     */
    constructor(request: String, table: ByteArray? = null, trustedSum: Boolean = false) :
        this(refusals { NativeContributor(unicode(request), table, trustedSum) })

    /**
     * Answers the request from all texts of the user. A user without anything to say answers as well, from no text. A text
     * longer than 1 MiB is left out. After an error nothing was answered. [epsilon] is the user's own budget in nats, at most the request's.
     *
     * @throws TextVeilException `AlreadyContributed` after an answer; `InvalidEpsilon`, `EntropyUnavailable`.
     */
    fun contribute(texts: List<String>, epsilon: Double? = null): Contribution =
        refusals { native.contribute(texts.map(::unicode), epsilon) }

    /**
     * What will be proved of a user with this budget of their own, or without one.
     *
     * @throws TextVeilException `InvalidEpsilon`.
     */
    fun guarantee(epsilon: Double? = null): ContributionGuarantee = refusals { native.guarantee(epsilon) }

    /** What the request is told apart by: a SHA-256 in hexadecimal. */
    val id: String get() = refusals { native.id() }

    /** Gives the memory back. No call may follow. */
    override fun close() = native.close()

    /** For what makes one elsewhere: see [load]. */
    companion object
}
