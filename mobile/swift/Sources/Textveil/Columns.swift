import Foundation

// Lists of texts of many people.

/// The releases of a list of texts.
public struct Releases: Equatable, Sendable {
    /// The released texts, in the order of the list; `nil` where it had none.
    public let texts: [String?]
    /// What is promised of the text with the most private words; every text keeps it.
    public let guarantee: Guarantee

    init(_ texts: [String?], _ released: ReleaseColumn) {
        self.texts = released.column.unpacked(texts)
        guarantee = released.guarantee
    }
}

extension TextVeil {
    /// Privatizes a list of texts of many people on `threads` threads (0: as many as the machine has), each a release of its own.
    ///
    /// Nothing is remembered, and equal texts are drawn each for itself: equal releases would show that two people wrote the same.
    /// **So a second call spends again.** Texts of the same person add up. A text that is refused fails the whole list:
    /// ``TextVeil/refusedRow(_:options:)`` finds it.
    public func privatizeAll(
        _ texts: [String?], options: Options = Options(), threads: Int = 0
    ) throws(TextVeilError) -> Releases {
        try refusals {
            Releases(texts, try privatizeColumn(column: TextColumn(texts), options: options, threads: count(threads)))
        }
    }

    /// The same on a background queue.
    public func privatizeAll(
        _ texts: [String?], options: Options = Options(), threads: Int = 0
    ) async throws -> Releases {
        try await inBackground {
            Releases(texts, try self.privatizeColumn(column: TextColumn(texts), options: options, threads: count(threads)))
        }
    }

    /// The first text of a list that ``TextVeil/privatizeAll(_:options:threads:)`` refuses on these terms, by its place. `nil` if it
    /// refuses none, or the terms themselves. **For the device only**, where somebody looks for it.
    public func refusedRow(_ texts: [String?], options: Options = Options()) -> Int? {
        refusedRow(column: TextColumn(texts), options: options).map { Int($0) }
    }
}

extension Statements {
    /// Exchanges a list of texts of many people on `threads` threads (0: as many as the machine has), each a release of its own.
    /// Nothing is remembered, as with ``TextVeil/privatizeAll(_:options:threads:)``.
    public func privatizeAll(_ texts: [String?], threads: Int = 0) throws(TextVeilError) -> Releases {
        try refusals { Releases(texts, try privatizeColumn(column: TextColumn(texts), threads: count(threads))) }
    }

    /// The same on a background queue.
    public func privatizeAll(_ texts: [String?], threads: Int = 0) async throws -> Releases {
        try await inBackground {
            Releases(texts, try self.privatizeColumn(column: TextColumn(texts), threads: count(threads)))
        }
    }
}

extension Statements {
    /// The first text of a list that ``Statements/privatizeAll(_:threads:)`` refuses, as ``TextVeil/refusedRow(_:options:)``.
    public func refusedRow(_ texts: [String?]) -> Int? {
        refusedRow(column: TextColumn(texts)).map { Int($0) }
    }
}

extension TextColumn {
    /// The texts behind each other in UTF-8, and where each begins.
    fileprivate init(_ texts: [String?]) {
        var (text, offsets) = (Data(), Data())
        let mark = { (offsets: inout Data, end: Int) in
            withUnsafeBytes(of: Int64(end).littleEndian) { offsets.append(contentsOf: $0) }
        }
        mark(&offsets, 0)
        for row in texts {
            text.append(contentsOf: (row ?? "").utf8)
            mark(&offsets, text.count)
        }
        self.init(text: text, offsets: offsets)
    }

    fileprivate func unpacked(_ texts: [String?]) -> [String?] {
        let ends = offsets.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: MemoryLayout<Int64>.size).map { place in
                Int(Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int64.self)))
            }
        }
        let bytes = [UInt8](text)
        return texts.enumerated().map { row, text in
            text.map { _ in String(decoding: bytes[ends[row]..<ends[row + 1]], as: UTF8.self) }
        }
    }
}
