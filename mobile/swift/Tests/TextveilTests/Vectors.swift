import Foundation
import Testing

@testable import Textveil

/// The golden vectors: the same claims, under the same file name, in every language.
@Suite("vectors") struct Vectors {
    @Test("a seeded release is the reference’s, word for word, with its guarantee and account")
    func releases() throws {
        let cases = try Reference.vectors("release")["cases"].array + Reference.vectors("release_english")["cases"].array
        let known = try #require(Reference.vectors("release")["known_seed"].array.first)
        try check(cases) { one in
            let release = try released(one)
            return [
                "released": .string(release.text),
                "words": JSON(release.guarantee.words),
                "epsilonWord": .number(release.guarantee.epsilonWord),
                "epsilonText": .number(release.guarantee.epsilonText),
                "notion": .string(release.guarantee.notion.rawValue),
                "statement": .string(release.guarantee.statement),
                "account": .array(
                    release.account.map { entry in
                        [
                            "token": .string(entry.token), "kind": .string(entry.kind.rawValue),
                            "clear": .bool(entry.clear), "written": JSON(entry.written),
                        ]
                    }),
            ]
        } expected: { one in
            let words = Reference.words[one["table"].string ?? ""]
            let account: [JSON] = one["account"].array.map { entry in
                // The English table's words are not in the vectors; they are lower case, and only their first letter
                // is ever raised.
                let emitted = entry["emitted"].string ?? ""
                let word = entry["written"].number.flatMap { words?[Int($0)] } ?? (emitted.prefix(1).lowercased() + emitted.dropFirst())
                let fate = entry["fate"].string
                return [
                    "token": entry["token"], "kind": entry["kind"], "clear": .bool(fate != "private"),
                    "written": fate == "placeholder" ? .null : .string(word),
                ]
            }
            return [
                "released": one["release"], "words": one["private_tokens"], "epsilonWord": one["epsilon_word"],
                "epsilonText": one["epsilon_text"], "notion": known["notion"], "statement": known["statement"],
                "account": .array(account),
            ]
        }
    }

    @Test("a private token stands for the reference’s row, found the same way")
    func rows() throws {
        let cases = try Reference.vectors("release")["cases"].array
        try check(cases.filter { $0["account"].array.contains { $0["fate"] == .string("private") } }) { one in
            .array(
                try released(one).account.filter { !$0.clear }.map { entry in
                    [
                        "found": JSON(entry.found?.rawValue), "input": JSON(entry.input), "output": JSON(entry.output),
                        "kept": .bool(entry.kept),
                    ]
                })
        } expected: { one in
            let words = try #require(Reference.words[one["table"].string ?? ""])
            return .array(
                one["account"].array.filter { $0["fate"] == .string("private") }.map { entry in
                    let word: (JSON) -> JSON = { row in row.number.map { .string(words[Int($0)]) } ?? .null }
                    return [
                        "found": entry["found"], "input": word(entry["row"]), "output": word(entry["out"]),
                        "kept": .bool(entry["row"] == entry["written"]),
                    ]
                })
        }
    }

    @Test("a text is split into the reference’s pieces")
    func pieces() throws {
        let veil = try Reference.veil(.string("odd.tvt"))
        try check(Reference.vectors("pipeline")["cases"].array) { one in
            .array(
                try veil.split(text: one["text"].string ?? "").map { piece in
                    [.string(piece.kind?.rawValue ?? "layout"), .string(piece.text)]
                })
        } expected: { one in
            .array(
                one["pieces"].array.map { piece in
                    piece["layout"].isNull ? [piece["kind"], piece["token"]] : [.string("layout"), piece["layout"]]
                })
        }
    }

    @Test("a requested ε becomes the reference’s η, and ε again")
    func epsilons() throws {
        try check(Reference.vectors("mechanism")["epsilon"].array) { one in
            let asked = Options(mechanism: try named(one), epsilon: one["epsilon"].number)
            let guarantee = try Reference.veil(one["table"]).guarantee(asked)
            return ["eta": JSON(guarantee.eta), "epsilonWord": .number(guarantee.epsilonWord)]
        } expected: { one in
            ["eta": one["eta"], "epsilonWord": one["epsilon_word"]]
        }
    }

