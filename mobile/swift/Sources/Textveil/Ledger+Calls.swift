import Foundation

// The ledger by Swift's names and with its usual arguments.

/// A ledger does not see what another process spends. If more than one process can spend (an app and its extensions), each does
/// all of it for each release: take a lock, read both places, open the ledger, spend, store both, release the lock.
extension Ledger {
    /// Continues from the last snapshot. If there never was one, it starts anew.
    ///
    /// - Throws: ``TextVeilError/InvalidBudget(message:)``; ``TextVeilError/BadLedger(message:)`` if the state is damaged,
    ///   old or missing. Then nothing may be released: use ``exhausted(_:sequence:now:)``.
    public convenience init(_ budgets: [String: Budget], stored: Data? = nil, sequence: UInt64 = 0) throws(TextVeilError) {
        let ledger = try refusals { try Ledger(budgets: scopes(budgets), stored: stored, sequence: sequence) }
        self.init(unsafeFromHandle: ledger.uniffiCloneHandle())
    }

    /// In place of a ledger that could not be restored: every budget counts as spent. One with a period is back in the next
    /// period. One without a period is spent for good.
    ///
    /// Name every scope that there has been. **Store its ``snapshot()`` at once**, as after a `spend`: otherwise the next start
    /// finds the damaged state again.
    public static func exhausted(
        _ budgets: [String: Budget], sequence: UInt64, now: UInt64 = clock()
    ) throws(TextVeilError) -> Ledger {
        try refusals { try exhausted(budgets: scopes(budgets), now: now, sequence: sequence) }
    }

    /// Records a release, or refuses it and changes nothing. The release may leave once the snapshot is stored: hold one lock
    /// until then. `now` is in seconds, by default those of the clock.
    ///
    /// - Throws: ``TextVeilError/BudgetExhausted(message:)``; ``TextVeilError/InvalidBudget(message:)`` if no budget was
    ///   given for the scope; ``TextVeilError/InvalidOptions(message:)`` if the fields of the guarantee contradict each other.
    public func spend(_ scope: String, _ guarantee: Guarantee, now: UInt64 = clock()) throws(TextVeilError) -> Snapshot {
        try spend(scope, refusals { try guarantee.loss() }, now: now)
    }

    /// The same for a loss that the caller states.
    public func spend(_ scope: String, _ loss: Loss, now: UInt64 = clock()) throws(TextVeilError) -> Snapshot {
        try refusals { try spend(scope: scope, loss: loss, now: now) }
    }

    /// What a scope has spent in the period of `now`.
    public func spent(_ scope: String, now: UInt64 = clock()) throws(TextVeilError) -> Spent {
        try refusals { try spent(scope: scope, now: now) }
    }

    /// Seconds since 1970.
    public static func clock() -> UInt64 {
        UInt64(max(0, Date().timeIntervalSince1970))
    }
}

private func scopes(_ budgets: [String: Budget]) -> [ScopeBudget] {
    budgets.map { ScopeBudget(scope: $0, budget: $1) }
}
