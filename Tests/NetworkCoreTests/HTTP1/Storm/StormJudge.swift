#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore

    /// Checks the rules of a storm for one exchange that has ended: which outcomes are allowed, given what the server did.
    struct StormJudge {
        typealias Code = TransportError.Code

        let plan: StormPlan
        let exchange: StormJournal.Exchange
        let outcome: StormOutcome

        /// - Returns: `nil` if the call has not ended.
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
            let end = outcome.error.map { "\($0)" } ?? (outcome.isAbandoned ? "abandoned" : "success")
            let head = outcome.head.map { "\($0.status) X-Id \($0.headers["X-Id"] ?? "-"), " } ?? ""
            let arrivals = exchange.arrivals.map { "\($0)" }.joined(separator: "; ")
            return "\(head)\(body), \(end), after \(exchange.duration); arrivals: \(arrivals); \(plan)"
        }

        func judge(_ journal: StormJournal) {
            journal.count("exchanges")
            journal.count(
                outcome.error.map { "ended as \($0.code.rawValue)" } ?? (outcome.isAbandoned ? "abandoned" : "succeeded"))
            if exchange.ends != 1 { journal.violation("a call did not end exactly once", details) }
            judgeArrivals(journal)
            if outcome.head != nil { judgeResponse(journal) }
            if let error = outcome.error { judgeFailure(error, journal) }
        }
    }

    extension StormJudge {
        /// RFC 9110 §9.2.2: a request arrives once, or a second time on a new connection if no byte of a response was received
        /// and its method is idempotent.
        private func judgeArrivals(_ journal: StormJournal) {
            let arrivals = exchange.arrivals
            if arrivals.count > (plan.isIdempotent ? 2 : 1) {
                journal.violation(
                    plan.isIdempotent
                        ? "an idempotent request arrived more than twice" : "a request that must not be repeated arrived twice",
                    details)
            }
            guard arrivals.count == 2 else { return }
            journal.count("repeated")
            // A server that closes with unread bytes sends a reset, which may hide the response from the client. The first
            // request on a connection may be repeated too: the connection may have been idle because the request for which it was
            // made was cancelled.
            let wasSeen = !arrivals[0].isDropped && plan.responses[0].fate != .early(.closes)
            if !arrivals[0].isAfterPush, wasSeen {
                journal.violation("a request was repeated without need", details)
            }
            if arrivals[1].index != 0 { journal.violation("a request was repeated on an idle connection", details) }
        }

        private func judgeResponse(_ journal: StormJournal) {
            guard let head = outcome.head else { return }
            if head.headers.contains("X-Unrequested") {
                // The bytes were sent after the client checked its socket and before it sent the request: they cannot be
                // distinguished from a response.
                if last?.arrival.isAfterPush == true, last?.arrival.isPushVisible == false {
                    journal.count("raced")
                } else {
                    journal.violation("unrequested bytes were delivered as a response", details)
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
            guard outcome.isOwn else { return journal.violation("a body had bytes of another body", details) }
            guard outcome.error == nil, !outcome.isAbandoned, !isUpgrade else { return }
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
            // A retry policy repeats a request that was never sent, independent of its method.
            if last != nil, let phase = error.phase, ![.send, .firstByte, .receive].contains(phase) {
                journal.violation("an error says that nothing was sent", details)
            }
            // If an idle connection ended without a byte, an idempotent request has to be sent once more.
            if plan.isIdempotent, error.code == .connectionLost, exchange.arrivals.count == 1, let last,
                last.arrival.index > 0, last.arrival.isDropped, !last.arrival.isAfterPush
            {
                journal.violation("a request that should be repeated was not", details)
            }
        }

        /// A description of what the server did at the last arrival, for messages.
        private var name: String {
            guard let last else { return "a request that never arrived" }
            return last.arrival.isAfterPush ? "a connection with unrequested bytes" : "\(last.response.fate)"
        }

        /// The errors that are allowed after what the server did.
        private var allowed: Set<Code> {
            let timeout: Set<Code> = plan.isSilent ? [.timedOut] : []
            guard let last else {
                // A request on an idle connection that has already ended is lost, and only an idempotent one is repeated.
                return timeout.union(plan.isIdempotent ? [] : [.connectionLost])
            }
            if last.arrival.isAfterPush { return timeout.union([.connectionLost, .malformedResponse, .incompleteBody]) }
            switch last.response.fate {
            case .whole, .early(.lingers), .early(.readsOn): return timeout
            case .ends(.beforeHead, _), .ends(.insideHead, _): return timeout.union([.connectionLost])
            case .ends(.insideBody, let isReset):
                let coding: Set<Code> = last.response.isGzip ? [.undecodableContent] : []
                return timeout.union(coding).union(isReset ? [.incompleteBody, .connectionLost] : [.incompleteBody])
            case .silent: return [.timedOut]
            case .cutCoding: return timeout.union([.incompleteBody, .undecodableContent])
            case .upgrade: return timeout.union([.malformedResponse, .unsupported])
            case .early(.closes): return timeout.union([.connectionLost, .incompleteBody])
            }
        }
    }
#endif
