import Foundation

// The calls of whole texts by Swift's names and with their usual arguments.

extension Statements {
    /// With the file of a list (`.tvs`) and the file of the text encoder that it was made with: `english-text.tvt`, which
    /// the app has among its resources. Without an encoder, it takes vectors and choices alone.
    ///
    /// `epsilon` is that of one statement, in nats; without it 8, and 2 for a list of answers, which needs no encoder. `near`
    /// says how many statements are near to each text; without it, that follows from ε. `perSentence` says how many statements each text is exchanged for, one for each of its first
    /// sentences: each costs ε. With `anyLanguage`, texts of other languages than the encoder's are taken, too: without it,
    /// they are refused (`OtherLanguage`).
    ///
    /// - Throws: ``TextVeilError/BadStatements(message:)``, ``TextVeilError/BadTable(message:)``;
    ///   ``TextVeilError/OtherEncoder(message:)`` if the list was made with another encoder; `InvalidEpsilon` unless ε is
    ///   above 0 and at most 20; `InvalidMass` for such a `near`; `InvalidArgument` unless `perSentence` is from 1 to 32, and 1 for
    ///   answers.
    public convenience init(
        _ list: Data, encoder: Data? = nil, epsilon: Double? = nil, near: Int? = nil, perSentence: Int = 1,
        anyLanguage: Bool = false
    ) throws(TextVeilError) {
        let statements = try refusals {
            try Statements(
                list: list, encoder: encoder, epsilon: epsilon, near: near.map { UInt32(clamping: $0) },
                perSentence: UInt32(clamping: perSentence), anyLanguage: anyLanguage)
        }
        self.init(unsafeFromHandle: statements.uniffiCloneHandle())
    }

    /// Exchanges a whole text: the only thing that leaves the device should be the result's `text` (and its `guarantee`).
    ///
    /// The same text for the same field gives the very same release for the life of the object. `field` is any name of what
    /// the text is for, such as that of the form's field, and stays here: each field is drawn for itself, as equal releases
    /// for two fields would show that their texts are equal.
    public func privatize(_ text: String, field: String? = nil) throws(TextVeilError) -> StatementRelease {
        try refusals { try privatize(text: text, field: field) }
    }

    /// The same for the vectors that the app's own encoder gave: one for the text, or one for each sentence. Only their
    /// direction counts. The same vectors for the same field are drawn once.
    public func privatize(vectors: [[Double]], field: String? = nil) throws(TextVeilError) -> StatementRelease {
        try refusals { try privatizeVectors(vectors: TextVeil.packed(vectors), field: field) }
    }

    /// Exchanges a text by what a person chose for it, for example from what `suggest` gave: the number of one statement, or
    /// of one for each sentence. Nothing else of the text is used.
    ///
    /// The same text with the same choice is drawn once for a field. Another choice spends ε again. So does an edited text,
    /// and `privatize` without a choice.
    ///
    /// Whether a person has chosen says something of the text. So make the object with `anyLanguage` also for texts where
    /// none is chosen: then all releases have one guarantee.
    ///
    /// - Throws: `InvalidArgument` for more numbers than statements come out, or one that the list does not have;
    ///   `TextTooLong`; `EntropyUnavailable`.
    public func privatize(_ text: String, chosen: [UInt32], field: String? = nil) throws(TextVeilError) -> StatementRelease {
        try refusals { try privatizeChosen(text: text, chosen: chosen, field: field) }
    }

    /// What a person may have meant: the `count` statements nearest to a text, from 1 to 1000, the nearest first. After them
    /// comes the one for texts that fit nothing, if the list has one.
    ///
    /// An app shows them, and `privatize(_:chosen:)` exchanges the one that the person chooses. Nothing is drawn, and no
    /// language is refused. **For the device only**: they say more of the text than a release.
    ///
    /// - Throws: `OtherEncoder` without an encoder; `TextTooLong`; `InvalidArgument` for another `count`.
    public func suggest(_ text: String, count: Int = 5) throws(TextVeilError) -> [Statement] {
        try refusals { try suggest(text: text, count: UInt32(clamping: count)) }
    }

    /// The file of a list from its statements, each encoded by the text encoder whose file is given. The list is public.
    ///
    /// A string that begins with a space or a tab is another phrasing of the statement before it: a text that is near to it
    /// comes to that statement. Phrasings are never sent.
    ///
    /// `otherwise` is the statement for texts that fit nothing: those whose cosine to the nearest statement is below
    /// `leastCosine` (0.35 unless told).
    ///
    /// For a string that breaks a rule, the message of the error names its line, from 1, and the rule.
    public static func build(
        _ statements: [String], encoder: Data, otherwise: String? = nil, leastCosine: Double? = nil
    ) throws(TextVeilError) -> Data {
        try refusals {
            try buildStatements(statements: statements, encoder: encoder, otherwise: otherwise, leastCosine: leastCosine)
        }
    }

    /// The same with the vectors of the app's own encoder, one for each string. `encoderID` names that encoder: any 32
    /// bytes, such as a digest of its model.
    public static func build(
        _ statements: [String], vectors: [[Double]], encoderID: Data, otherwise: String? = nil, leastCosine: Double? = nil
    ) throws(TextVeilError) -> Data {
        try refusals {
            try buildStatementsOf(
                statements: statements, vectors: TextVeil.packed(vectors), encoderId: encoderID, otherwise: otherwise,
                leastCosine: leastCosine)
        }
    }
}

extension Statements {
    /// The same as the initializer, on a background queue: the file of an encoder is large.
    public static func load(
        _ list: Data, encoder: Data? = nil, epsilon: Double? = nil, near: Int? = nil, perSentence: Int = 1,
        anyLanguage: Bool = false
    ) async throws -> Statements {
        try await inBackground {
            try Statements(
                list, encoder: encoder, epsilon: epsilon, near: near, perSentence: perSentence, anyLanguage: anyLanguage)
        }
    }

    /// Exchanges a whole text on a background queue.
    public func privatize(_ text: String, field: String? = nil) async throws -> StatementRelease {
        try await inBackground { try self.privatize(text: text, field: field) }
    }

    /// Exchanges vectors of the app's own encoder on a background queue.
    public func privatize(vectors: [[Double]], field: String? = nil) async throws -> StatementRelease {
        try await inBackground { try self.privatizeVectors(vectors: TextVeil.packed(vectors), field: field) }
    }

    /// Exchanges a text by what a person chose for it, on a background queue.
    public func privatize(_ text: String, chosen: [UInt32], field: String? = nil) async throws -> StatementRelease {
        try await inBackground { try self.privatizeChosen(text: text, chosen: chosen, field: field) }
    }

    /// What a person may have meant, found on a background queue. **For the device only.**
    public func suggest(_ text: String, count: Int = 5) async throws -> [Statement] {
        try await inBackground { try self.suggest(text: text, count: UInt32(clamping: count)) }
    }

    /// The file of a list from its statements, made on a background queue.
    public static func build(
        _ statements: [String], encoder: Data, otherwise: String? = nil, leastCosine: Double? = nil
    ) async throws -> Data {
        try await inBackground {
            try buildStatements(statements: statements, encoder: encoder, otherwise: otherwise, leastCosine: leastCosine)
        }
    }
}
