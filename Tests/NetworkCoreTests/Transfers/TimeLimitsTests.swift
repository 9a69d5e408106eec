#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import TestSupport
    import Testing

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// Time limits without a clock: what follows from the time and from what a transfer does.
    struct TimeLimitsTests {
        private static let second: UInt64 = 1_000_000_000

        /// Limits of a request that was submitted at 0, in seconds.
        private func limits(total: Int? = nil, idle: Int = 60, connect: UInt64 = .max) throws
            -> TimeLimits
        {
            var request = NetworkRequest(url: try #require(URL(string: "http://example.com/")))
            request.timeouts = RequestTimeouts(idle: .seconds(idle), total: total.map { .seconds($0) })
            var limits = TimeLimits(of: request, totalTimeout: nil, idleTimeout: .seconds(1), submitted: 0)
            limits.connect = connect
            return limits
        }

        @Test func `the connect timeout applies while the connection is made, and no other but the total one`() throws {
            var limits = try limits(total: 20, idle: 1, connect: 10 * Self.second)
            #expect(limits.action(at: 9 * Self.second, for: .connecting) == .check(at: 10 * Self.second))
            #expect(limits.action(at: 10 * Self.second, for: .connecting) == .endConnecting)
            #expect(limits.action(at: 20 * Self.second, for: .connecting) == .endTotal)
            limits.connect = 30 * Self.second
            #expect(limits.action(at: 1, for: .connecting) == .check(at: 20 * Self.second))
        }

        @Test func `a body that waits for a 100 is sent when the time has come`() throws {
            let limits = try limits(total: 20, idle: 5)
            #expect(limits.action(at: Self.second, for: .awaitingContinue) == .sendBody(nextCheck: 6 * Self.second))
            #expect(limits.action(at: 18 * Self.second, for: .awaitingContinue) == .sendBody(nextCheck: 20 * Self.second))
            #expect(limits.action(at: 20 * Self.second, for: .awaitingContinue) == .endTotal)
        }

        @Test func `the idle timeout begins with the last byte`() throws {
            let limits = try limits(idle: 5)
            let since = 3 * Self.second
            #expect(
                limits.action(at: 4 * Self.second, for: .exchanging(since: since, isUnseen: false)) == .check(at: 8 * Self.second)
            )
            #expect(
                limits.action(at: 8 * Self.second - 1, for: .exchanging(since: since, isUnseen: false))
                    == .check(at: 8 * Self.second))
            #expect(limits.action(at: 8 * Self.second, for: .exchanging(since: since, isUnseen: false)) == .endIdle)
        }

        @Test func `what leaves the socket unseen is looked at twice in the idle timeout`() throws {
            let limits = try limits(idle: 4)
            #expect(
                limits.action(at: Self.second, for: .exchanging(since: Self.second, isUnseen: true))
                    == .check(at: 3 * Self.second))
            #expect(
                limits.action(at: 4 * Self.second, for: .exchanging(since: Self.second, isUnseen: true))
                    == .check(at: 5 * Self.second))
        }

        /// The decision restated: the earliest deadline that applies, and what it means.
        private func expected(
            _ limits: TimeLimits, _ now: UInt64, _ activity: TimeLimits.Activity
        ) -> (action: TimeLimits.Action?, deadline: UInt64) {
            if limits.total <= now { return (.endTotal, limits.total) }
            switch activity {
            case .connecting: return (limits.connect <= now ? .endConnecting : nil, min(limits.connect, limits.total))
            case .awaitingContinue: return (.sendBody(nextCheck: min(now &+ limits.idleNanoseconds, limits.total)), limits.total)
            case .exchanging(let since, _):
                let idle = since &+ limits.idleNanoseconds
                return (idle <= now ? .endIdle : nil, min(idle, limits.total))
            }
        }

        @Test(arguments: 0..<20)
        func `no deadline is missed, and each check is later than the one before`(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            for _ in 0..<500 {
                func time() -> UInt64 {
                    Bool.random(using: &random) ? .max : UInt64.random(in: 0...8, using: &random) * Self.second
                }
                let limits = try limits(
                    total: Bool.random(using: &random) ? Int.random(in: 1...8, using: &random) : nil,
                    idle: Int.random(in: 1...8, using: &random), connect: time())
                let now = UInt64.random(in: 0...9, using: &random) * Self.second
                let since = now - min(now, UInt64.random(in: 0...9, using: &random) * Self.second)
                let activities: [TimeLimits.Activity] = [
                    .connecting, .awaitingContinue, .exchanging(since: since, isUnseen: Bool.random(using: &random)),
                ]
                let activity = activities[Int.random(in: 0..<3, using: &random)]
                let expected = expected(limits, now, activity)
                switch (limits.action(at: now, for: activity), expected.action) {
                case (.check(let time), nil): #expect(time > now && time <= expected.deadline)
                case (let action, let other): #expect(action == other)
                }
            }
        }
    }
#endif
