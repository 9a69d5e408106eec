#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore

    /// The rules of a storm, for one exchange that has ended: what may have come of it, given what the server did.
    struct StormJudge {
        typealias Code = TransportError.Code

        let plan: StormPlan
        let exchange: StormJournal.Exchange
        let outcome: StormOutcome

        /// - Returns: `nil` where the call has not ended.
        init?(_ id: Int, _ journal: StormJournal) {
            plan = journal.plan(id)
            exchange = journal.withExchange(id) { $0 }
            guard let outcome = exchange.outcome else { return nil }
            self.outcome = outcome
        }

        /// What the server did at the last arrival.
        private var last: (response: StormResponse, arrival: StormJournal.Arrival)? {
            exchange.arrivals.last.map { (plan.response(exchange.arrivals.count), $0) }
        }

        private var details: String {
            let body = "\(outcome.size) bytes"
            let end = outcome.error.map { "\($0)" } ?? (outcome.isLetGo ? "let go" : "success")
            let head = outcome.head.map { "\($0.status) X-Id \($0.headers["X-Id"] ?? "-"), " } ?? ""
            let arrivals = exchange.arrivals.map { "\($0)" }.joined(separator: "; ")
            return "\(head)\(body), \(end), after \(exchange.duration); arrivals: \(arrivals); \(plan)"
        }

        func judge(_ journal: StormJournal) {
            journal.count("exchanges")
            journal.count(outcome.error.map { "ended as \($0.code.rawValue)" } ?? (outcome.isLetGo ? "let go" : "succeeded"))
            if exchange.ends != 1 { journal.violation("a call did not end exactly once", details) }
            judgeArrivals(journal)
            if outcome.head != nil { judgeResponse(journal) }
            if let error = outcome.error { judgeFailure(error, journal) }
        }
    }

    extension StormJudge {
        /// RFC 9110 §9.2.2: once, or once more on a fresh connection if no byte came and its method is idempotent.
        private func judgeArrivals(_ journal: StormJournal) {
            let arrivals = exchange.arrivals
            if arrivals.count > (plan.isIdempotent ? 2 : 1) {
                journal.violation(
                    plan.isIdempotent ? "an idempotent request arrived more than twice" : "a request arrived twice that may not",
                    details)
            }
            guard arrivals.count == 2 else { return }
            journal.count("repeated")
            // What is unread when a server closes makes it a reset, which may keep the response from being seen. The first request on a
            // connection may be repeated too: the connection may have been idle, where the request that it was made for was cancelled.
            let wasSeen = !arrivals[0].isDropped && plan.responses[0].fate != .early(.closes)
            if !arrivals[0].isAfterPush, wasSeen {
                journal.violation("a request was repeated without need", details)
            }
            if arrivals[1].index != 0 { journal.violation("a request was repeated on a kept connection", details) }
        }

        private func judgeResponse(_ journal: StormJournal) {
            guard let head = outcome.head else { return }
            if head.headers.contains("X-Unrequested") {
                // Said in the moment between the client's look at its socket and its sending: nobody can tell it from a response.
                if last?.arrival.isAfterPush == true, last?.arrival.isPushVisible == false {
                    journal.count("raced")
                } else {
                    journal.violation("what nobody asked for was delivered as a response", details)
                }
                return
            }
            guard let last, head.headers["X-Id"] == "\(plan.id)" else {
                return journal.violation("a response was delivered to another request", details)
            }
            let attempt = Int(head.headers["X-Attempt"] ?? "") ?? 0
            let response = last.response
            let isUpgrade = response.fate == .upgrade
            guard attempt == exchange.arrivals.count, head.status == (isUpgrade ? 101 : response.status) else {
                return journal.violation("a response is not the one that was sent", details)
            }
            guard outcome.isOwn else { return journal.violation("a body had bytes that are not its own", details) }
            guard outcome.error == nil, !outcome.isLetGo, !isUpgrade else { return }
            switch response.fate {
            case .whole, .early: break
            default: return journal.violation("a truncated response was a success", details)
            }
            if outcome.size != response.content(plan, attempt).count {
                journal.violation("a truncated body was a success", details)
            }
            let sum = response.framing == .chunks && response.hasTrailers && response.hasBody(plan.method) ? "\(plan.id)" : nil
            if outcome.trailers["X-Sum"] != sum { journal.violation("trailers are not those that were sent", details) }
        }

        private func judgeFailure(_ error: TransportError, _ journal: StormJournal) {
            if plan.cancelAfter != nil, error.code == .cancelled { return }
            if !allowed.contains(error.code) {
                journal.violation("an error that does not fit: \(error.code.rawValue) for \(name)", details)
            }
            // A retry policy sends again what was never sent, whatever its method.
            if last != nil, let phase = error.phase, ![.send, .firstByte, .receive].contains(phase) {
                journal.violation("an error says that nothing was sent", details)
            }
            // A kept connection that ended without a byte is reason to send it once more.
            if plan.isIdempotent, error.code == .connectionLost, exchange.arrivals.count == 1, let last,
                last.arrival.index > 0, last.arrival.isDropped, !last.arrival.isAfterPush
            {
                journal.violation("a request was not repeated that should be", details)
            }
        }

        /// What the last arrival met with, for people.
        private var name: String {
            guard let last else { return "a request that never arrived" }
            return last.arrival.isAfterPush ? "a connection with unrequested bytes" : "\(last.response.fate)"
        }

        /// The table: which errors may come of what the server did.
        private var allowed: Set<Code> {
            let impatience: Set<Code> = plan.isSilent ? [.timedOut] : []
            guard let last else {
                // A kept connection that ended unseen takes one request with it, which only an idempotent one survives.
                return impatience.union(plan.isIdempotent ? [] : [.connectionLost])
            }
            if last.arrival.isAfterPush { return impatience.union([.connectionLost, .malformedResponse, .incompleteBody]) }
            switch last.response.fate {
            case .whole, .early(.lingers), .early(.readsOn): return impatience
            case .ends(.beforeHead, _), .ends(.insideHead, _): return impatience.union([.connectionLost])
            case .ends(.insideBody, let isReset):
                let coding: Set<Code> = last.response.isGzip ? [.undecodableContent] : []
                return impatience.union(coding).union(isReset ? [.incompleteBody, .connectionLost] : [.incompleteBody])
            case .silent: return [.timedOut]
            case .cutCoding: return impatience.union([.incompleteBody, .undecodableContent])
            case .upgrade: return impatience.union([.malformedResponse, .unsupported])
            case .early(.closes): return impatience.union([.connectionLost, .incompleteBody])
            }
        }
    }
#endif
