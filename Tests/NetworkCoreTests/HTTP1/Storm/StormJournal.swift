#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore

    /// What has happened in a storm so far, seen from both ends, and which rules were broken.
    final class StormJournal: Sendable {
        /// One arrival of a request at the server.
        struct Arrival: Sendable, CustomStringConvertible {
            var connection: Int
            /// How many requests the connection had carried before.
            var index: Int
            /// When the server had said something unasked on that connection, and whether the client must have seen it in time.
            var isAfterPush = false
            var isPushVisible = false
            /// Whether any byte was sent in response to it.
            var hasResponse = false
            /// Whether the server ended the connection without a byte.
            var isDropped = false

            var description: String {
                "request \(index) of connection \(connection)\(hasResponse ? "" : ", without a response")\(isDropped ? ", dropped" : "")"
                    + (isAfterPush ? ", after unrequested bytes\(isPushVisible ? " that were there before" : "")" : "")
            }
        }

        struct Exchange: Sendable {
            var began: ContinuousClock.Instant?
            var ended: ContinuousClock.Instant?
            var ends = 0
            var arrivals: [Arrival] = []
            /// For a reader that stops: the bytes it has taken, once it has stopped.
            var stoppedAt: Int?
            var isMeasured = false
            var outcome: StormOutcome?

            var duration: Duration { (ended ?? .now) - (began ?? .now) }
        }

        struct State: Sendable {
            var exchanges: [Exchange]
            var violations: [String: [String]] = [:]
            var counts: [String: Int] = [:]
            /// Pushes that are due on connections which are idle.
            var pendingPushes = 0
            var isCrowded = false
        }

        let seed: UInt64
        private let state: Watched<State>

        init(seed: UInt64, exchanges: Int) {
            self.seed = seed
            state = Watched(State(exchanges: Array(repeating: Exchange(), count: exchanges)))
        }

        /// Returns when nothing is due any more on connections that are idle.
        func waitForPushes() async {
            await state.wait { $0.pendingPushes == 0 }
        }

        func plan(_ id: Int) -> StormPlan { StormPlan(seed: seed, id: id) }

        func withState<Result>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }
        func withExchange<Result>(_ id: Int, _ body: (inout Exchange) -> Result) -> Result {
            state.withLock { body(&$0.exchanges[id]) }
        }

        func count(_ name: String, _ number: Int = 1) {
            state.withLock { $0.counts[name, default: 0] += number }
        }

        /// A rule was broken. What it was about is kept for the first few.
        func violation(_ rule: String, _ details: @autoclosure () -> String) {
            let details = details()
            state.withLock { state in
                state.counts["violations", default: 0] += 1
                state.counts["! " + rule, default: 0] += 1
                if state.violations[rule, default: []].count < 3 { state.violations[rule, default: []].append(details) }
            }
        }
    }

    extension StormJournal {
        /// Slack for a busy machine, in which what one thread has sent reaches the socket of another.
        static let delivery = Duration.milliseconds(10)
        /// How long a request may take to reach a server that has nothing to do.
        static let longestWay = Duration.seconds(5)

        /// A request has reached the server.
        ///
        /// - Parameter pushed: When something was said on its connection that nobody asked for; long ago if it was in one segment with the
        ///   end of the response before.
        /// - Returns: Which arrival it is, counted from 1.
        func arrive(_ id: Int, connection: Int, index: Int, pushed: ContinuousClock.Instant?) -> Int {
            let now = ContinuousClock.now
            let (attempt, waited, isVisible, isCrowded) = state.withLock { state in
                let began = state.exchanges[id].began ?? now
                var arrival = Arrival(connection: connection, index: index)
                if let pushed {
                    arrival.isAfterPush = true
                    arrival.isPushVisible = pushed + Self.delivery < began
                }
                state.exchanges[id].arrivals.append(arrival)
                state.counts["arrivals", default: 0] += 1
                if index == 0 { state.counts["fresh connections", default: 0] += 1 }
                let attempt = state.exchanges[id].arrivals.count
                return (attempt, now - began, arrival.isPushVisible, state.isCrowded)
            }
            if isVisible { violation("a connection was used that held unrequested bytes", "\(plan(id))") }
            if attempt == 1, !isCrowded, waited > Self.longestWay {
                violation("a request waited while there was room", "\(waited): \(plan(id))")
            }
            return attempt
        }

        func note(_ id: Int, attempt: Int, _ change: (inout Arrival) -> Void) {
            state.withLock { change(&$0.exchanges[id].arrivals[attempt - 1]) }
        }

        /// How much of what has happened.
        var summary: String {
            let counts = state.withLock(\.counts).filter { !$0.key.hasPrefix("! ") }.sorted { $0.key < $1.key }
            return "seed \(seed): " + counts.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }

        /// The rules that were broken, each with the first few cases.
        var problems: String {
            state.withLock { state in
                let violations = state.violations.sorted { $0.key < $1.key }.map { rule, examples in
                    "- \(rule), \(state.counts["! " + rule] ?? 0) times, as in\n"
                        + examples.map { "    \($0.prefix(1_500))" }.joined(separator: "\n")
                }
                return violations.joined(separator: "\n")
            }
        }

        var violations: Int { state.withLock { $0.counts["violations"] ?? 0 } }
    }
#endif
