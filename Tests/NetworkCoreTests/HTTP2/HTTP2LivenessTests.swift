import Testing

@testable import NetworkEngine

/// When a server is asked for a reply, and when its connection is lost, by a manual clock.
struct HTTP2LivenessTests {
    private let second: UInt64 = 1_000_000_000

    @Test func `after ten seconds of silence, a PING is sent, and five seconds later, the connection is lost`() {
        var liveness = HTTP2Liveness(at: 0)
        #expect(liveness.action(at: 4 * second) == .check(at: 10 * second))
        #expect(liveness.action(at: 10 * second) == .ping(nextCheck: 15 * second))
        #expect(liveness.action(at: 12 * second) == .check(at: 15 * second))
        #expect(liveness.action(at: 15 * second) == .lose)
    }

    @Test func `whatever arrives shows that the server is there`() {
        var liveness = HTTP2Liveness(at: 0)
        #expect(liveness.action(at: 11 * second) == .ping(nextCheck: 16 * second))
        liveness.noteArrival(at: 14 * second)
        #expect(liveness.action(at: 16 * second) == .check(at: 24 * second))
        #expect(liveness.action(at: 24 * second) == .ping(nextCheck: 29 * second))
    }

    @Test func `an idle connection is probed after thirty seconds, and not used before the reply`() {
        var liveness = HTTP2Liveness(at: 0)
        #expect(liveness.probe(at: 29 * second) == nil && !liveness.isProbing)
        #expect(liveness.probe(at: 40 * second) == 45 * second && liveness.isProbing)
        #expect(liveness.action(at: 45 * second) == .lose)
        liveness.noteArrival(at: 44 * second)
        #expect(liveness.isProbing, "the reply itself is awaited")
        liveness.noteReply()
        #expect(!liveness.isProbing && liveness.probe(at: 50 * second) == nil)
    }
}
