#if canImport(SwiftUI)
    import Accessibility
    import SwiftUI
    import Textveil

    /// A text field that shows the person what will be sent, before it is sent.
    ///
    ///     PrivateTextField("How are you?", field: "mood", veil: veil) { release in
    ///         try store(ledger.spend("mood", release.guarantee))
    ///     } send: { release, nonce in
    ///         try await post(release.text, release.guarantee.short(), nonce: nonce)
    ///     }
    ///
    /// `record` is called once for each release, before it is first sent. After a failure the person may send it again: the
    /// same `nonce` lets a collector count it once.
    ///
    /// A view keeps the `veil`, the `field` and the `options` that it first appeared with. To change one of them, give the view
    /// another `id`.
    ///
    /// iOS takes a picture of an app that is left, for the app switcher: the field is covered then. Writing tools are off, because
    /// they may send the text elsewhere. A keyboard of another maker reads what is typed.
    public struct PrivateTextField: View {
        private let title: String
        private let record: (Release) async throws -> Void
        private let send: (Release, String) async throws -> Void
        @Environment(\.locale) private var locale
        @State private var field: PrivateText<Release>
        @State private var text = ""
        @State private var release: Release?
        @State private var status = ""
        @State private var canBeSent = false

        public init(
            _ title: String, field: String, veil: TextVeil, options: Options = Options(),
            record: @escaping (Release) async throws -> Void = { _ in },
            send: @escaping (_ release: Release, _ nonce: String) async throws -> Void
        ) {
            self.title = title
            (self.record, self.send) = (record, send)
            _field = State(initialValue: PrivateText(veil: veil, field: field, options: options))
        }

        public var body: some View {
            VStack(alignment: .leading) {
                TextField(title, text: $text)
                    .modifier(KeptFromOthers())
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
                await field.send(record: record, send)
                show()
            }
        }

        /// Shows what stands in the model, and tells a screen reader what is new.
        private func show() {
            (release, canBeSent) = (field.release, field.canBeSent)
            status = field.isSent ? "Sent." : field.problem.map(sentence) ?? ""
            if !status.isEmpty { announce(status) }
        }
    }

    /// Tells a screen reader.
    func announce(_ sentence: String) {
        if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) {
            AccessibilityNotification.Announcement(sentence).post()
        } else {
            #if canImport(UIKit) && !os(watchOS)
                UIAccessibility.post(notification: .announcement, argument: sentence)
            #endif
        }
    }

    /// Covers what a person writes while the app is left, and keeps it from correction and writing tools. A keyboard learns from
    /// what it corrects.
    struct KeptFromOthers: ViewModifier {
        @Environment(\.scenePhase) private var phase

        func body(content: Content) -> some View {
            content
                .autocorrectionDisabled()
                .withoutWritingTools()
                .overlay { if isCovered { Rectangle().fill(.background) } }
        }

        private var isCovered: Bool {
            #if os(iOS)
                phase != .active
            #else
                false
            #endif
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
