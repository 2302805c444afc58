#if canImport(SwiftUI)
    import SwiftUI
    import Textveil

    /// A text field that asks the person which statement of a public list says it best. It shows what will be sent, before it is
    /// sent.
    ///
    ///     PrivateChoiceField("How do you like the app?", field: "feedback", statements: statements) { release, nonce in
    ///         try await post(release.text, release.guarantee.short(), nonce: nonce)
    ///     }
    ///
    /// What ``PrivateTextField`` says of `record`, keyboards, pictures of the screen and another `id` is true here, too. The statements on
    /// the screen say much of the text: they are covered with it.
    public struct PrivateChoiceField: View {
        private let title: String
        private let record: (StatementRelease) async throws -> Void
        private let send: (StatementRelease, String) async throws -> Void
        @Environment(\.locale) private var locale
        @State private var field: PrivateChoice
        @State private var text = ""
        @State private var offered: [Statement] = []
        @State private var chosen: Statement?
        @State private var release: StatementRelease?
        @State private var status = ""
        @State private var canBeSent = false

        public init(
            _ title: String, field: String, statements: Statements,
            record: @escaping (StatementRelease) async throws -> Void = { _ in },
            send: @escaping (_ release: StatementRelease, _ nonce: String) async throws -> Void
        ) {
            self.title = title
            (self.record, self.send) = (record, send)
            _field = State(initialValue: PrivateChoice(statements: statements, field: field))
        }

        public var body: some View {
            VStack(alignment: .leading) {
                TextField(title, text: $text)
                    .modifier(KeptFromOthers())
                    .onChange(of: text) { _ in
                        field.edited()
                        show()
                    }
                    .onSubmit(offer)
                Button("Find statements", action: offer)
                if !offered.isEmpty {
                    VStack(alignment: .leading) {
                        Text("Which of these says it best?").font(.headline)
                        ForEach(offered, id: \.number, content: choice)
                        Button("Show what will be sent") { work { await field.outgoing.finish(text) } }.disabled(chosen == nil)
                    }
                    .modifier(KeptFromOthers())
                }
                if let release {
                    Text("This will be sent:").font(.headline)
                    Text(release.text)
                    Text(release.guarantee.describe(locale.identifier)).font(.caption)
                    Button("Send") {
                        canBeSent = false
                        work { await field.outgoing.send(record: record, send) }
                    }
                    .disabled(!canBeSent)
                }
                Text(status)
            }
        }

        private func choice(_ statement: Statement) -> some View {
            Button {
                field.choose(statement)
                show()
            } label: {
                Label(statement.text, systemImage: statement == chosen ? "largecircle.fill.circle" : "circle")
            }
            .buttonStyle(.plain)
            .accessibilityAddTraits(statement == chosen ? .isSelected : [])
        }

        private func offer() {
            work { await field.offer(text) }
        }

        /// Does it, and then shows what stands in the model, and tells a screen reader.
        private func work(_ work: @escaping @MainActor () async -> Void) {
            Task {
                await work()
                show()
                if let release, canBeSent {
                    announce("This will be sent: \(release.text)")
                } else if !offered.isEmpty, chosen == nil {
                    announce("Which of these says it best?")
                }
            }
        }

        private func show() {
            (offered, chosen) = (field.offered, field.chosen)
            (release, canBeSent) = (field.outgoing.release, field.outgoing.canBeSent)
            status = field.outgoing.isSent ? "Sent." : (field.problem ?? field.outgoing.problem).map(sentence) ?? ""
            if !status.isEmpty { announce(status) }
        }
    }
#endif
