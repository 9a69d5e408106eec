#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import TransferTestSupport

    /// The events of a storm, as observed by client and server, and the violated rules.
    final class StormJournal: Sendable {
        /// One arrival of a request at the server.
        struct Arrival: Sendable, CustomStringConvertible {
            var connection: Int
            /// The number of earlier requests on the connection.
            var index: Int
            /// Whether the server had sent unrequested bytes on the connection, and whether the client must have detected them in
            /// time.
            var isAfterPush = false
            var isPushVisible = false
            /// Whether any byte was sent in response to it.
            var hasResponse = false
            /// Whether the server ended the connection without sending a byte.
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
            /// For a reader that stops: the number of bytes that it had read by then.
            var stoppedAt: Int?
            var isMeasured = false
            var outcome: StormOutcome?

            var duration: Duration { (ended ?? .now) - (began ?? .now) }
        }

        struct State: Sendable {
            var exchanges: [Exchange]
            var violations: [String: [String]] = [:]
            var counts: [String: Int] = [:]
            /// The number of pending pushes on idle connections.
            var pendingPushes = 0
            var isCrowded = false
        }

        let seed: UInt64
        private let state: Watched<State>

        init(seed: UInt64, exchanges: Int) {
            self.seed = seed
            state = Watched(State(exchanges: Array(repeating: Exchange(), count: exchanges)))
        }

        /// Returns when no push is pending on an idle connection.
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

        /// Records a violated rule, with the details of its first few violations.
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
        /// The time within which bytes that one thread sends reach the socket of another thread, even on a busy machine.
        static let delivery = Duration.milliseconds(10)
        /// The maximum time for a request to reach an idle server.
        static let longestWay = Duration.seconds(30)

        /// Records that a request has arrived at the server.
        ///
        /// - Parameter pushed: When unrequested bytes were sent on its connection; long ago if they were in one segment with the
        ///   end of the previous response.
        /// - Returns: The number of the arrival for this request, counted from 1.
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
                violation("a request waited although a connection was available", "\(waited): \(plan(id))")
            }
            return attempt
        }

        func note(_ id: Int, attempt: Int, _ change: (inout Arrival) -> Void) {
            state.withLock { change(&$0.exchanges[id].arrivals[attempt - 1]) }
        }

        /// The number of events of each kind.
        var summary: String {
            let counts = state.withLock(\.counts).filter { !$0.key.hasPrefix("! ") }.sorted { $0.key < $1.key }
            return "seed \(seed): " + counts.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }

        /// The violated rules, each with its first few cases.
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
