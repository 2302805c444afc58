import Foundation
import Textveil

/// What a private text field shows and sends, without any view: made for one `field` of one form.
@MainActor public final class PrivateText<Released: Sendable> {
    /// What may be sent: the release of exactly this text, once there is one. Raw text is never sent.
    public private(set) var release: Released?

    /// Why there is no release, or why it was not sent: the stable code of the error, or `not-sent`. ``sentence(of:)`` is what
    /// the person reads.
    public private(set) var problem: String?

    /// Whether the release was sent. It is sent once.
    public private(set) var isSent = false

    /// Whether there is a release that was not sent and is not being sent.
    public var canBeSent: Bool { release != nil && !isSent && sending == nil }

    private let draw: @MainActor (String) async throws -> Released
    private var edits = 0
    /// The edit whose release is being sent.
    private var sending: Int?
    /// The edit whose release was recorded.
    private var recorded: Int?
    /// By this a collector counts a release once, however often it is sent.
    private var nonce = ""

    /// For releases of any kind: `draw` makes the release of a text.
    public init(draw: @escaping @MainActor (String) async throws -> Released) {
        self.draw = draw
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
        let outcome: (Released?, String?)
        do {
            outcome = (try await draw(text), nil)
        } catch is CancellationError {
            outcome = (nil, nil)
        } catch {
            outcome = (nil, (error as? TextVeilError)?.code ?? "internal")
        }
        // An edit in the meantime has made it the release of another text.
        if edit == edits { (release, problem, nonce) = (outcome.0, outcome.1, UUID().uuidString) }
    }

    /// Hands the release and its nonce to `send`, once: not while it is being sent, and not after it was. If `send` throws, the
    /// person may try again, with the same nonce. Before the first try, `record` gets the release: a ledger belongs there.
    public func send(
        record: (Released) async throws -> Void = { _ in }, _ send: (_ release: Released, _ nonce: String) async throws -> Void
    ) async {
        guard canBeSent, let release else { return }
        let edit = edits
        // An edit in the meantime has another one.
        let nonce = self.nonce
        sending = edit
        var problem: String?
        do {
            if recorded != edit { try await record(release) }
            recorded = edit
            try await send(release, nonce)
        } catch {
            problem = (error as? TextVeilError)?.code ?? "not-sent"
        }
        sending = nil
        if edit == edits { (self.problem, isSent) = (problem, problem == nil) }
    }
}

extension PrivateText where Released == Release {
    /// For the words of a text.
    public convenience init(veil: TextVeil, field: String, options: Options = Options()) {
        self.init { text in try await veil.privatize(text, options: options, field: field) }
    }
}

/// What a person reads of a problem, in English: an app has its own words and languages.
public func sentence(of problem: String) -> String {
    switch problem {
    case "text-too-long": "This text is too long. Please make it shorter."
    case "other-language": "This form takes English only. Please write in English."
    case "budget-exhausted": "You have sent all that this form takes for now. Please come back later."
    case "not-sent": "It was not sent. Please try again."
    default: "This text cannot be sent. It has not left your device."
    }
}
