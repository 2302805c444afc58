package textveil

/**
 * What has been released so far, by scope: a form field, an app, whatever has a budget of its own.
 *
 * Store what [spend] returns before the release leaves: the bytes in one atomic write, then the sequence number in a second
 * place. A crash in between loses budget and never gains it. Hold one lock from [spend] until both are stored.
 *
 * **A ledger does not see what another process spends.** If more than one process of the app can spend, each does all of it for
 * each release: take the lock, read both places, open the ledger, spend, store both, release the lock.
 */
class Ledger internal constructor(private val native: NativeLedger) : AutoCloseable {
    /**
     * Continues from the last snapshot. If there never was one, it starts anew.
     *
     * @throws TextVeilException `InvalidBudget`; `BadLedger` if the state is damaged, old or missing. Then nothing may be
     * released: use [exhausted].
     */
    constructor(budgets: Map<String, Budget>, stored: ByteArray? = null, sequence: ULong = 0u) :
        this(refusals { NativeLedger(scopes(budgets), stored, sequence) })

    /**
     * Records a release, or refuses it and changes nothing. The release may leave once the snapshot is stored. [now] is in
     * seconds, by default those of the clock.
     *
     * @throws TextVeilException `BudgetExhausted`; `InvalidBudget` if no budget was given for the scope; `InvalidOptions` if the
     * fields of the guarantee contradict each other, as after a `copy` with another number.
     */
    fun spend(scope: String, guarantee: Guarantee, now: ULong = clock()): Snapshot =
        spend(scope, refusals { guarantee.loss() }, now)

    /** The same for a loss that the caller states. */
    fun spend(scope: String, loss: Loss, now: ULong = clock()): Snapshot =
        refusals { Snapshot(native.spend(unicode(scope), loss, now)) }

    /** What a scope has spent in the period of [now]. */
    fun spent(scope: String, now: ULong = clock()): Spent = refusals { native.spent(unicode(scope), now) }

    /** The state as it is now. */
    fun snapshot(): Snapshot = refusals { Snapshot(native.snapshot()) }

    /** Gives the memory back; no call may follow. */
    override fun close() = native.close()

    companion object {
        /**
         * In place of a ledger that could not be restored: every budget counts as spent. One with a period is back in the next
         * period. One without a period is spent for good.
         *
         * Name every scope that there has been. **Store its [snapshot] at once**, as after [spend]: otherwise the next start
         * finds the damaged state again.
         */
        fun exhausted(budgets: Map<String, Budget>, sequence: ULong, now: ULong = clock()): Ledger =
            refusals { NativeLedger.exhausted(scopes(budgets), now, sequence) }
    }
}

/** The ledger's state, to be stored before the release that it records leaves the device. Equal to another one with the same content. */
class Snapshot(
    /** What to store, in one atomic write. */
    val bytes: ByteArray,
    /** What to store in a second place, after the bytes. */
    val sequence: ULong,
) {
    internal constructor(native: NativeSnapshot) : this(native.bytes, native.sequence)

    override fun equals(other: Any?): Boolean =
        other is Snapshot && sequence == other.sequence && bytes.contentEquals(other.bytes)

    override fun hashCode(): Int = bytes.contentHashCode()

    override fun toString(): String = "Snapshot(sequence=$sequence)"
}

/** What the bindings' named constructors return: to the generator, `Ledger` has the name that it is renamed from. */
internal object FfiConverterTypeLedger {
    fun lift(handle: Long): Ledger = Ledger(FfiConverterTypeNativeLedger.lift(handle))
}

private fun scopes(budgets: Map<String, Budget>) =
    budgets.map { (scope, budget) -> ScopeBudget(unicode(scope), budget) }

/** Seconds since 1970. */
private fun clock(): ULong = (System.currentTimeMillis() / 1000).coerceAtLeast(0).toULong()
