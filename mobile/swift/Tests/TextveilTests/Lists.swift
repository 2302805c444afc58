import Testing

@testable import Textveil

@Suite("lists of texts") struct Lists {
    private let text = "The doctor was kind to my mother on Monday, and to her sister."

    @Test("each text of a list has a release of its own, and what is missing stays so")
    func each() async throws {
        let veil = try await TextVeil.load()
        let list = [text, nil, "", "two words", text]
        let (first, second) = (try await veil.privatizeAll(list), try await veil.privatizeAll(list, threads: 2))
        #expect(Set([first, second].flatMap { [$0.texts[0], $0.texts[4]] }).count == 4)
        for released in [first, second] {
            #expect(released.texts.count == 5)
            #expect(released.texts[1] == nil)
            #expect(released.texts[2] == "")
            #expect(released.texts[3]?.split(separator: " ").count == 2)
            #expect(try await released.guarantee == veil.privatize(text).guarantee)
        }
    }

    @Test("a list with a text that is refused is refused")
    func refused() throws {
        let veil = try TextVeil()
        #expect(code { try veil.privatizeAll(["kind", String(repeating: "a ", count: 1 << 20)]) } == .string("text-too-long"))
        #expect(veil.refusedRow(["kind", String(repeating: "a ", count: 1 << 20), nil]) == 1)
        let german = [text, nil, "Ich habe seit drei Tagen starke Kopfschmerzen."]
        #expect(veil.refusedRow(german) == 2)
        #expect(veil.refusedRow(german, options: Options(anyLanguage: true)) == nil)
        #expect(try veil.privatizeAll([]).guarantee.words == 0)
    }
}
