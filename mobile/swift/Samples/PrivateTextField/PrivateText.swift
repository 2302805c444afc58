import Textveil

/// What a private text field shows and sends, without any view: made for one `field` of one form.
@MainActor public final class PrivateText {
    /// What may be sent: the release of exactly this text, once there is one. Raw text is never sent.
    public private(set) var release: Release?

    /// Why there is no release, or why it was not sent: the stable code of the error, or `not-sent`. ``sentence(of:)`` is what
    /// the person reads.
    public private(set) var problem: String?

    /// Whether the release was sent. It is sent once.
    public private(set) var isSent = false

    /// Whether there is a release that was not sent and is not being sent.
    public var canBeSent: Bool { release != nil && !isSent && sending == nil }

    private let veil: TextVeil
    private let field: String
    private let options: Options
    private var edits = 0
    /// The edit whose release is being sent.
    private var sending: Int?

    public init(veil: TextVeil, field: String, options: Options = Options()) {
        self.veil = veil
        self.field = field
        self.options = options
    }

    /// Call this on every edit. The release of another text is then not sent for this one.
    public func edited() {
        edits += 1
        (release, problem, isSent) = (nil, nil, false)
    }

    /// Draws the release of a finished text, once. Every further text is a further release and spends anew, so call this
    /// when the person has finished, not on each keystroke.
    public func finish(_ text: String) async {
        if isSent || sending == edits { return }
        edited()
        let edit = edits
        let outcome: (Release?, String?)
        do {
            outcome = (try await veil.privatize(text, options: options, field: field), nil)
        } catch is CancellationError {
            outcome = (nil, nil)
        } catch {
            outcome = (nil, (error as? TextVeilError)?.code ?? "internal")
        }
        // An edit in the meantime has made it the release of another text.
        if edit == edits { (release, problem) = outcome }
    }

    /// Hands the release to `send`, once: not while it is being sent, and not after it was. If `send` throws, the person may try
    /// again. A ledger belongs at its beginning.
    public func send(_ send: (Release) async throws -> Void) async {
        guard canBeSent, let release else { return }
        let edit = edits
        sending = edit
        var problem: String?
        do {
            try await send(release)
        } catch {
            problem = (error as? TextVeilError)?.code ?? "not-sent"
        }
        sending = nil
        if edit == edits { (self.problem, isSent) = (problem, problem == nil) }
    }

    /// What a person reads of a problem, in English: an app has its own words and languages.
    nonisolated public static func sentence(of problem: String) -> String {
        switch problem {
        case "text-too-long": "This text is too long. Please make it shorter."
        case "other-language": "This form takes English only. Please write in English."
        case "budget-exhausted": "You have sent all that this form takes for now. Please come back later."
        case "not-sent": "It was not sent. Please try again."
        default: "This text cannot be sent. It has not left your device."
        }
    }
}
