#if canImport(SwiftUI)
    import Accessibility
    import SwiftUI
    import Textveil

    /// A text field that shows the person what will be sent, before it is sent.
    ///
    ///     PrivateTextField("How are you?", field: "mood", veil: veil) { release in
    ///         let snapshot = try ledger.spend("mood", release.guarantee)
    ///         try store(snapshot)
    ///         try await send(release.text)      // release.guarantee says what holds
    ///     }
    ///
    /// A view keeps the `veil`, the `field` and the `options` that it first appeared with. To change one of them, give the view
    /// another `id`.
    ///
    /// iOS takes a picture of an app that is left, for the app switcher: the field is covered then. Writing tools are off, because
    /// they may send the text elsewhere. A keyboard of another maker reads what is typed.
    public struct PrivateTextField: View {
        private let title: String
        private let send: (Release) async throws -> Void
        @Environment(\.scenePhase) private var phase
        @Environment(\.locale) private var locale
        @State private var field: PrivateText
        @State private var text = ""
        @State private var release: Release?
        @State private var status = ""
        @State private var canBeSent = false

        public init(
            _ title: String, field: String, veil: TextVeil, options: Options = Options(),
            send: @escaping (Release) async throws -> Void
        ) {
            self.title = title
            self.send = send
            _field = State(initialValue: PrivateText(veil: veil, field: field, options: options))
        }

        public var body: some View {
            VStack(alignment: .leading) {
                // A keyboard learns from what it corrects.
                TextField(title, text: $text)
                    .autocorrectionDisabled()
                    .withoutWritingTools()
                    .overlay { if isCovered { Rectangle().fill(.background) } }
                    .onChange(of: text) { _ in
                        field.edited()
                        show()
                    }
                    .onSubmit(finish)
                Button("Show what will be sent", action: finish)
                if let release {
                    Text("This will be sent:").font(.headline)
                    Text(release.text)
                    Text(release.guarantee.describe(locale.identifier)).font(.caption)
                    Button("Send", action: sendIt).disabled(!canBeSent)
                }
                Text(status)
            }
        }

        private var isCovered: Bool {
            #if os(iOS)
                phase != .active
            #else
                false
            #endif
        }

        private func finish() {
            Task {
                await field.finish(text)
                show()
                if let release { announce("This will be sent: \(release.text)") }
            }
        }

        private func sendIt() {
            canBeSent = false
            Task {
                await field.send(send)
                show()
            }
        }

        /// Shows what stands in the model, and tells a screen reader what is new.
        private func show() {
            (release, canBeSent) = (field.release, field.canBeSent)
            status = field.isSent ? "Sent." : field.problem.map(PrivateText.sentence) ?? ""
            if !status.isEmpty { announce(status) }
        }

        private func announce(_ sentence: String) {
            if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) {
                AccessibilityNotification.Announcement(sentence).post()
            }
        }
    }

    extension View {
        @ViewBuilder fileprivate func withoutWritingTools() -> some View {
            #if os(iOS) || os(macOS)
                if #available(iOS 18, macOS 15, *) {
                    writingToolsBehavior(.disabled)
                } else {
                    self
                }
            #else
                self
            #endif
        }
    }
#endif
