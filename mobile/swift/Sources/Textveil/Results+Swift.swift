import Foundation

// What results look like in Swift.

extension Representation {
    /// The noisy vectors, one for each word or a single one; `nil` if the mechanism gives bits.
    public var vectors: [[Double]]? {
        guard case .vectors(let rows) = values else { return nil }
        return rows.map { row in
            row.withUnsafeBytes { bytes in
                stride(from: 0, to: bytes.count, by: MemoryLayout<UInt64>.size).map { offset in
                    let pattern = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    return Double(bitPattern: UInt64(littleEndian: pattern))
                }
            }
        }
    }

    /// The noisy bits, a row for each word or a single one; `nil` if the mechanism gives vectors.
    public var bits: [[Bool]]? {
        guard case .bits(let rows, let bitLength) = values else { return nil }
        return rows.map { $0.bits(bitLength) }
    }
}

extension ChoiceReport {
    /// A noisy bit for each value of the list, in its order.
    public var values: [Bool] { bits.bits(bitLength) }
}

extension Data {
    /// The first `length` bits, the first of a byte in its highest place.
    fileprivate func bits(_ length: UInt32) -> [Bool] {
        let all = flatMap { (byte: UInt8) -> [Bool] in (0..<8).map { byte >> (7 - $0) & 1 == 1 } }
        return Array(all.prefix(Int(length)))
    }
}

extension Release: Encodable {
    private enum CodingKeys: CodingKey { case text, guarantee }

    /// What may be sent. The account stays: it holds the words typed.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(text, forKey: .text)
        try members.encode(guarantee, forKey: .guarantee)
    }
}

extension StatementRelease: Encodable {
    private enum CodingKeys: CodingKey { case text, guarantee, statements }

    /// As the JavaScript package writes it.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(text, forKey: .text)
        try members.encode(guarantee, forKey: .guarantee)
        try members.encode(statements, forKey: .statements)
    }
}

extension Statement: Encodable {
    private enum CodingKeys: CodingKey { case number, text }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(number, forKey: .number)
        try members.encode(text, forKey: .text)
    }
}

/// A debugger and `dump` show what may be sent, too.
extension Release: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["text": text, "guarantee": guarantee]) }
}

/// Its vector is for the sum alone: without noise, it tells what was written.
extension Contribution: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "guarantee": guarantee]) }
}

/// Results that are for the device only. A debugger and `dump` show nothing of their content.
protocol ForTheDevice: CustomReflectable {}

extension ForTheDevice {
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Entry: ForTheDevice {}
extension Alternative: ForTheDevice {}
extension Alternatives: ForTheDevice {}
extension TokenDeniability: ForTheDevice {}

extension Guarantee {
    /// What the guarantee means for the person at the keyboard, in one to three short sentences, rounded up.
    ///
    /// `locale` is a BCP 47 tag or `Locale.current.identifier`. Only its language counts: English, German, French or
    /// Spanish. Any other gives English.
    public func describe(_ locale: String) -> String { describe(locale: locale) }
}

/// As the JavaScript package writes it, so that a server reads one form.
extension Guarantee: Codable {
    private enum CodingKeys: CodingKey {
        case mechanism, calibration, parameters, notion, unit, neighbours, eta, metric, cutoff, epsilonWord, deltaWord, words
        case epsilonText, deltaText, claim, exactSampler, totalVariation, clear, table, statement, keptWords, neverSaid
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(mechanism, forKey: .mechanism)
        try members.encode(calibration, forKey: .calibration)
        let named = parameters.map { parameter, value in (parameter.rawValue, value) }
        try members.encode(Dictionary(uniqueKeysWithValues: named), forKey: .parameters)
        try members.encode(notion, forKey: .notion)
        try members.encode(unit, forKey: .unit)
        try members.encode(neighbours, forKey: .neighbours)
        try members.encode(eta, forKey: .eta)
        try members.encode(metric, forKey: .metric)
        try members.encode(cutoff, forKey: .cutoff)
        try members.encode(epsilonWord, forKey: .epsilonWord)
        try members.encode(deltaWord, forKey: .deltaWord)
        try members.encode(words, forKey: .words)
        try members.encode(epsilonText, forKey: .epsilonText)
        try members.encode(deltaText, forKey: .deltaText)
        try members.encode(claim, forKey: .claim)
        try members.encode(exactSampler, forKey: .exactSampler)
        try members.encode(totalVariation, forKey: .totalVariation)
        try members.encode(clear, forKey: .clear)
        try members.encode(table, forKey: .table)
        try members.encodeIfPresent(keptWords, forKey: .keptWords)
        try members.encodeIfPresent(neverSaid, forKey: .neverSaid)
        try members.encode(statement, forKey: .statement)
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let named = try members.decode([String: Double].self, forKey: .parameters)
        let parameters = try named.map { name, value in
            guard let parameter = Parameter(rawValue: name) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .parameters, in: members, debugDescription: "no parameter is named \(name)")
            }
            return (parameter, value)
        }
        self.init(
            mechanism: try members.decode(Mechanism.self, forKey: .mechanism),
            calibration: try members.decode(Calibration.self, forKey: .calibration),
            parameters: Dictionary(uniqueKeysWithValues: parameters),
            notion: try members.decode(Notion.self, forKey: .notion),
            unit: try members.decode(PrivacyUnit.self, forKey: .unit),
            neighbours: try members.decode(String.self, forKey: .neighbours),
            eta: try members.decode(Double?.self, forKey: .eta),
            metric: try members.decode(Metric?.self, forKey: .metric),
            cutoff: try members.decode(Double?.self, forKey: .cutoff),
            epsilonWord: try members.decode(Double.self, forKey: .epsilonWord),
            deltaWord: try members.decode(Double.self, forKey: .deltaWord),
            words: try members.decode(UInt32.self, forKey: .words),
            epsilonText: try members.decode(Double.self, forKey: .epsilonText),
            deltaText: try members.decode(Double.self, forKey: .deltaText),
            claim: try members.decode(Claim?.self, forKey: .claim),
            exactSampler: try members.decode(Bool.self, forKey: .exactSampler),
            totalVariation: try members.decode(Double.self, forKey: .totalVariation),
            clear: try members.decode([InTheClear].self, forKey: .clear),
            table: try members.decode(String?.self, forKey: .table),
            statement: try members.decode(String.self, forKey: .statement),
            keptWords: try members.decodeIfPresent(WordList.self, forKey: .keptWords),
            neverSaid: try members.decodeIfPresent(WordList.self, forKey: .neverSaid))
    }
}

extension WordList: Codable {
    private enum CodingKeys: CodingKey { case words, digest }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(words, forKey: .words)
        try members.encode(digest, forKey: .digest)
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(words: try members.decode(UInt32.self, forKey: .words), digest: try members.decode(String.self, forKey: .digest))
    }
}

extension Claim: Codable {
    private enum CodingKeys: CodingKey { case epsilon, delta, source, holds }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(epsilon, forKey: .epsilon)
        try members.encode(delta, forKey: .delta)
        try members.encode(source, forKey: .source)
        try members.encode(holds, forKey: .holds)
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            epsilon: try members.decode(Double.self, forKey: .epsilon),
            delta: try members.decode(Double.self, forKey: .delta),
            source: try members.decode(String.self, forKey: .source), holds: try members.decode(Bool.self, forKey: .holds))
    }
}
