import Foundation

// The calls by Swift's names and with their usual arguments.

extension TextVeil {
    /// With a table file, which decides the language and the vocabulary.
    ///
    /// - Throws: ``TextVeilError/BadTable(message:)``.
    public convenience init(table bytes: Data) throws(TextVeilError) {
        let veil = try refusals { try TextVeil.fromTable(bytes: bytes) }
        self.init(unsafeFromHandle: veil.uniffiCloneHandle())
    }

    /// Privatizes a text: the only thing that leaves the device should be the result's `text` (and its `guarantee`).
    ///
    /// The same text for the same field under the same terms gives the very same release for the life of the object.
    /// `field` is any name of what the text is for, such as that of the form's field, and stays here: each field is drawn
    /// for itself, as equal releases for two fields would show that their texts are equal. After the
    /// first call, each word takes less than a tenth of a millisecond, or some tenths if it is unknown. From the main thread,
    /// call it with `await`.
    ///
    /// `spans` are what a detector found: a placeholder with the kind takes the place of each, and of the rest of a word that it
    /// touches. The guarantee says that a detector chose, also of an empty list.
    public func privatize(
        _ text: String, options: Options = Options(), field: String? = nil, spans: [Span]? = nil
    ) throws(TextVeilError) -> Release {
        let detected = spans.map { Detected(spans: $0, in: text) }
        return try refusals { try privatize(text: text, options: options, field: field, detected: detected) }
    }

    /// The guarantee that `privatize` would give for a text of one word, before anything is drawn.
    public func guarantee(_ options: Options = Options()) throws(TextVeilError) -> Guarantee {
        try refusals { try guarantee(options: options) }
    }

    /// The `k` likeliest outcomes of a token, from 1 to 1000. **For the device only**: the probabilities tell which word
    /// was typed. It takes some milliseconds, and up to two hundred where the noise
    /// is drawn in floating point.
    public func alternatives(to token: String, options: Options = Options(), k: Int = 10) throws(TextVeilError) -> Alternatives {
        try refusals { try alternatives(token: token, options: options, k: count(k)) }
    }

    /// What protects each word of a text, in its order, before it is privatized. Nothing is released. **For the device
    /// only: it depends on the words.** Each word takes as long as in `alternatives`.
    public func deniability(of text: String, options: Options = Options()) throws(TextVeilError) -> [TokenDeniability] {
        try refusals { try deniability(text: text, options: options) }
    }

    /// Represents a text by noisy vectors of the table, or by noisy bits: what a model on a server can learn from. Without a
    /// mechanism, it is `privunit2`, at the `epsilon` that is then needed. Each `field` is drawn for itself, as by `privatize`.
    public func representation(
        _ text: String, options: RepresentationOptions, field: String? = nil
    ) throws(TextVeilError) -> Representation {
        try refusals { try representation(text: text, options: options, field: field) }
    }

    /// The same for the vectors that any other encoder gave: one for each word, or one for the text.
    ///
    /// **What is protected is a vector.** If the encoder looks at more than one word for a vector (as contextual ones do),
    /// what holds for a word is the guarantee's `epsilonText`.
    ///
    /// For `privunit2`, and so without a mechanism, each must have length 1; every other mechanism needs `clip`. It tells most
    /// where what all vectors have in common is subtracted first: their mean over public texts, **never over private ones**.
    public func representation(
        of vectors: [[Double]], options: RepresentationOptions, field: String? = nil
    ) throws(TextVeilError) -> Representation {
        try refusals { try representationOf(vectors: TextVeil.packed(vectors), options: options, field: field) }
    }

    /// Reports one value of a public list of `size` as a noisy bit for each value. `question` is any name of what is
    /// answered, and stays here: each question has its own. A changed answer is a new release that spends again.
    public func choice(_ index: Int, of size: Int, question: String, options: ChoiceOptions) throws(TextVeilError) -> ChoiceReport {
        try refusals { try choice(index: count(index), size: count(size), question: question, options: options) }
    }

    /// The guarantee of a representation of `words` words, with `dims` dimensions if they are another encoder's.
    public func representationGuarantee(
        _ options: RepresentationOptions, words: Int, dims: Int? = nil
    ) throws(TextVeilError) -> Guarantee {
        try refusals { try representationGuarantee(options: options, words: count(words), dims: dims.map(count)) }
    }

    /// The guarantee of a report of one of `size` values, before anything is drawn.
    public func choiceGuarantee(of size: Int, options: ChoiceOptions) throws(TextVeilError) -> Guarantee {
        try refusals { try choiceGuarantee(size: count(size), options: options) }
    }

    /// Vectors as the library takes them.
    static func packed(_ vectors: [[Double]]) -> [Data] {
        vectors.map { vector in
            vector.map(\.bitPattern.littleEndian).withUnsafeBufferPointer { Data(buffer: $0) }
        }
    }
}

/// A number for the library. What it cannot hold becomes the largest number, which the library refuses as out of range.
func count(_ number: Int) -> UInt32 { UInt32(exactly: number) ?? .max }

/// A span of a text that a detector found. `kind` is a name that is sent: a letter, then up to 23 letters, digits, `-` and `_`.
public struct Span: Equatable, Sendable {
    /// Where it stands in the text.
    public let range: Range<String.Index>
    /// What it is.
    public let kind: String

    public init(_ range: Range<String.Index>, kind: String) {
        self.range = range
        self.kind = kind
    }
}

extension Detected {
    /// By bytes of UTF-8. A place behind the text becomes one that the library refuses.
    init(spans: [Span], in text: String) {
        let place = { (index: String.Index) -> UInt64 in
            guard index <= text.endIndex else { return .max }
            return UInt64(text.utf8.distance(from: text.utf8.startIndex, to: index))
        }
        self.init(
            offsets: .bytes,
            spans: spans.map { span in
                DetectedSpan(start: place(span.range.lowerBound), end: place(span.range.upperBound), kind: span.kind)
            })
    }
}
