import Foundation

// The same calls for `await`: they run on a background queue, so that neither the main thread nor Swift's own pool of
// threads waits for them.

extension TextVeil {
    /// The English table, read on a background queue: some tens of milliseconds, once in a program.
    public static func load() async throws -> TextVeil {
        try await inBackground { try TextVeil() }
    }

    /// With a table file, read on a background queue.
    public static func load(table bytes: Data) async throws -> TextVeil {
        try await inBackground { try TextVeil(table: bytes) }
    }

    /// The levels of the table, found on a background queue.
    public func levels() async throws -> [Level] {
        try await inBackground { try self.levels() }
    }

    /// The likeliest outcomes of a token, found on a background queue. **For the device only.**
    public func alternatives(to token: String, options: Options = Options(), k: Int = 10) async throws -> Alternatives {
        try await inBackground { try self.alternatives(token: token, options: options, k: count(k)) }
    }

    /// Privatizes a text on a background queue.
    public func privatize(
        _ text: String, options: Options = Options(), field: String? = nil, spans: [Span]? = nil
    ) async throws -> Release {
        let detected = spans.map { Detected(spans: $0, in: text) }
        return try await inBackground {
            try self.privatize(text: text, options: options, field: field, detected: detected)
        }
    }

    /// What protects each word of a text, found on a background queue. **For the device only.**
    public func deniability(of text: String, options: Options = Options()) async throws -> [TokenDeniability] {
        try await inBackground { try self.deniability(text: text, options: options) }
    }

    /// Represents a text on a background queue.
    public func representation(
        _ text: String, options: RepresentationOptions, field: String? = nil
    ) async throws -> Representation {
        try await inBackground { try self.representation(text: text, options: options, field: field) }
    }

    /// Represents vectors of any other encoder on a background queue.
    public func representation(
        of vectors: [[Double]], options: RepresentationOptions, field: String? = nil
    ) async throws -> Representation {
        try await inBackground {
            try self.representationOf(vectors: TextVeil.packed(vectors), options: options, field: field)
        }
    }
}

/// Runs `work` on a background queue; nothing is drawn for a task that has been cancelled before its turn.
func inBackground<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    let turn = Turn()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(
                    with: Swift.Result {
                        if turn.isCancelled { throw CancellationError() }
                        return try refusals(work)
                    })
            }
        }
    } onCancel: {
        turn.cancel()
    }
}

/// The turn of a task, which may be cancelled by any thread before it comes.
private final class Turn: @unchecked Sendable {
    private let lock = NSLock()
    private var cancelled = false

    var isCancelled: Bool { lock.withLock { cancelled } }

    func cancel() { lock.withLock { cancelled = true } }
}
