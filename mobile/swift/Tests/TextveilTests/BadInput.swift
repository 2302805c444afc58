import Foundation
import Testing

@testable import Textveil

@Suite("bad input") struct BadInput {
    let veil: TextVeil

    init() throws { veil = try TextVeil() }

    @Test("bytes that are no table are refused", arguments: [Data(), Data([0]), Data("no table".utf8), Data(count: 1 << 20)])
    func noTable(bytes: Data) {
        #expect(code { try TextVeil(table: bytes) } == .string("bad-table"))
    }

    @Test("a NUL, a noncharacter and a lone combining mark are text like any other", arguments: ["\0", "a\0b", "\u{FFFE}", "\u{301}"])
    func oddCharacters(text: String) throws {
        let release = try veil.privatize(text)
        #expect(!release.text.contains("\0"))
    }

    @Test("what is not a number is refused", arguments: [Double.nan, .infinity, -.infinity, -1, 0])
    func noNumbers(number: Double) {
        #expect(code { try veil.privatize("text", options: Options(mechanism: .exponential, eta: number)) } == .string("invalid-eta"))
        #expect(code { try veil.privatize("text", options: Options(epsilon: number)) } == .string("invalid-epsilon"))
        #expect(code { try veil.privatize("text", options: Options(level: number == 0 ? 0.5 : number)) } == .string("invalid-level"))
    }

    @Test("vectors with what is not a number, and of unequal lengths, are refused")
    func badVectors() {
        let options = RepresentationOptions(mechanism: .laplace, epsilon: 1, clip: 1)
        #expect(code { try veil.representation(of: [[.nan]], options: options) } == .string("invalid-vector"))
        #expect(code { try veil.representation(of: [], options: options) } == .string("invalid-vector"))
        #expect(code { try veil.representation(of: [[1, 2], [1]], options: options) } == .string("dimension-mismatch"))
    }

    @Test("a panic is an error that says nothing of the text, awaited or not")
    func panics() async throws {
        let fault = TextVeilError.Internal(message: "textveil has failed; nothing was released")
        #expect(fault.code == "internal")
        #expect(throws: fault) { try refusals { try veil.failWith(text: "secret") } }
        await #expect(throws: fault) { try await inBackground { try veil.failWith(text: "secret") } }
        // The generated calls are public, too.
        #expect { try veil.failWith(text: "secret") } throws: { error in
            !"\(error) \(error.localizedDescription)".contains("secret")
        }
    }

    @Test("an error says its code, and nothing of the text")
    func errors() {
        #expect {
            try veil.privatize(String(repeating: "secret ", count: 1 << 18))
        } throws: { error in
            (error as? TextVeilError)?.code == "text-too-long" && !error.localizedDescription.contains("secret")
        }
    }
}

@Suite("results") struct Results {
    let release: Release

    // "Zyzzoxquu" is no word of the table: it can stand only where what was typed is shown.
    init() throws { release = try TextVeil().privatize("My sister Zyzzoxquu was diagnosed with diabetes.") }

    @Test("a release in JSON is what may be sent: text and guarantee, not the words typed")
    func releaseInJSON() throws {
        let json = try JSONDecoder().decode(JSON.self, from: JSONEncoder().encode(release))
        #expect(Set(json.object.keys) == ["text", "guarantee"])
        #expect(json["guarantee"]["mechanism"] == .string("nearest"))
        #expect(json["guarantee"]["notion"] == .string("pure-dp"))
        #expect(json["guarantee"]["clear"].array.contains(.string("word-count")))
        #expect(json["guarantee"].object.count == 20)
    }

    @Test("a guarantee survives JSON")
    func guaranteeInJSON() throws {
        let guarantees = [
            release.guarantee,
            try TextVeil().guarantee(Options(mechanism: .truncatedExponential, epsilon: 8, gamma: 0.5)),
            try TextVeil().guarantee(Options(mechanism: .gaussian, calibration: .published, epsilon: 1, delta: 1e-5, clip: 1)),
        ]
        #expect(try JSONDecoder().decode([Guarantee].self, from: JSONEncoder().encode(guarantees)) == guarantees)
    }

    @Test("a field has a release of its own, awaited or not")
    func fields() async throws {
        let (veil, text) = (try TextVeil(), "The doctor was kind to my mother on Monday.")
        var releases: Set<String> = []
        for field in [nil, "", "comment", "reply"] {
            let release = try await veil.privatize(text, field: field).text
            let again = { try veil.privatize(text, field: field).text }
            #expect(try again() == release)
            releases.insert(release)
        }
        #expect(releases.count == 4)
    }

    @Test("a field has representations of its own, awaited or not")
    func representationsOfFields() async throws {
        let (veil, text) = (try TextVeil(), "The doctor was kind to my mother on Monday.")
        let vectors = try TextVectors(Reference.table("wide.tvt"))
        let options = RepresentationOptions(epsilon: 8)
        var drawn: [Representation] = []
        for field in [nil, "", "comment", "reply"] {
            let awaited = [
                try await veil.representation(text, options: options, field: field),
                try await vectors.representation(text, field: field),
            ]
            let ways: [() throws -> Representation] = [
                { try veil.representation(text, options: options, field: field) },
                { try vectors.representation(text, field: field) },
                { try veil.representation(of: [[0.6, 0.8, 0]], options: options, field: field) },
            ]
            let found = try ways.map { try $0() }
            #expect(try ways.map { try $0() } == found)
            #expect(Array(found.prefix(2)) == awaited)
            drawn += found
        }
        for (place, one) in drawn.enumerated() {
            #expect(!drawn[..<place].contains { $0.values == one.values })
        }
    }

    @Test("a release, its account and whatever is for the device print without the words typed")
    func printed() throws {
        let veil = try TextVeil()
        let alternatives = try veil.alternatives(to: "diabetes")
        #expect(release.account.contains { $0.token.lowercased() == "zyzzoxquu" })
        #expect(alternatives.input == "diabetes")
        let results: [Any] = [
            release, release.account, alternatives, alternatives.distribution,
            try veil.deniability(of: "Zyzzoxquu has diabetes."),
        ]
        for result in results {
            var dumped = ""
            dump(result, to: &dumped)
            for shown in ["\(result)", String(reflecting: result), dumped].map({ $0.lowercased() }) {
                #expect(!shown.contains("zyzzoxquu"))
                #expect(result is Release || !shown.contains("diabetes"))
            }
        }
    }

    @Test("the names of mechanisms are the core's")
    func names() throws {
        let mechanisms = try TextVeil().mechanisms()
        #expect(mechanisms.map(\.name) == mechanisms.map(\.mechanism.rawValue))
        #expect(Set(mechanisms.map(\.mechanism)) == Set(Mechanism.allCases))
    }
}
