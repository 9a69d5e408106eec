import Foundation
import NetworkSupport
import Testing
import TransferTestSupport

@testable import NetworkWebSocket

/// Random schedules of a WebSocket's state, without sockets and tasks.
@Suite(.timeLimit(.minutes(10))) struct SocketStateTests {
    /// What is known of a WebSocket from the outside, as lists.
    private struct Journal {
        var problems: [String] = []
        var received: [Int] = []
        var read: [Int] = []
        var hasClaim = false
        var readerWaits = false
        var isPaused = false
        var closeFrames = 0
        var ended: String?
        var openPings: Set<UInt64> = []

        mutating func expect(_ isRight: Bool, _ problem: String) {
            if !isRight { problems.append(problem) }
        }
    }

    /// The bytes of all messages. The last three digits of a message's size are its number.
    private static let bytes = Data(count: 301_000)

    private static func number(_ event: SocketEvent) -> Int {
        if case .message(_, let data, _) = event { data.count % 1000 } else { -1 }
    }

    private static func end(_ state: SocketState) -> String? {
        switch state.queue.end {
        case .success: "orderly"
        case .failure(let error): "\(error.code)"
        case nil: nil
        }
    }

    private static func step(
        _ number: Int, _ state: inout SocketState, _ journal: inout Journal, _ generator: inout SeededGenerator
    ) {
        let wasOver = state.isOver
        switch Int.random(in: 0..<40, using: &generator) {
        case 0..<14 where !wasOver:
            let size = [0, 0, 60_000, 300_000].randomElement(using: &generator) ?? 0
            state.receive(.message(.binary, bytes.prefix(size + number), isCompressed: false))
            journal.received.append(number)
            journal.isPaused = !state.wantsMore()
            if state.isClosing { journal.expect(!journal.isPaused, "paused while closing") }
        case 14..<24 where !journal.readerWaits:
            guard case .claimed(let event) = state.claimUnlessWhole() else { return journal.expect(journal.hasClaim, "refused") }
            journal.expect(!journal.hasClaim, "two claims")
            if let event { return journal.read.append(Self.number(event)) }
            journal.hasClaim = true
            journal.readerWaits = state.queue.awaitContent(.task)
        case 24..<28 where journal.hasClaim && !journal.readerWaits:
            if let event = state.takeWhole() { journal.read.append(Self.number(event)) }
            state.unclaim()
            journal.hasClaim = false
        case 28: if state.addPing(UInt64(number), at: .zero) { journal.openPings.insert(UInt64(number)) }
        case 29:
            let pong = journal.openPings.randomElement(using: &generator) ?? 1_000_000
            let measured = state.receivePong(pong).map(\.number)
            journal.expect(measured.isEmpty == !journal.openPings.contains(pong), "a pong of another ping")
            journal.expect(Set(measured) == journal.openPings.filter { $0 <= pong && !measured.isEmpty }, "pings before")
            journal.openPings.subtract(measured)
        case 30 where number > 20:
            let (sendsClose, resumes) = state.beginClosing()
            if sendsClose { journal.closeFrames += 1 }
            journal.expect(resumes == journal.isPaused, "closing resumes a paused transport")
            journal.isPaused = false
        case 31 where number > 20 && !wasOver:
            if state.receiveClose(Bool.random(using: &generator) ? .normal : .internalError, "") { journal.closeFrames += 1 }
            journal.expect(state.closeStatus == nil, "a status before the end")
        case 32 where number > 20 || state.peerClose != nil: state.finish(.failure(.cancelled))
        case 33 where number > 30: if state.markClosing() { journal.closeFrames += 1 }
        case 34 where number > 35:
            state.violate(WebSocketViolation.invalidUTF8.error)
            journal.received = journal.read
            journal.ended = Self.end(state)
        default: return
        }
    }

    @Test func `random schedules keep the order, one reader, one close frame and one end`() {
        for seed in 0..<1_000 {
            var generator = SeededGenerator(seed: UInt64(seed))
            var state = SocketState(
                keepAlive: KeepAlive(), resumption: SocketState.capacity / [1, 2].randomElement(using: &generator)!)
            var journal = Journal()
            for number in 0..<60 where journal.problems.isEmpty {
                Self.step(number, &state, &journal, &generator)
                let wakes = state.queue.settle()
                journal.expect(!wakes.contains(.readerTask) || journal.readerWaits, "a reader that does not wait")
                if wakes.contains(.readerTask) { journal.readerWaits = false }
                journal.expect(!journal.readerWaits || !state.queue.isReadable, "a reader that waits without end")
                journal.expect(!wakes.contains(.writerCallback) || journal.isPaused, "a transport that is not paused")
                if wakes.contains(.writerCallback) { journal.isPaused = false }
                journal.expect(
                    !journal.isPaused || state.queue.content.weight >= state.queue.resumption, "a transport that is never read")
                journal.expect(journal.read.elementsEqual(journal.received.prefix(journal.read.count)), "order")
                journal.expect(journal.closeFrames <= 1, "two close frames")
                journal.expect(journal.closeFrames == 0 || state.isClosing, "a close frame of an open WebSocket")
                let end = Self.end(state)
                journal.expect(journal.ended == nil || journal.ended == end, "two ends")
                journal.ended = end
                journal.expect(end == nil || state.isOver, "open after the end")
                journal.expect(end != "orderly" || state.closeStatus != nil, "an orderly end without a close frame")
            }
            #expect(journal.problems.isEmpty, "seed \(seed)")
            if !journal.problems.isEmpty { return }
        }
    }

    @Test func `what is dropped while this side closes is never followed by something that is read`() {
        var state = SocketState(keepAlive: KeepAlive(), resumption: SocketState.capacity)
        _ = state.beginClosing()
        for number in 0..<5 { state.receive(.message(.binary, Data(count: 200_000 + number), isCompressed: false)) }
        var sizes: [Int] = []
        while case .message(_, let data, _)? = state.queue.content.take() { sizes.append(data.count) }
        state.receive(.text("later"))
        #expect(sizes == [200_000, 200_001] && !state.queue.isReadable)
    }
}
