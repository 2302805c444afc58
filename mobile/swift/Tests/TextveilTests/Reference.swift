import Foundation
import Testing

@testable import Textveil

/// What the reference has written: `tests/vectors` and `tests/tables`, and objects over those tables.
enum Reference {
    private static let tests: URL = {
        let path = ProcessInfo.processInfo.environment["TEXTVEIL_TESTS"]
        return URL(fileURLWithPath: path ?? "../../tests", isDirectory: true)
    }()

    /// A file of golden vectors.
    static func vectors(_ name: String) throws -> JSON { try vectors(name, as: JSON.self) }

    /// The same as a type of its own.
    static func vectors<Vectors: Decodable>(_ name: String, as kind: Vectors.Type) throws -> Vectors {
        let file = tests.appendingPathComponent("vectors/\(name).json")
        return try JSONDecoder().decode(kind, from: Data(contentsOf: file))
    }

    /// The bytes of a table.
    static func table(_ name: String) throws -> Data {
        let english = tests.appendingPathComponent("../core/data/english.tvt")
        return try Data(contentsOf: name == "english.tvt" ? english : tests.appendingPathComponent("tables/\(name)"))
    }

    /// A list of answers.
    static func answers() throws -> Data {
        try Data(contentsOf: tests.appendingPathComponent("data/answers.tvs"))
    }

    /// Statements of the list that comes with the project.
    static func feedback(epsilon: Double) throws -> Statements {
        let files = try ["statements/product-feedback.tvs", "tables/data/english-text.tvt"].map {
            try Data(contentsOf: tests.appendingPathComponent("../\($0)"))
        }
        return try Statements(files[0], encoder: files[1], epsilon: epsilon)
    }

    private static let tables: [String: Result<TextVeil, any Error>] = Dictionary(
        uniqueKeysWithValues: ["classes.tvt", "line.tvt", "mend.tvt", "odd.tvt", "one.tvt", "toy.tvt", "english.tvt"].map { name in
            (name, Result { name == "english.tvt" ? try TextVeil() : try TextVeil(table: table(name)) })
        })

    /// An object over the table that a vector names; without a name over the one that the library carries.
    static func veil(_ table: JSON) throws -> TextVeil {
        try #require(tables[table.string ?? "english.tvt"]).get()
    }

    /// The words of the small tables, by row.
    static let words: [String: [String]] = {
        let tables = (try? vectors("table")["good"].array) ?? []
        return Dictionary(
            uniqueKeysWithValues: tables.map { ($0["file"].string ?? "", $0["words"].array.map { $0.string ?? "" }) })
    }()
}

/// The seed of a case: 32 bytes.
func seed(_ one: JSON) -> Data { bytes(one["seed"]) }

/// Bytes from their hexadecimal digits.
func bytes(_ digits: JSON) -> Data {
    let digits = Array(digits.string ?? "")
    return Data(stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0..<$0 + 2]), radix: 16) })
}

/// The code of the error that `work` throws, or `null`.
func code<Result>(_ work: () throws -> Result) -> JSON {
    do {
        _ = try work()
        return .null
    } catch let error as TextVeilError {
        return .string(error.code)
    } catch {
        return .string("\(error)")
    }
}

/// Holds what the module makes of each case against what the reference says.
func check(
    _ cases: [JSON], at place: SourceLocation = #_sourceLocation, found: (JSON) throws -> JSON,
    expected: (JSON) throws -> JSON
) throws {
    #expect(!cases.isEmpty, sourceLocation: place)
    for one in cases {
        let (result, reference) = (try found(one), try expected(one))
        #expect(result == reference, "\(String(describing: one).prefix(300))", sourceLocation: place)
    }
}
