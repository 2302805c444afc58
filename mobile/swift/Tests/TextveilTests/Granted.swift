import Foundation
import Testing
import Textveil

/// What the blocks of the documents take for granted of an app: see `docs/blocks.py`.
class Granted {
    /// A request for a new word in the English table.
    let request: String
    let veil: TextVeil
    /// The files of a list and of its encoder.
    let (list, encoder): (Data, Data)
    let text = "My sister Anna is happy with order AB-1234."
    let release: Release
    var answered: Set<String> = []
    let texts = ["My sister was diagnosed with zyzzoxquu in March."]
    private var sent: [[Any]] = []

    init() throws {
        veil = try TextVeil()
        release = try veil.privatize(text)
        let files = ["product-feedback.tvs", "english-text.tvt"].map { Bundle.main.url(forResource: $0, withExtension: nil)! }
        (list, encoder) = (try Data(contentsOf: files[0]), try Data(contentsOf: files[1]))
        request = """
            {
                "table": "\(veil.tableId())", "dims": 2, "window": 5, "mean": [0, 0], "words": ["zyzzoxquu"], "wordsEach": 60,
                "norm": 4096, "noise": {"by": "devices", "least": 100}, "epsilon": 3, "delta": 1e-6
            }
            """
    }

    func send(_ what: Any...) { sent.append(what) }

    /// Holds that a block has sent something as often as it says.
    func expectSent(_ times: Int) { #expect(sent.count == times) }

    /// Of Foundation's class of this name, what finds a resource.
    enum Bundle {
        case main

        func url(forResource name: String, withExtension: String?) -> URL? {
            let tests = ProcessInfo.processInfo.environment["TEXTVEIL_TESTS"] ?? "../../tests"
            let places = ["statements", "tables/data"].map { URL(fileURLWithPath: "\(tests)/../\($0)/\(name)") }
            return places.first { FileManager.default.fileExists(atPath: $0.path) }
        }
    }
}
