import Foundation

/// A JSON value: what the golden vectors hold, and what is held against them.
enum JSON: Equatable, Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSON].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSON].self))
        }
    }

    /// A member; `null` where it is missing.
    subscript(name: String) -> JSON {
        guard case .object(let members) = self else { return .null }
        return members[name] ?? .null
    }

    var isNull: Bool { self == .null }

    var bool: Bool? {
        guard case .bool(let bool) = self else { return nil }
        return bool
    }

    var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// A number, also one that is written as a string because JSON knows no NaN and no infinity.
    var number: Double? {
        switch self {
        case .number(let number): number
        case .string(let string): Double(string)
        default: nil
        }
    }

    var array: [JSON] {
        guard case .array(let array) = self else { return [] }
        return array
    }

    var object: [String: JSON] {
        guard case .object(let members) = self else { return [:] }
        return members
    }

    init(_ string: String?) { self = string.map(JSON.string) ?? .null }
    init(_ number: Double?) { self = number.map(JSON.number) ?? .null }
    init(_ number: UInt32) { self = .number(Double(number)) }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    init(dictionaryLiteral members: (String, JSON)...) { self = .object(Dictionary(uniqueKeysWithValues: members)) }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
}
