import Textveil

/// What a field shows and sends whose text is exchanged for the statement that the person chooses, without any view: made for
/// one `field` of one form.
@MainActor public final class PrivateChoice {
    /// What may be sent: the release of exactly this text and this choice, once there is one. Nothing is drawn without a choice.
    public private(set) var outgoing = PrivateText<StatementRelease> { _ in throw NothingChosen() }

    /// The statements to choose from, the nearest first. **For the device only.**
    public private(set) var offered: [Statement] = []

    /// The statement that the person has chosen.
    public private(set) var chosen: Statement?

    /// Why nothing is offered: the stable code of the error. ``sentence(of:)`` is what the person reads.
    public private(set) var problem: String?

    private let statements: Statements
    private var edits = 0

    public init(statements: Statements, field: String) {
        self.statements = statements
        outgoing = PrivateText { [weak self] text in
            guard let chosen = self?.chosen else { throw NothingChosen() }
            return try await statements.privatize(text, chosen: [chosen.number], field: field)
        }
    }

    /// Call this on every edit. What was offered, chosen and drawn for another text is then gone.
    public func edited() {
        edits += 1
        (offered, chosen, problem) = ([], nil, nil)
        outgoing.edited()
    }

    /// Finds the statements for a finished text. Nothing is drawn, so this spends nothing.
    public func offer(_ text: String) async {
        edited()
        if text.allSatisfy(\.isWhitespace) { return }
        let edit = edits
        let outcome: ([Statement], String?)
        do {
            outcome = (try await statements.suggest(text), nil)
        } catch is CancellationError {
            outcome = ([], nil)
        } catch {
            outcome = ([], (error as? TextVeilError)?.code ?? "internal")
        }
        // After an edit in the meantime, they are for an earlier text.
        if edit == edits { (offered, problem) = outcome }
    }

    /// The person chooses. The release of another choice is then not sent for this one.
    public func choose(_ statement: Statement) {
        if statement == chosen { return }
        chosen = statement
        outgoing.edited()
    }
}

/// A release was asked for before the person chose.
struct NothingChosen: Error {}
