import Foundation
import Testing

@testable import Textveil

@Suite("ledger") struct Ledgers {
    @Test("a ledger goes on from its snapshot and refuses what is beyond the budget")
    func budget() throws {
        let (budgets, three) = (["comment": Budget(epsilon: 5, period: 60)], Loss(epsilon: 3, delta: 0))
        let stored = try Ledger(budgets).spend("comment", three, now: 0)
        let ledger = try Ledger(budgets, stored: stored.bytes, sequence: stored.sequence)
        #expect(try ledger.spent("comment", now: 59).loss == three)
        #expect(code { try ledger.spend("comment", three, now: 59) } == .string("budget-exhausted"))
        #expect(try ledger.spend("comment", three, now: 60).sequence == 2)
        #expect(code { try ledger.spent("another") } == .string("invalid-budget"))
        #expect(code { try Ledger(budgets, sequence: 1) } == .string("bad-ledger"))
        let spent = try Ledger.exhausted(budgets, sequence: 1, now: 0)
        #expect(code { try spent.spend("comment", Loss(epsilon: 0, delta: 0), now: 0) } == .string("budget-exhausted"))
    }

    @Test("what a release spends is what its guarantee states for the text")
    func spends() throws {
        let guarantee = try TextVeil().privatize("The doctor was kind.").guarantee
        let ledger = try Ledger(["comment": Budget(epsilon: 1e3)])
        _ = try ledger.spend("comment", guarantee)
        let loss = Loss(epsilon: guarantee.epsilonText, delta: guarantee.deltaText)
        #expect(try ledger.spent("comment") == Spent(loss: loss, releases: 1))
    }

    @Test("a guarantee with another number is neither booked nor sent")
    func madeUp() throws {
        let stated = try JSONEncoder().encode(TextVeil().privatize("The doctor was kind.").guarantee)
        var members = try #require(try JSONSerialization.jsonObject(with: stated) as? [String: Any])
        members["epsilonText"] = 0.003
        let madeUp = try JSONDecoder().decode(Guarantee.self, from: JSONSerialization.data(withJSONObject: members))
        let ledger = try Ledger(["comment": Budget(epsilon: 1e3)])
        #expect(code { try ledger.spend("comment", madeUp) } == .string("invalid-options"))
        #expect(code { try refusals { try madeUp.short() } } == .string("invalid-options"))
        #expect(try ledger.spent("comment").releases == 0)
        #expect(try JSONDecoder().decode(Guarantee.self, from: stated).short().contains("digest"))
    }
}
