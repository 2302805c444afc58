#if canImport(SwiftUI)
    import SwiftUI
    import Textveil

    /// A text field that shows the person what will be sent, before it is sent.
    ///
    ///     PrivateTextField("How are you?", field: "mood", veil: veil) { release in
    ///         send(release.text)      // release.guarantee says what holds
    ///     }
    ///
    /// A view keeps the `veil`, the `field` and the `options` that it first appeared with. To change one of them, give the view
    /// another `id`.
    public struct PrivateTextField: View {
        private let title: String
        private let send: (Release) -> Void
        @State private var field: PrivateText
        @State private var text = ""
        @State private var release: Release?
        @State private var problem: String?

        public init(
            _ title: String, field: String, veil: TextVeil, options: Options = Options(), send: @escaping (Release) -> Void
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
                    .onChange(of: text) { _ in show { field.edited() } }
                    .onSubmit { Task { await field.finish(text); show {} } }
                if let release {
                    Text(release.text).accessibilityLabel("What will be sent: \(release.text)")
                    Text(release.guarantee.statement).font(.caption)
                    Button("Send") { send(release) }
                } else if let problem {
                    Text("Nothing can be sent (\(problem)).").foregroundColor(.red)
                }
            }
        }

        private func show(_ change: () -> Void) {
            change()
            (release, problem) = (field.release, field.problem)
        }
    }
#endif
