import Foundation

// The calls of contributions by Swift's names and with their usual arguments.

extension Contributor {
    /// With the request as the collector has published it (JSON), and the file of the table that it names. Without a table, it
    /// is the English one that the library carries. With `trustedSum` it also answers a request whose noise is added to the
    /// sum, or shared by more than 10,000 devices: the answer then holds no noise, or next to none.
    ///
    /// - Throws: `NoiseElsewhere` for such a request if the sum is not trusted; ``TextVeilError/BadRequest(message:)``; ``TextVeilError/OtherTable(message:)`` if the request names another
    ///   table; `BadTable`.
    public convenience init(_ request: String, table: Data? = nil, trustedSum: Bool = false) throws(TextVeilError) {
        let contributor = try refusals { try Contributor(request: request, table: table, trustedSum: trustedSum) }
        self.init(unsafeFromHandle: contributor.uniffiCloneHandle())
    }

    /// Answers the request from all texts of the user. A user without anything to say answers as well, with `[]`. A text longer
    /// than 1 MiB is left out. After an error nothing was answered. `epsilon` is the user's own budget in nats, at most the request's.
    ///
    /// - Throws: ``TextVeilError/AlreadyContributed(message:)`` after an answer; `InvalidEpsilon`,
    ///   `EntropyUnavailable`.
    public func contribute(_ texts: [String], epsilon: Double? = nil) throws(TextVeilError) -> Contribution {
        try refusals { try contribute(texts: texts, epsilon: epsilon) }
    }
}

extension Contributor {
    /// The same as the initializer, on a background queue.
    public static func load(_ request: String, table: Data? = nil, trustedSum: Bool = false) async throws -> Contributor {
        try await inBackground { try Contributor(request, table: table, trustedSum: trustedSum) }
    }

    /// Answers the request on a background queue.
    public func contribute(_ texts: [String], epsilon: Double? = nil) async throws -> Contribution {
        try await inBackground { try self.contribute(texts: texts, epsilon: epsilon) }
    }
}
