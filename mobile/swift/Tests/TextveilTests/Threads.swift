import Foundation
import Testing

@testable import Textveil

/// How long the threads call the object.
private let seconds = 10.0

@Suite("threads", .serialized) struct Threads {
    @Test("8 threads hammer one object, and each text is drawn once")
    func hammer() throws {
        let veil = try TextVeil()
        let first = try texts.map { try veil.privatize($0).text }
        let (end, calls) = (Date(timeIntervalSinceNow: seconds), Count())
        let running = DispatchGroup()
        for thread in 0..<8 {
            running.enter()
            Thread.detachNewThread {
                var call = thread
                while Date() < end {
                    let known = call % texts.count
                    let fresh = try? veil.privatize("Text \(call) of thread \(thread), about \(texts[known])")
                    if fresh == nil || (try? veil.privatize(texts[known]).text) != first[known] { calls.fail() }
                    call += 1
                }
                calls.add((call - thread) * 2)
                running.leave()
            }
        }
        running.wait()
        #expect(calls.failures == 0)
        #expect(calls.total > 0)
        print("8 threads: \(Int(Double(calls.total) / seconds)) calls a second on one object")
    }

    @Test("10,000 objects are made and freed without a trace")
    func lifetimes() throws {
        let cycle = { (number: Int) in
            let veil = try TextVeil()
            _ = number.isMultiple(of: 20) ? try veil.guarantee().statement : veil.tableId()
        }
        for number in 0..<200 { try cycle(number) }
        let before = residentBytes()
        for number in 0..<10_000 { try cycle(number) }
        // What was prepared for one kept object would be 2 MB, for 500; the allocator may keep a few.
        #expect(residentBytes() - before < 64 << 20)
    }

    @Test("awaited calls run off the main thread and give the same release")
    func awaited() async throws {
        let veil = try await TextVeil.load()
        let releases = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<16 { group.addTask { try await veil.privatize(texts[0]).text } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(releases).count == 1)
        #expect(releases.count == 16)
    }

    @Test("what takes long can be awaited, and gives the same")
    func awaitedResults() async throws {
        let (veil, table) = (try await TextVeil.load(), try Reference.table("toy.tvt"))
        #expect(try await TextVeil.load(table: table).tableId() == TextVeil(table: table).tableId())
        #expect(try await veil.levels() == levels(of: veil))
        #expect(try await veil.alternatives(to: "kind", k: 3).distribution.count == 3)
        #expect(try await veil.deniability(of: "kind words").count == 2)
        let options = RepresentationOptions(epsilon: 8)
        #expect(try await veil.representation(of: [[0.6, 0.8, 0]], options: options) == represented(by: veil, options))
    }

    @Test("a cancelled task draws nothing")
    func cancelled() async throws {
        let veil = try TextVeil()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await veil.privatize(texts[0])
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

/// In functions that do not wait, the calls are those that do not.
private func levels(of veil: TextVeil) throws -> [Level] { try veil.levels() }

private func represented(by veil: TextVeil, _ options: RepresentationOptions) throws -> Representation {
    try veil.representation(of: [[0.6, 0.8, 0]], options: options)
}

private let texts = ["My sister was diagnosed with diabetes in March.", "The doctor was kind.", "Paris, 2 o’clock: rain."]

/// Adds up over threads.
private final class Count: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var total = 0
    private(set) var failures = 0

    func add(_ calls: Int) { lock.withLock { total += calls } }
    func fail() { lock.withLock { failures += 1 } }
}

/// What the process holds in memory; 0 where the system does not say.
private func residentBytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return status.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 } ?? 0
}
