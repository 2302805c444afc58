import Textveil

/// What a private text field shows and sends, without any view: made for one `field` of one form.
@MainActor public final class PrivateText {
    /// What may be sent: the release of exactly this text, once there is one. Raw text is never sent.
    public private(set) var release: Release?

    /// Why there is no release: the stable code of the error.
    public private(set) var problem: String?

    private let veil: TextVeil
    private let field: String
    private let options: Options
    private var edits = 0

    public init(veil: TextVeil, field: String, options: Options = Options()) {
        self.veil = veil
        self.field = field
        self.options = options
    }

    /// Call this on every edit. The release of another text is then not sent for this one.
    public func edited() {
        edits += 1
        (release, problem) = (nil, nil)
    }

    /// Draws the release of a finished text, once. Every further text is a further release and spends anew, so call this
    /// when the person has finished, not on each keystroke.
    public func finish(_ text: String) async {
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
}
