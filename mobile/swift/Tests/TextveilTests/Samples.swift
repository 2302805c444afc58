import Foundation
import PrivateTextField
import Testing

@testable import Textveil

@Suite("samples") @MainActor struct Samples {
    @Test("a private text field never has another text's release")
    func field() async throws {
        let veil = try TextVeil()
        let field = PrivateText(veil: veil, field: "comment")
        await field.finish("The doctor was kind.")
        let released = { try veil.privatize("The doctor was kind.", field: "comment").text }
        #expect(try released() == field.release?.text)
        var (sent, recorded, nonces): ([String], [String], [String]) = ([], [], [])
        await field.send(record: { _ in throw CocoaError(.fileWriteOutOfSpace) }) { release, _ in sent.append(release.text) }
        #expect(field.problem == "not-sent")
        await field.send(record: { recorded.append($0.text) }) { _, nonce in
            nonces.append(nonce)
            throw CocoaError(.fileNoSuchFile)
        }
        #expect(field.problem == "not-sent")
        #expect(field.canBeSent)
        await field.send(record: { recorded.append($0.text) }) { release, nonce in
            #expect(!field.canBeSent)
            await field.send { release, _ in sent.append(release.text) }
            nonces.append(nonce)
            sent.append(release.text)
        }
        await field.send { release, _ in sent.append(release.text) }
        #expect(try sent == [released()])
        // A second try is recorded once, and a collector counts it once.
        #expect(recorded == sent)
        #expect(nonces.count == 2)
        #expect(Set(nonces).count == 1)
        await field.finish("The doctor was kind.")
        #expect(field.isSent)
        #expect(!field.canBeSent)
        field.edited()
        #expect(field.release == nil)
        #expect(!field.isSent)
        await field.finish(String(repeating: "a ", count: 1 << 20))
        #expect(field.release == nil)
        #expect(field.problem == "text-too-long")
    }

    private let typed = "The search does not find things that I know are there."

    @Test("a field for a choice sends what was chosen for this text, and draws nothing before")
    func choice() async throws {
        let statements = try Reference.feedback(epsilon: 20)
        let field = PrivateChoice(statements: statements, field: "comment")
        let released: (Statement) throws -> StatementRelease = { statement in
            try statements.privatize(typed, chosen: [statement.number], field: "comment")
        }
        await field.offer(typed)
        #expect(try await field.offered == statements.suggest(typed))
        #expect(field.outgoing.release == nil)
        for statement in field.offered.prefix(2) {
            field.choose(statement)
            // The release of an earlier choice is gone.
            #expect(field.outgoing.release == nil)
            await field.outgoing.finish(typed)
            #expect(try field.outgoing.release == released(statement))
        }
        var sent: [StatementRelease] = []
        await field.outgoing.send { release, _ in sent.append(release) }
        #expect(try sent == [released(field.offered[1])])
        field.choose(field.offered[1])
        #expect(field.outgoing.isSent)
        field.edited()
        #expect(field.offered.isEmpty)
        #expect(field.chosen == nil)
        #expect(field.outgoing.release == nil)
    }

    @Test("without a choice nothing is drawn, an empty text has no statements, and a text that is too long is told")
    func noChoice() async throws {
        let field = PrivateChoice(statements: try Reference.feedback(epsilon: 20), field: "comment")
        await field.outgoing.finish(typed)
        #expect(field.outgoing.release == nil)
        #expect(field.outgoing.problem == "internal")
        await field.offer(" \n")
        #expect(field.offered.isEmpty)
        #expect(field.problem == nil)
        await field.offer(String(repeating: "a ", count: 1 << 20))
        #expect(field.offered.isEmpty)
        #expect(field.problem == "text-too-long")
        var hasBegun = false
        let late = Task {
            hasBegun = true
            await field.offer(typed)
        }
        while !hasBegun { await Task.yield() }
        field.edited()
        await late.value
        #expect(field.offered.isEmpty)
    }
}
