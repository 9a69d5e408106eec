import NetworkSupport
import Testing
import TransferTestSupport

/// Numbers, of which each weighs its remainder by 7 and one more.
private struct Numbers: PipeQueue {
    var numbers: [Int] = []
    var weight = 0

    static func weight(_ number: Int) -> Int { number % 7 + 1 }

    mutating func append(_ number: Int) {
        numbers.append(number)
        weight += Self.weight(number)
    }

    mutating func take() -> Int? {
        guard !numbers.isEmpty else { return nil }
        weight -= Self.weight(numbers[0])
        return numbers.removeFirst()
    }

    mutating func removeAll() {
        self = Numbers()
    }
}

private struct Failed: Error, Equatable {
    var number = 0
}

/// The rules of a pipe, as lists of what was written and read.
private struct ReferencePipe {
    var content: [Int] = []
    var end: Result<Int, Failed>?
    var readerWaits = false
    var writerWaits = false

    var weight: Int { content.reduce(0) { $0 + Numbers.weight($1) } }
    var readerContinues: Bool { readerWaits && (!content.isEmpty || end != nil) }
    func writerContinues(_ resumption: Int) -> Bool { writerWaits && (weight < resumption || end != nil) }
}

@Suite(.timeLimit(.minutes(10)))
struct PipeStateTests {
    @Test func `random schedules of both sides give what a list of the elements gives`() {
        for seed in 0..<5_000 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let capacity = Int.random(in: 1...30, using: &generator)
            let resumption = Int.random(in: 1...capacity, using: &generator)
            var state = PipeState<Numbers, Int, Failed>(Numbers(), capacity: capacity, resumption: resumption)
            var reference = ReferencePipe()
            var problems: [String] = []
            for step in 0..<40 {
                switch Int.random(in: 0..<20, using: &generator) {
                case 0..<8:
                    guard state.end == nil else { break }
                    let waits = state.awaitRoom(.callback)
                    if waits != (reference.weight >= capacity) { problems.append("room") }
                    if waits { reference.writerWaits = true; break }
                    state.content.append(step)
                    reference.content.append(step)
                case 8..<16:
                    switch state.take() {
                    case .piece(let number):
                        if reference.content.isEmpty || reference.content.removeFirst() != number { problems.append("order") }
                    case .end(let end): if !reference.content.isEmpty || reference.end != end { problems.append("end") }
                    case .wait:
                        if !reference.content.isEmpty || reference.end != nil { problems.append("wait") }
                        reference.readerWaits = state.awaitContent(.task)
                    }
                case 16:
                    if state.finish(.success(step)) != (reference.end == nil) { problems.append("finish") }
                    reference.end = reference.end ?? .success(step)
                case 17 where step > 20:
                    if state.cancel(Failed(number: step)) != (reference.end == nil) { problems.append("cancel") }
                    if reference.end == nil || !reference.content.isEmpty { reference.end = .failure(Failed(number: step)) }
                    reference.content = []
                default: break
                }
                // A sync writer may settle later, as after several writes.
                if Bool.random(using: &generator) { continue }
                var expected: PipeWakes = []
                if reference.readerContinues { expected.insert(.readerTask) }
                if reference.writerContinues(resumption) { expected.insert(.writerCallback) }
                reference.readerWaits = reference.readerWaits && !reference.readerContinues
                reference.writerWaits = reference.writerWaits && !reference.writerContinues(resumption)
                if state.settle() != expected { problems.append("wakes at \(step)") }
                if state.content.weight != reference.weight { problems.append("weight") }
            }
            #expect(problems.isEmpty, "seed \(seed)")
            if !problems.isEmpty { return }
        }
    }

    @Test(arguments: 0..<20) func `writers and a reader on any threads pass every element once, and wait without end for none`(
        seed: UInt64
    )
        async throws
    {
        let pipe = BoundedPipe<Numbers, Int, Failed>(Numbers(), capacity: 16, resumption: 8)
        let writers = 4
        await withTaskGroup(of: Int.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    var generator = SeededGenerator(seed: seed &* 10 &+ UInt64(writer))
                    for number in 0..<500 {
                        pipe.access(wakes: Bool.random(using: &generator)) { $0.content.append(number * writers + writer) }
                        // A write without a wake is followed by one.
                        pipe.access { _ in }
                        _ = await pipe.room()
                    }
                    return 0
                }
            }
            group.addTask {
                var last = [Int](repeating: -1, count: writers)
                var count = 0
                while true {
                    switch pipe.access({ $0.take() }) {
                    case .piece(let number):
                        #expect(number > last[number % writers])
                        last[number % writers] = number
                        count += 1
                    case .end(let end):
                        #expect(end == .success(7) && count == writers * 500)
                        return count
                    case .wait: #expect(await withUnsafeContinuation { pipe.awaitContent($0) })
                    }
                }
            }
            for _ in 0..<writers { _ = await group.next() }
            pipe.finish(.success(7))
        }
        #expect(!pipe.finish(.success(8)))
    }

    @Test func `a writer that is cancelled while it waits returns at once, and the others go on waiting`() async throws {
        let pipe = BoundedPipe<Numbers, Int, Failed>(Numbers(), capacity: 1)
        pipe.access { $0.content.append(1) }
        let writers = (0..<3).map { _ in Task { await pipe.room() } }
        writers[1].cancel()
        #expect(await writers[1].value == false)
        #expect(pipe.access { $0.content.take() } == 1)
        let others = (await writers[0].value, await writers[2].value)
        #expect(others == (true, true))
    }

    @Test func `a second reader is refused, and cancellation ends both sides`() async throws {
        let pipe = BoundedPipe<Numbers, Int, Failed>(Numbers(), capacity: 1)
        let readers = (0..<2).map { _ in Task { await withUnsafeContinuation { pipe.awaitContent($0) } } }
        // One of the two is refused at once; which one is random.
        let isRefused = await withTaskGroup(of: Bool.self) { group in
            for reader in readers { group.addTask { await reader.value } }
            let first = await group.next()
            pipe.cancel(Failed())
            return first == false
        }
        #expect(isRefused)
        let mayContinue = await pipe.room()
        #expect(mayContinue && pipe.end == .failure(Failed()))
    }
}