    @Test("a good table is read: identity and levels")
    func goodTables() throws {
        try check(Reference.vectors("table")["good"].array) { one in
            let veil = try Reference.veil(one["file"])
            let levels = try veil.levels()
            return [
                "id": .string(veil.tableId()),
                "levels": .array(
                    levels.filter { $0.certificate == nil && $0.mechanism != .nearest }.map { level in
                        [
                            "mechanism": .string(level.mechanism.rawValue), "eta": level.eta.map { .number($0) } ?? .null,
                            "retention": .number(level.retention),
                            "retentionByFrequency": .number(level.retentionByFrequency),
                        ]
                    }),
                "certificates": .array(levels.compactMap(\.certificate).map(members)),
            ]
        } expected: { one in
            // The identity is the checksum that the file itself carries.
            let identity = try Reference.table(try #require(one["file"].string))[32..<64]
            return [
                "id": .string(identity.map { String(format: "%02x", $0) }.joined()),
                "levels": .array(
                    one["levels"].array.map { level in
                        [
                            "mechanism": level["mechanism"], "eta": level["eta"], "retention": level["retention_uniform"],
                            "retentionByFrequency": level["retention_by_frequency"],
                        ]
                    }),
                "certificates": .array(
                    one["certificates"]["levels"].array.map { certificate in
                        .object(Dictionary(uniqueKeysWithValues: certificate.object.map { (camelCase($0), $1) }))
                    }),
            ]
        }
    }

    @Test("a bad table is refused")
    func badTables() throws {
        try check(Reference.vectors("table")["bad"].array) { one in
            let bytes = try #require(Data(base64Encoded: one["bytes"].string ?? ""))
            return code { try TextVeil(table: bytes) }
        } expected: { $0["error"] }
    }

    @Test("η and ε out of range are refused, those on the edge are not")
    func strengths() throws {
        try check(Reference.vectors("errors")["privacy"].array) { one in
            let veil = try Reference.veil(one["table"])
            let asked = Options(mechanism: .exponential, epsilon: one["epsilon"].number, eta: one["eta"].number)
            return code { try veil.guarantee(asked) }
        } expected: { $0["error"] }
    }

    @Test("every mechanism for words draws the reference’s, one after the other from one keystream")
    func draws() throws {
        try check(Reference.vectors("mechanisms")["cases"].array) { one in
            let inputs = one["inputs"].array.compactMap(\.number).map { UInt32($0) }
            let veil = try Reference.veil(one["table"])
            return .array(try veil.drawSeeded(rows: inputs, options: Options(one), seed: seed(one)).map { JSON($0) })
        } expected: { $0["outputs"] }
    }

    @Test("every mechanism for words has the reference’s guarantee")
    func guarantees() throws {
        try check(Reference.vectors("mechanisms")["cases"].array) { one in
            guaranteed(try Reference.veil(one["table"]).guarantee(Options(one)), one, promised(one))
        } expected: { promised($0) }
    }

    @Test("every representation is the reference’s, with its guarantee")
    func representations() throws {
        let all = try Reference.vectors("representations")
        try check(all["cases"].array + all["whole_texts"].array) { one in
            let drawn = try represented(one)
            let expected = reference(one)
            // The length of a unit vector is calibrated; every other step is exact.
            let margin = one["mechanism"] == .string("privunit2") ? calibrated : 0
            let found: [JSON] = drawn.bits?.map { .string(digits($0)) } ?? (drawn.vectors ?? []).enumerated().map { at, row in
                .array(
                    row.enumerated().map { place, x in
                        guard at < expected.count, case .array(let row) = expected[at], place < row.count else { return .null }
                        return settled(x, row[place], margin * abs(x))
                    })
            }
            return ["rows": .array(found), "guarantee": guaranteed(drawn.guarantee, one, one["guarantee"])]
        } expected: { one in
            ["rows": .array(reference(one)), "guarantee": one["guarantee"]]
        }
    }

    @Test("every choice is reported as by the reference, with its guarantee and claim")
    func choices() throws {
        let veil = try Reference.veil(.null)
        try check(Reference.vectors("choices")["cases"].array) { one in
            let (index, size) = (try whole(one["value"]), try whole(one["size"]))
            let report = try veil.choiceSeeded(index: index, size: size, options: ChoiceOptions(one), seed: seed(one))
            let claim: JSON? = report.guarantee.claim.map { claim in
                ["epsilon": .number(claim.epsilon), "delta": .number(claim.delta), "holds": .bool(claim.holds)]
            }
            return [
                "bits": .string(digits(report.values)), "guarantee": guaranteed(report.guarantee, one, one["guarantee"]),
                "unit": .string(report.guarantee.unit.rawValue), "claim": claim ?? .null,
            ]
        } expected: { one in
            ["bits": one["bits"], "guarantee": one["guarantee"], "unit": .string("value"), "claim": one["claim"]]
        }
    }

    @Test("a release of words is remembered by the reference’s key")
    func keysOfWords() throws {
        try check(Reference.vectors("keys")["words"].array) { one in
            let (veil, options) = (try Reference.veil(one["table"]), try Options(one))
            return .string(try veil.key(text: one["text"].string ?? "", options: options, field: one["field"].string))
        } expected: { $0["key"] }
    }

    @Test("a representation is remembered by the reference’s key")
    func keysOfRepresentations() throws {
        let keys = try Reference.vectors("keys")
        try check(keys["whole_texts"].array) { one in
            .string(try textVectors(one).key(text: one["text"].string ?? "", field: one["field"].string))
        } expected: { $0["key"] }
        try check(keys["texts"].array + keys["vectors"].array) { one in
            let (veil, options) = (try Reference.veil(one["table"]), try RepresentationOptions(one))
            let field = one["field"].string
            return .string(
                one["vectors"].isNull
                    ? try veil.representationKey(text: one["text"].string ?? "", options: options, field: field)
                    : try veil.representationOfKey(vectors: TextVeil.packed(vectors(one)), options: options, field: field))
        } expected: { $0["key"] }
    }

    @Test("an answer is remembered by the reference’s key")
    func keysOfChoices() throws {
        let veil = try Reference.veil(.null)
        try check(Reference.vectors("keys")["choices"].array) { one in
            let (index, size) = (try whole(one["value"]), try whole(one["size"]))
            let question = one["question"].string ?? ""
            return .string(try veil.choiceKey(index: index, size: size, question: question, options: ChoiceOptions(one)))
        } expected: { $0["key"] }
    }

    @Test("what cannot be a choice is refused, what just can is not")
    func refusedChoices() throws {
        let veil = try Reference.veil(.null)
        try check(Reference.vectors("choices")["refused"].array) { one in
            let (index, size, options) = (try whole(one["value"]), try whole(one["size"]), try ChoiceOptions(one))
            return code { try veil.choice(Int(index), of: Int(size), question: "any", options: options) }
        } expected: { $0["error"] }
    }

    @Test("what a mechanism cannot do for words is refused, what it just can is not")
    func refusedWords() throws {
        try check(Reference.vectors("refusals")["words"].array) { one in
            let (veil, options) = (try Reference.veil(one["table"]), try Options(one))
            return code { try veil.privatize("", options: options) }
        } expected: { $0["error"] }
    }

    @Test("what cannot represent a whole text is refused, what just can is not")
    func refusedWholeTexts() throws {
        // The object has one mechanism, and no dropout.
        let cases = try Reference.vectors("refusals")["whole_texts"].array.filter { one in
            guard case .object(let options) = one["options"] else { return false }
            return one["mechanism"] == .string("privunit2") && one["dropout"].isNull && Array(options.keys) == ["epsilon"]
        }
        #expect(cases.count > 8)
        try check(cases) { one in code { try textVectors(one).representation("") } } expected: { $0["error"] }
    }

    @Test("what a mechanism cannot do for the representation of a text is refused, what it just can is not")
    func refusedTexts() throws {
        try check(Reference.vectors("refusals")["texts"].array) { one in
            let (veil, options) = (try Reference.veil(one["table"]), try RepresentationOptions(one))
            return code { try veil.representation(one["text"].string ?? "", options: options) }
        } expected: { $0["error"] }
    }

    @Test("what a mechanism cannot do with vectors is refused, what it just can is not")
    func refusedVectors() throws {
        let veil = try Reference.veil(.null)
        try check(Reference.vectors("refusals")["vectors"].array) { one in
            let options = try RepresentationOptions(one)
            return code { try veil.representation(of: vectors(one), options: options) }
        } expected: { $0["error"] }
    }

    @Test("a device answers the reference’s integers once, with its guarantee")
    func contributions() throws {
        let asked = Dictionary(
            uniqueKeysWithValues: try Reference.vectors("contributions")["requests"].array.map { ($0["name"].string ?? "", $0) })
        let request = { (one: JSON) in try #require(asked[one["request"].string ?? ""]) }
        try check(Reference.vectors("contributions")["cases"].array) { one in
            let asked = try request(one)
            let contributor = try Contributor(asked["request"].string ?? "", table: Reference.table(asked["table"].string ?? ""), trustedSum: true)
            let (texts, epsilon) = (one["texts"].array.compactMap(\.string), one["epsilon"].number)
            let given = try contributor.contributeSeeded(texts: texts, epsilon: epsilon, seed: seed(one))
            let rho = given.guarantee.rho
            // A device draws noise from the known seed only where devices add it.
            let (promised, isDrawn) = (try contributor.guarantee(epsilon: epsilon), given.guarantee.noise != .sum)
            #expect((promised == given.guarantee) == !isDrawn)
            #expect(given.guarantee.knownSeed == isDrawn)
            return [
                "vector": .array(given.vector.map { .number(Double($0)) }), "id": .string(given.id), "bits": JSON(given.bits),
                "largest": JSON(given.largest), "rho": settled(rho, one["rho"], 1e-9 * rho),
                "again": code { try contributor.contribute(texts) },
            ]
        } expected: { one in
            let asked = try request(one)
            return [
                "vector": one["vector"], "id": asked["id"], "bits": asked["bits"], "largest": asked["largest"], "rho": one["rho"],
                "again": .string("already-contributed"),
            ]
        }
    }

    @Test("a request that breaks a rule, and a budget above the request’s, are refused as by the reference")
    func refusedContributions() throws {
        try check(Reference.vectors("contributions")["refused"].array) { one in
            let text = String(repeating: one["unit"].string ?? "", count: Int(one["times"].number ?? 0))
            let table = try Reference.table(one["table"].string ?? "")
            return code { try Contributor(one["request"].string ?? "", table: table, trustedSum: true).contribute([text], epsilon: one["epsilon"].number) }
        } expected: { $0["error"] }
    }

    @Test("a guarantee is described as by the reference, in every language")
    func descriptions() throws {
        let described = try Reference.vectors("describe", as: Described.self).cases
        #expect(!described.isEmpty)
        for one in described {
            let told = ["en", "de", "fr", "es"].map { one.guarantee.describe($0) } + [one.guarantee.describe()]
            #expect(told == [one.en, one.de, one.fr, one.es, one.en])
        }
    }

    @Test("a release without what a detector found is the reference’s, with what its guarantee says is public")
    func redactions() throws {
        try check(Reference.vectors("redaction")["cases"].array) { one in
            let veil = try Reference.veil(one["table"])
            let release = try veil.privatizeSeeded(
                text: one["text"].string ?? "", options: redaction(one), seed: seed(one), detected: detected(one))
            let list = { (list: WordList?) -> JSON in
                list.map { ["words": JSON($0.words), "digest": .string($0.digest)] } ?? .null
            }
            return [
                "release": .string(release.text), "words": JSON(release.guarantee.words),
                "clear": .array(release.guarantee.clear.map { .string($0.rawValue) }),
                "kept": list(release.guarantee.keptWords), "never": list(release.guarantee.neverSaid),
            ]
        } expected: { one in
            [
                "release": one["release"], "words": one["private_tokens"], "clear": one["clear"],
                "kept": one["kept_words"], "never": one["never_said"],
            ]
        }
    }

    @Test("spans and lists that are none are refused as by the reference")
    func redactionRefusals() throws {
        try check(Reference.vectors("redaction")["refusals"].array) { one in
            let veil = try Reference.veil(one["table"])
            let options = redaction(one)
            return code {
                try veil.privatize(text: one["text"].string ?? "", options: options, field: nil, detected: detected(one))
            }
        } expected: { one in
            one["error"]
        }
    }

    @Test("a text is refused one byte beyond the limit")
    func longTexts() throws {
        try check(Reference.vectors("errors")["texts"].array) { one in
            let text = String(repeating: one["unit"].string ?? "", count: Int(one["times"].number ?? 0))
            let veil = try Reference.veil(.string("odd.tvt"))
            return code { try veil.privatize(text, options: Options(mechanism: .exponential, eta: 1)) }
        } expected: { $0["error"] }
    }

    @Test("a text of another language is refused unless any language is asked for", arguments: [false, true])
    func languages(any: Bool) throws {
        try check(Reference.vectors("release_english")["languages"].array) { one in
            let options = Options(mechanism: .exponential, eta: 2, anyLanguage: any)
            let veil = try Reference.veil(one["table"])
            return code { try veil.privatize(one["text"].string ?? "", options: options) }
        } expected: { any ? .null : $0["error"] }
    }
}

/// Guarantees and their descriptions.
private struct Described: Decodable {
    struct Case: Decodable { let guarantee: Guarantee, en, de, fr, es: String }

    let cases: [Case]
}

/// What is searched for is found to within this share of it.
private let calibrated = 1e-5

private func released(_ one: JSON) throws -> Release {
    let options = Options(
        mechanism: try named(one), eta: one["eta"].number,
        keepFunctionWords: one["options"]["keep_function_words"].bool ?? false,
        placeholders: one["options"]["placeholders"].bool ?? false,
        plainLayout: one["options"]["plain_layout"].bool ?? false,
        asDrawn: one["options"]["as_drawn"].bool ?? false,
        anyLanguage: one["options"]["any_language"].bool ?? false)
    let veil = try Reference.veil(one["table"])
    return try veil.privatizeSeeded(text: one["text"].string ?? "", options: options, seed: seed(one))
}

/// What a detector found in a case, if there was one.
private func detected(_ one: JSON) -> Detected? {
    guard one["spans"] != .null else { return nil }
    let spans = one["spans"].array.map { span in
        DetectedSpan(
            start: UInt64(span.array[0].number ?? 0), end: UInt64(span.array[1].number ?? 0), kind: span.array[2].string ?? "")
    }
    return Detected(offsets: .codePoints, spans: spans)
}

/// The options of a case of `redaction.json`, by the mechanism that all of them have.
private func redaction(_ one: JSON) -> Options {
    let given = { (name: String) in one["options"][name].bool ?? false }
    return Options(
        mechanism: .exponential, eta: one["eta"].number ?? 1.0, keepFunctionWords: given("keep_function_words"),
        placeholders: given("placeholders"), keepWords: one["keep_words"].array.compactMap(\.string),
        neverSay: one["never_say"].array.compactMap(\.string), plainLayout: given("plain_layout"),
        asDrawn: given("as_drawn"), anyLanguage: true)
}

private func named(_ one: JSON) throws -> Mechanism {
    try #require(Mechanism(rawValue: one["mechanism"].string ?? ""))
}

private func whole(_ value: JSON) throws -> UInt32 {
    UInt32(try #require(value.number))
}

/// What represents the whole texts of a case.
private func textVectors(_ one: JSON) throws -> TextVectors {
    let epsilon = try #require(one["options"]["epsilon"].number ?? Double(one["options"]["epsilon"].string ?? ""))
    let encoder = try Reference.table(#require(one["encoder"].string))
    return try TextVectors(encoder, epsilon: epsilon, dimensions: one["dims"].number.map { Int($0) })
}

/// The representation that a case asks for, from the keystream of its seed.
private func represented(_ one: JSON) throws -> Representation {
    let text = one["text"].string ?? ""
    if !one["encoder"].isNull { return try textVectors(one).representationSeeded(text: text, seed: seed(one)) }
    let (veil, options) = (try Reference.veil(one["table"]), try RepresentationOptions(one))
    return one["vectors"].isNull
        ? try veil.representationSeeded(text: text, options: options, seed: seed(one))
        : try veil.representationOfSeeded(vectors: TextVeil.packed(vectors(one)), options: options, seed: seed(one))
}

private func vectors(_ one: JSON) -> [[Double]] {
    one["vectors"].array.map { $0.array.compactMap(\.number) }
}

/// The rows that are expected: digits, or integers times their scale.
private func reference(_ one: JSON) -> [JSON] {
    guard one["bits"].isNull else { return one["bits"].array }
    let scale = one["scale"].number ?? 0
    return one["integers"].array.map { row in .array(row.array.map { .number(scale * ($0.number ?? .nan)) }) }
}

/// The bits of a row, as the vectors write them.
private func digits(_ bits: [Bool]) -> String {
    String(bits.map { $0 ? "1" : "0" })
}

/// What the reference promises of one word.
private func promised(_ one: JSON) -> JSON {
    one["guarantees"].array.first { $0["words"] == .number(1) } ?? .null
}

/// The numbers of a guarantee. A number within the vectors' accuracy becomes the expected one; `null` where none is expected.
private func guaranteed(_ found: Guarantee, _ one: JSON, _ expected: JSON) -> JSON {
    let sampled = ["gaussian", "truncated-laplace"].contains(one["mechanism"].string)
    let accuracy = sampled && one["options"]["calibration"] == .string("published") ? calibrated : 2e-8
    let number = { (name: String, value: Double, growth: Double) -> JSON in
        guard let wanted = expected[name].number else { return .null }
        return settled(value, expected[name], accuracy * growth * wanted + .ulpOfOne)
    }
    return [
        "words": JSON(found.words),
        "epsilon_word": number("epsilon_word", found.epsilonWord, 1),
        "delta_word": number("delta_word", found.deltaWord, 1),
        "epsilon_text": number("epsilon_text", found.epsilonText, 1),
        // The δ of a text grows with e^(ε of the text).
        "delta_text": number("delta_text", found.deltaText, 1 + found.epsilonText),
    ]
}

/// A number as the one expected if it is that to within `margin`.
private func settled(_ found: Double, _ expected: JSON, _ margin: Double) -> JSON {
    guard let wanted = expected.number, abs(found - wanted) <= margin else { return .number(found) }
    return expected
}

private func camelCase(_ name: String) -> String {
    let words = name.split(separator: "_")
    return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
}

/// The numbers of a certificate by name.
private func members(_ certificate: Certificate) -> JSON {
    .object(
        Dictionary(
            uniqueKeysWithValues: Mirror(reflecting: certificate).children.compactMap { child in
                child.label.map { ($0, JSON(child.value as? Double)) }
            }))
}

extension Options {
    /// What a vector asks for.
    fileprivate init(_ one: JSON) throws {
        let given = Given(one)
        self.init(
            mechanism: try named(one), calibration: given.calibration, level: given["level"],
            epsilon: given["epsilon"], eta: given["eta"], delta: given["delta"], clip: given["clip"],
            lambda: given["lambda"], gamma: given["gamma"], t: given["t"], integerBits: given["integer_bits"],
            fractionBits: given["fraction_bits"], tilt: given["tilt"], mass: given["mass"],
            frequencyPower: given["frequency_power"], preset: given.preset,
            keepFunctionWords: one["keep_function_words"].bool ?? false,
            placeholders: one["placeholders"].bool ?? false,
            plainLayout: one["plain_layout"].bool ?? false,
            asDrawn: one["as_drawn"].bool ?? false)
    }
}

extension RepresentationOptions {
    fileprivate init(_ one: JSON) throws {
        let given = Given(one)
        let dropout: Dropout? =
            if let rate = one["dropout"]["bernoulli"].number {
                .random(rate: rate)
            } else if let rate = one["dropout"]["fixed"].number {
                .fixed(rate: rate)
            } else if !one["dropout"]["mask"].isNull {
                .mask(mask: one["dropout"]["mask"].array.compactMap(\.bool))
            } else {
                nil
            }
        self.init(
            mechanism: try named(one), calibration: given.calibration, level: given["level"],
            epsilon: given["epsilon"], eta: given["eta"], delta: given["delta"],
            clip: one["clip"].number ?? given["clip"], lambda: given["lambda"], gamma: given["gamma"], t: given["t"],
            integerBits: given["integer_bits"], fractionBits: given["fraction_bits"], tilt: given["tilt"], mass: given["mass"],
            frequencyPower: given["frequency_power"],
            unit: PrivacyUnit(rawValue: one["unit"].string ?? ""), dropout: dropout)
    }
}

extension ChoiceOptions {
    fileprivate init(_ one: JSON) throws {
        let given = Given(one)
        self.init(
            mechanism: try named(one), calibration: given.calibration, level: given["level"],
            epsilon: given["epsilon"], eta: given["eta"], delta: given["delta"], clip: given["clip"],
            lambda: given["lambda"], gamma: given["gamma"], t: given["t"], integerBits: given["integer_bits"],
            fractionBits: given["fraction_bits"], tilt: given["tilt"], mass: given["mass"],
            frequencyPower: given["frequency_power"])
    }
}

/// The parameters that a vector gives.
private struct Given {
    let calibration: Calibration?
    let preset: Preset?
    private let options: JSON

    init(_ one: JSON) {
        options = one["options"]
        calibration = options["calibration"].string.flatMap(Calibration.init(rawValue:))
        preset = options["preset"].string.flatMap(Preset.init(rawValue:))
    }

    subscript(name: String) -> Double? { options[name].number }
}
