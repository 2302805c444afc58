import Foundation
import Testing

@testable import Textveil

/// The list that a case names.
private func list(_ name: JSON) throws -> Data {
    let lists = try Reference.vectors("statements")["lists"].array
    return bytes(try #require(lists.first { $0["name"] == name })["file"])
}

/// Whether a case's list was made with the encoder of the tests; the other one is of an app's own.
private func isEncoded(_ one: JSON) -> Bool { one["list"] != .string("own") }

private func encoder() throws -> Data { try Reference.table("encoder.tvt") }

/// What a case asks for.
private func asked(_ one: JSON) throws -> Statements {
    try Statements(
        list(one["list"]), encoder: isEncoded(one) ? encoder() : nil, epsilon: try #require(one["epsilon"].number),
        near: one["near"].number.map { Int($0) }, perSentence: Int(try #require(one["releases"].number)))
}

private func vectors(_ one: JSON) -> [[Double]] {
    one["vectors"].array.map { $0.array.compactMap(\.number) }
}

@Suite("statements") struct StatementsTests {
    @Test("a text is exchanged for the reference’s statements, with its guarantee")
    func releases() throws {
        try check(Reference.vectors("statements")["releases"].array) { one in
            let statements = try asked(one)
            let release =
                isEncoded(one)
                ? try statements.privatizeSeeded(text: one["text"].string ?? "", seed: seed(one))
                : try statements.privatizeVectorsSeeded(vectors: TextVeil.packed(vectors(one)), seed: seed(one))
            let lines = statements.statements()
            #expect(release.statements.map(\.text) == release.statements.map { lines[Int($0.number)] })
            #expect(release.text == release.statements.map(\.text).joined(separator: " "))
            return [
                "statements": .array(release.statements.map { JSON($0.number) }),
                "near": JSON(statements.near()), "list": .string(statements.listId()),
                "words": JSON(release.guarantee.words), "epsilon": .number(release.guarantee.epsilonWord),
                "unit": .string(release.guarantee.unit.rawValue), "notion": .string(release.guarantee.notion.rawValue),
            ]
        } expected: { one in
            let lists = try Reference.vectors("statements")["lists"].array
            return [
                "statements": one["statements"], "near": one["usual_near"],
                "list": try #require(lists.first { $0["name"] == one["list"] })["id"], "words": one["releases"],
                "epsilon": one["epsilon"], "unit": .string("whole-text"), "notion": .string("known-seed"),
            ]
        }
    }

    @Test("texts and vectors are remembered by the reference’s keys")
    func keys() throws {
        try check(Reference.vectors("statements")["releases"].array) { one in
            let (statements, field) = (try asked(one), one["field"].string)
            return [
                .string(try statements.key(text: one["text"].string ?? "", field: field)),
                .string(try statements.vectorsKey(vectors: TextVeil.packed(vectors(one)), field: field)),
            ]
        } expected: { [$0["key"], $0["vector_key"]] }
    }

    @Test("what is out of range has the reference’s code")
    func refused() throws {
        try check(Reference.vectors("statements")["refusals"].array) { one in code { try asked(one) } } expected: { $0["code"] }
    }

    @Test("lists of given vectors are the reference’s, byte for byte")
    func lists() throws {
        for one in try Reference.vectors("statements")["lists"].array {
            let file = bytes(one["file"])
            let statements = try Statements(file).statements()
            let rows = (0..<statements.count).map { row in
                file[(96 + 3 * row)..<(99 + 3 * row)].map { Double(Int8(bitPattern: $0)) }
            }
            let number = file[80..<84].reversed().reduce(0) { $0 << 8 | Int($1) }
            let least = file[88..<96].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            let otherwise = number < statements.count ? statements[number] : nil
            let built = try Statements.build(
                statements, vectors: rows, encoderID: file[16..<48], otherwise: otherwise,
                leastCosine: otherwise.map { _ in Double(bitPattern: least) })
            #expect(built == file)
        }
    }

    @Test("a list of lines is built, and each line comes to itself")
    func built() throws {
        let lines = ["The app crashes.", "The app is good.", "The delivery was late."]
        let statements = try Statements(Statements.build(lines, encoder: encoder()), encoder: encoder(), epsilon: 20)
        for line in lines {
            let release = { try statements.privatize(line.uppercased()) }
            #expect(try release().text == line)
        }
        #expect(code { try Statements.build([], encoder: encoder()) } == .string("bad-statements"))
        #expect(code { try Statements.build(["good", "good"], encoder: encoder()) } == .string("bad-statements"))
        #expect(code { try Statements.build(["good", "Lieferung"], encoder: encoder()) } == .string("invalid-vector"))
        #expect {
            try Statements.build(["good", "good"], encoder: encoder())
        } throws: { error in
            error.localizedDescription.contains("line 2: a statement appears twice")
        }
        #expect(code { try Statements.build(lines, encoder: encoder(), otherwise: "Another.") } == .string("invalid-argument"))
        #expect(code { try Statements.build(lines, encoder: encoder(), leastCosine: 0.5) } == .string("invalid-options"))
    }

    @Test("bytes that are no list or no encoder, and another list’s encoder, are refused")
    func badFiles() throws {
        let plain = try list(.string("plain"))
        for bytes in [Data(), Data(count: 200), plain.dropLast()] {
            #expect(code { try Statements(bytes, encoder: encoder()) } == .string("bad-statements"))
        }
        #expect(code { try Statements(plain, encoder: Data("no table".utf8)) } == .string("bad-table"))
        #expect(code { try Statements(plain, encoder: Reference.table("toy.tvt")) } == .string("other-encoder"))
        #expect(code { try Statements(list(.string("own")), encoder: encoder()) } == .string("other-encoder"))
        #expect(code { try Statements(plain, near: -1) } == .string("invalid-mass"))
        #expect(code { try Statements(plain, perSentence: -1) } == .string("invalid-argument"))
    }

    @Test("a text without an encoder and vectors that are wrong are refused, a text that is too long without its words")
    func badInput() throws {
        let own = try Statements(list(.string("own")))
        #expect(code { try own.privatize("good") } == .string("other-encoder"))
        #expect(code { try own.privatize(vectors: [[1, .nan, 0]]) } == .string("invalid-vector"))
        #expect(code { try own.privatize(vectors: [[1]]) } == .string("dimension-mismatch"))
        #expect(code { try own.privatize(vectors: [[1, 0, 0], [1, 0, 0]]) } == .string("invalid-argument"))
        #expect(code { try own.privatize(vectors: []) } == .null)
        let plain = try Statements(list(.string("plain")), encoder: encoder())
        #expect {
            try plain.privatize(String(repeating: "secret ", count: 1 << 18))
        } throws: { error in
            (error as? TextVeilError)?.code == "text-too-long" && !error.localizedDescription.contains("secret")
        }
    }

    @Test("a text is drawn once, and anew for another field; so are vectors")
    func once() async throws {
        let statements = try await Statements.load(list(.string("plain")), encoder: encoder(), epsilon: 0.1, perSentence: 32)
        var releases: Set<String> = []
        for field in [nil, "", "comment", "reply"] {
            let (text, ofVectors) = (
                { try statements.privatize("good", field: field).text },
                { try statements.privatize(vectors: [[1, 2, 3]], field: field).text }
            )
            let first = try await statements.privatize("good", field: field).text
            #expect(try text() == first)
            let drawn = try ofVectors()
            #expect(try ofVectors() == drawn)
            releases.formUnion([first, drawn])
        }
        #expect(releases.count == 8)
    }

    @Test("a choice that the list does not have is refused, and suggestions that cannot be given")
    func badChoice() throws {
        let own = try Statements(list(.string("own")))
        let length = UInt32(own.statements().count)
        for chosen in [[length], [.max], [0, 0]] {
            #expect(code { try own.privatize("", chosen: chosen) } == .string("invalid-argument"))
        }
        #expect(code { try own.privatize("", chosen: []) } == .null)
        #expect(code { try own.privatize("", chosen: [0]) } == .null)
        #expect(code { try own.suggest("good") } == .string("other-encoder"))
        let plain = try Statements(list(.string("plain")), encoder: encoder())
        for count in [-1, 0, 1001] {
            #expect(code { try plain.suggest("good", count: count) } == .string("invalid-argument"))
        }
        let long = String(repeating: "secret ", count: 1 << 18)
        #expect(code { try plain.suggest(long) } == .string("text-too-long"))
    }

    @Test("suggestions have what was typed first and the statement for all else last")
    func suggested() async throws {
        let lines = ["The app crashes.", "The app is good.", "The delivery was late.", "The price is high."]
        let file = try await Statements.build(lines, encoder: encoder(), otherwise: lines[2])
        let statements = try await Statements.load(file, encoder: encoder())
        for typed in [0, 1, 3] {
            let suggest = { try statements.suggest(lines[typed].uppercased(), count: 2) }
            let found = try suggest()
            #expect(found.count == 3)
            #expect(found.first?.number == UInt32(typed))
            #expect(found.last?.number == 2)
            #expect(found.map(\.text) == found.map { lines[Int($0.number)] })
            #expect(try await statements.suggest(lines[typed], count: 2) == found)
            #expect(Set(try await statements.suggest(lines[typed]).map(\.text)) == Set(lines))
        }
        #expect(try await statements.suggest("Приложение").map(\.text) == [lines[2]])
    }

    @Test("a list of answers has its own defaults and needs no encoder")
    func answers() throws {
        let question = try Statements(Reference.answers(), encoder: encoder())
        let guarantee = try question.privatize("", chosen: [2]).guarantee
        #expect(guarantee.epsilonText == 2 && question.near() == 1 && guarantee == question.guarantee())
        #expect(code { try question.privatize("Never") } == .string("other-encoder"))
    }

    @Test("what was chosen comes to itself at a large epsilon")
    func chosen() throws {
        let statements = try Statements(list(.string("plain")), encoder: encoder(), epsilon: 20, perSentence: 2)
        let lines = statements.statements()
        for (number, line) in lines.enumerated() {
            let release = try statements.privatize("good", chosen: [UInt32(number), 0])
            #expect(release.statements.map(\.text) == [line, lines[0]])
        }
    }

    @Test("a choice is drawn once, and anew for another text, field or choice, with the guarantee of any language")
    func chosenOnce() async throws {
        let statements = try await Statements.load(
            list(.string("plain")), encoder: encoder(), epsilon: 0.1, perSentence: 32, anyLanguage: true)
        let guarantee = try await statements.privatize("good").guarantee
        let asked: [(String, [UInt32], String?)] = [
            ("good", [0], nil), ("good", [1], nil), ("good", [0, 1], nil), ("good", [], nil), ("good", [0], ""), ("good", [0], "comment"),
            ("late", [0], nil),
        ]
        var releases: Set<String> = []
        for (text, chosen, field) in asked {
            let drawn = { try statements.privatize(text, chosen: chosen, field: field) }
            let first = try await statements.privatize(text, chosen: chosen, field: field)
            #expect(try drawn() == first)
            #expect(first.guarantee == guarantee)
            releases.insert(first.text)
        }
        #expect(releases.count == 7)
        #expect(try Statements(list(.string("plain")), encoder: encoder(), epsilon: 0.1, perSentence: 32).guarantee() != guarantee)
    }

    @Test("a release in JSON is as in JavaScript; printed, it is its text")
    func shown() throws {
        let release = try Statements(list(.string("plain")), encoder: encoder(), perSentence: 2).privatize("good")
        let json = try JSONDecoder().decode(JSON.self, from: JSONEncoder().encode(release))
        #expect(Set(json.object.keys) == ["text", "guarantee", "statements"])
        #expect(json["statements"].array.map(\.object.keys.count) == [2, 2])
        #expect(json["statements"].array.compactMap { $0["text"].string } == release.statements.map(\.text))
        #expect(json["guarantee"]["unit"] == .string("whole-text"))
        #expect("\(release)" == release.text)
        let guarantee = release.guarantee
        #expect(try JSONDecoder().decode(Guarantee.self, from: JSONEncoder().encode(guarantee)) == guarantee)
    }

    @Test("8 threads see one release of each text")
    func threads() throws {
        let statements = try Statements(list(.string("plain")), encoder: encoder(), epsilon: 0.1, perSentence: 32)
        let seen = Seen()
        DispatchQueue.concurrentPerform(iterations: 800) { call in
            let text = "delivery \(call % 100)"
            seen.add((try? statements.privatize(text: text, field: nil).text) ?? "", of: text)
        }
        #expect(seen.releases.count == 100)
        #expect(seen.releases.values.allSatisfy { $0.count == 1 && !$0.contains("") })
    }
}

/// The releases of each text, over threads.
private final class Seen: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var releases: [String: Set<String>] = [:]

    func add(_ release: String, of text: String) {
        lock.withLock { _ = releases[text, default: []].insert(release) }
    }
}
