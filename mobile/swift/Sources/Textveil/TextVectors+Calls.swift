import Foundation

// The calls of vectors of whole texts by Swift's names and with their usual arguments.

extension TextVectors {
    /// With the file of a text encoder: `english-text.tvt`, which the app has among its resources, or one for the subject of
    /// the texts, as `textveil table project` makes it.
    ///
    /// `epsilon` is that of a text, in nats. `dimensions` says how many of the encoder's first coordinates are noised, from 3
    /// up: without it 16, or all of an encoder that has fewer.
    ///
    /// - Throws: ``TextVeilError/BadTable(message:)``; ``TextVeilError/OtherEncoder(message:)`` for a table that is no text
    ///   encoder; `InvalidEpsilon` unless ε is above 0; `DimensionMismatch` for no dimension, or more than the encoder has;
    ///   `NotOffered` for one or two.
    public convenience init(_ encoder: Data, epsilon: Double = 8, dimensions: Int? = nil) throws(TextVeilError) {
        let vectors = try refusals {
            try TextVectors(encoder: encoder, epsilon: epsilon, dims: dimensions.map { UInt32(clamping: $0) })
        }
        self.init(unsafeFromHandle: vectors.uniffiCloneHandle())
    }

    /// Represents a whole text by one noisy vector. The same text for the same field gives the very same vector for the life
    /// of the object. `field` is any name of what the text is for, such as that of the form's field, and stays here: each field
    /// is drawn for itself, as equal vectors for two fields would show that their texts are equal.
    ///
    /// A text that is both represented and exchanged has been released twice, and the losses add up.
    public func representation(_ text: String, field: String? = nil) throws(TextVeilError) -> Representation {
        try refusals { try representation(text: text, field: field) }
    }
}

extension TextVectors {
    /// The same as the initializer, on a background queue: the file of an encoder is large.
    public static func load(_ encoder: Data, epsilon: Double = 8, dimensions: Int? = nil) async throws -> TextVectors {
        try await inBackground { try TextVectors(encoder, epsilon: epsilon, dimensions: dimensions) }
    }

    /// Represents a whole text on a background queue.
    public func representation(_ text: String, field: String? = nil) async throws -> Representation {
        try await inBackground { try self.representation(text: text, field: field) }
    }
}
