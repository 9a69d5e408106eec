import Foundation
import NetworkCore
import NetworkSupport
import NetworkWebSocket

/// What happened to one side of a socket.
struct StormLog: Sendable {
    /// The number of messages of each sender whose sending has begun, or has succeeded.
    var begun: [Int: Int] = [:]
    var sent: [Int: Int] = [:]
    /// The number of messages of each sender of the other side that were received.
    var received: [Int: Int] = [:]
    /// Whether a call of `send` has failed, `close` has returned, or the reader has found the end: afterwards, no message may be sent.
    var mayNotSend = false
    /// Whether this side has begun to end the connection before its reader has found the end.
    var hasEndedFirst = false
    /// How the reader has ended: `nil` if it has not found the end, an empty code for an orderly end.
    var end: WebSocketError.Code?
    var closeStatus: WebSocketCloseCode?
}

/// What happened in the storm, and what was against the rules.
final class StormJournal: Sendable {
    private struct State {
        var logs: [Int: [StormSide: StormLog]] = [:]
        var running: [Int: ContinuousClock.Instant] = [:]
        var problems: [String] = []
        var outcomes: [String: Int] = [:]
    }

    private let state = Locked(State())
    let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
    }

    func plan(_ socket: Int) -> StormPlan { StormPlan(seed: seed, socket: socket) }

    @discardableResult
    func log<Result>(_ socket: Int, _ side: StormSide, _ change: (inout StormLog) -> Result) -> Result {
        state.withLock { change(&$0.logs[socket, default: [:]][side, default: StormLog()]) }
    }

    func begin(_ socket: Int) { state.withLock { $0.running[socket] = .now } }

    func end(_ socket: Int) {
        state.withLock { state in
            state.running[socket] = nil
            state.logs[socket] = nil
        }
    }

    func count(_ outcome: String) { state.withLock { $0.outcomes[outcome, default: 0] += 1 } }

    func problem(_ socket: Int, _ text: String) {
        let plan = plan(socket)
        let logs = state.withLock { $0.logs[socket] }
        state.withLock { $0.problems.append("socket \(socket): \(text)\n  \(plan)\n  \(logs ?? [:])") }
    }

    /// The sockets that have not ended.
    var running: [Int] { state.withLock { $0.running.keys.sorted() } }
    var problems: [String] { state.withLock(\.problems) }
    var outcomes: [String: Int] { state.withLock(\.outcomes) }

    /// Checks a socket after both sides have ended.
    func judge(_ socket: Int) {
        let plan = plan(socket)
        for side in [StormSide.client, .server] {
            let (mine, theirs) = (log(socket, side) { $0 }, log(socket, side.other) { $0 })
            for (sender, count) in mine.received where count > theirs.begun[sender, default: 0] {
                problem(socket, "the \(side) has received \(count) messages of sender \(sender), which were not sent")
            }
            // The peer has closed in an orderly way, and the reader of this side has read until its close frame.
            guard plan.isFaultless, plan[side.other].isOrderly, !plan.releases, mine.closeStatus != nil, !mine.hasEndedFirst,
                let end = mine.end, end.rawValue.isEmpty || end == .closed
            else { continue }
            for (sender, count) in theirs.sent where mine.received[sender, default: 0] < count {
                problem(
                    socket,
                    "the \(side) has received \(mine.received[sender, default: 0]) of \(count) messages of sender \(sender)")
            }
            count("complete at the \(side)")
        }
    }
}
