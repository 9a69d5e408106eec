#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc
    import NetworkCore
    import NetworkSupport
    import TransferTestSupport

    /// The server of a storm. It handles each request according to its plan, and checks how the client uses its connections.
    struct StormServer {
        let server: RawServer
        var url: URL { server.url }

        /// - Parameter connections: The maximum number of connections of the client.
        init(_ journal: StormJournal, connections: Int) throws {
            let meeting = StormMeeting(members: connections)
            server = try RawServer(keepsArrivals: false) { connection in
                Self.watch(connection, journal, limit: connections)
                var service = StormService(connection: connection, journal: journal, meeting: meeting)
                do {
                    while try service.serveNext() {}
                } catch {
                    service.connectionFailed()
                }
            }
        }

        /// Ends all connections.
        ///
        /// - Returns: When all bytes that were received on them have been read.
        func end() async {
            server.stop()
            await server.waitUntilClosed()
        }

        /// Checks that the client has no more connections than allowed. One that it is about to close may still be counted for a
        /// short time.
        private static func watch(_ connection: RawConnection, _ journal: StormJournal, limit: Int) {
            var open = 0
            for _ in 0..<2_000 {
                open = connection.establishedConnections
                if open <= limit { return }
                usleep(5_000)
            }
            journal.violation("more connections were open than allowed", "\(open) of \(limit)")
        }
    }

    /// A barrier that opens when the given number of requests has arrived.
    final class StormMeeting: Sendable {
        private let members: Int
        private let present = Locked<[String: Int]>([:])
        private let change = NSCondition()

        init(members: Int) {
            self.members = members
        }

        /// - Returns: Whether all requests arrived within 30 seconds.
        func attend(_ name: String) -> Bool {
            let end = Date(timeIntervalSinceNow: 30)
            change.lock()
            defer { change.unlock() }
            present.withLock { $0[name, default: 0] += 1 }
            change.broadcast()
            while present.withLock({ $0[name] ?? 0 }) < members { if !change.wait(until: end) { return false } }
            return true
        }
    }

    /// One connection of a storm.
    struct StormService {
        let connection: RawConnection
        let journal: StormJournal
        let meeting: StormMeeting
        private var index = 0
        /// Why no further request is allowed on the connection, or `nil`.
        private var spent: String?
        /// When unrequested bytes were sent, or `nil`.
        private var pushed: ContinuousClock.Instant?
        /// The request that has arrived and has no response yet.
        private var current: (id: Int, attempt: Int)?

        init(connection: RawConnection, journal: StormJournal, meeting: StormMeeting) {
            self.connection = connection
            self.journal = journal
            self.meeting = meeting
        }

        /// Reads a request and responds to it.
        ///
        /// - Returns: Whether the connection stays open.
        mutating func serveNext() throws -> Bool {
            guard let request = try connection.head() else { return false }
            if let spent { journal.violation("a connection was reused after \(spent)", request.text) }
            defer { index += 1 }
            if request.target.hasPrefix("/meet/") {
                let isMet = meeting.attend(request.target)
                if !isMet { journal.violation("not all connections were available at the same time", request.target) }
                try connection.send("HTTP/1.1 \(isMet ? 200 : 503) Met\r\nContent-Length: 0\r\n\r\n")
                return true
            }
            guard let id = Int(request.target.dropFirst(3)), request.target.hasPrefix("/x/"), request["x-id"] == "\(id)" else {
                journal.violation("a request was damaged", request.text)
                return false
            }
            let plan = journal.plan(id)
            let attempt = journal.arrive(id, connection: connection.number, index: index, pushed: pushed)
            guard request.method == plan.method.rawValue else {
                journal.violation("a request was damaged", request.text)
                return false
            }
            current = (id, attempt)
            // The client used unrequested bytes as its response, or will detect them: it gets no other response.
            guard pushed == nil else {
                journal.note(id, attempt: attempt) { $0.isDropped = true }
                return false
            }
            let staysOpen = try respond(request, plan, plan.response(attempt), attempt)
            current = nil
            return staysOpen
        }

        /// Handles the end of the connection in the middle of an exchange.
        func connectionFailed() {
            if let current { journal.note(current.id, attempt: current.attempt) { $0.isDropped = !$0.hasResponse } }
            // A request of which only a part was received counts as an arrival, although it gets no response.
            while (try? connection.receive(within: 0)) == true {}
            guard let request = connection.partialHead, request.target.hasPrefix("/x/"),
                let id = Int(request.target.dropFirst(3)),
                request["x-id"] == "\(id)"
            else { return }
            let attempt = journal.arrive(id, connection: connection.number, index: index, pushed: pushed)
            journal.note(id, attempt: attempt) { $0.isDropped = true }
        }
    }

    extension StormService {
        private mutating func respond(
            _ request: RawRequest, _ plan: StormPlan, _ response: StormResponse, _ attempt: Int
        ) throws -> Bool {
            var random = SeededGenerator(seed: response.seed)
            let isPush =
                if case .pushLater = response.after { 1 } else { 0 }
            journal.withState { $0.pendingPushes += isPush }
            defer { journal.withState { $0.pendingPushes -= isPush } }
            if request["connection"]?.lowercased() == "close" { spent = "a request with Connection: close" }
            if response.isLast { spent = "a response that had to be the last one" }
            if case .early(let early) = response.fate {
                // In half of the cases, a part of the body is read from the socket first.
                if random.chance(50) { _ = try? connection.receive(within: 2) }
                try send(plan, response, attempt, &random)
                switch early {
                case .closes: return false
                case .lingers:
                    connection.finish()
                    connection.drain()
                    return false
                case .readsOn: try readBody(request, plan)
                }
            } else {
                try readBody(request, plan)
                let wire = response.wire(id: plan.id, attempt: attempt, method: plan.method)
                switch response.fate {
                case .ends(let place, let isReset):
                    try sendPart(wire, upTo: place, plan, response, attempt, &random)
                    journal.note(plan.id, attempt: attempt) { $0.isDropped = !$0.hasResponse }
                    connection.flush()
                    if isReset { connection.reset() }
                    return false
                case .silent(let place):
                    try sendPart(wire, upTo: place, plan, response, attempt, &random)
                    connection.drain()
                    return false
                default: try send(plan, response, attempt, &random)
                }
            }
            if response.framing == .untilEnd || response.fate == .upgrade { connection.finish() }
            if spent != nil {
                // The client has to end the connection. A request that arrives instead is recorded as a violation.
                return connection.waitForBytes(1_000)
            }
            return try idle(response)
        }

        private func readBody(_ request: RawRequest, _ plan: StormPlan) throws {
            if request["expect"]?.lowercased() == "100-continue" { try connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
            let body: Data
            do throws(RawConnection.Failure) {
                body = try connection.body(of: request)
            } catch {
                if error == .malformed { journal.violation("a request's body was damaged", "\(plan)") }
                throw error
            }
            if body != StormBytes.request(plan.id, plan.contentSize) {
                journal.violation("a request's body had bytes of another body", "\(body.count) bytes for \(plan)")
            }
        }

        /// What happens on the connection between this response and the next request.
        private mutating func idle(_ response: StormResponse) throws -> Bool {
            switch response.after {
            case .keep: return true
            case .close(let delay):
                return connection.waitForBytes(delay)
            case .reset(let delay):
                connection.flush()
                if connection.waitForBytes(delay) { return true }
                connection.reset()
                return false
            case .pushJoined(let push):
                // An early response is sent without the push.
                guard pushed != nil else { return true }
                journal.count("pushes")
                if push == .timeout { connection.finish() }
                return true
            case .pushLater(let push, let delay):
                if connection.waitForBytes(delay) { return true }
                try connection.send(push.bytes)
                connection.flush()
                pushed = .now
                journal.count("pushes")
                if push == .timeout { connection.finish() }
                return true
            }
        }
    }

    // Sending: in parts, with pauses.
    extension StormService {
        private mutating func send(
            _ plan: StormPlan, _ response: StormResponse, _ attempt: Int, _ random: inout SeededGenerator
        ) throws {
            let wire = response.wire(id: plan.id, attempt: attempt, method: plan.method)
            if case .stops = plan.face { return try sendWatched(wire, plan, attempt) }
            var bytes = wire.interim + wire.head + wire.body
            if case .pushJoined(let push) = response.after, spent == nil, response.fate == .whole {
                let isOneSegment = bytes.count < 16 << 10
                bytes += push.bytes
                try send(bytes, response, plan.id, attempt, &random, unsplit: push.bytes.count + 1)
                if !isOneSegment { connection.flush() }
                // In one segment with the last bytes of the response, the push arrives together with them.
                pushed = isOneSegment ? .now - .seconds(3_600) : .now
            } else {
                try send(bytes, response, plan.id, attempt, &random)
            }
        }

        private func sendPart(
            _ wire: StormResponse.Wire, upTo place: StormResponse.Place, _ plan: StormPlan, _ response: StormResponse,
            _ attempt: Int,
            _ random: inout SeededGenerator
        ) throws {
            let head = wire.interim + wire.head
            switch place {
            case .beforeHead: return
            case .insideHead:
                try send(head.prefix(1 + random.below(head.count - 1)), response, plan.id, attempt, &random)
            case .insideBody:
                let body = wire.body.prefix(random.below(wire.longestCut + 1))
                try send(head + body, response, plan.id, attempt, &random)
            }
        }

        /// - Parameter unsplit: The number of bytes at the end that are sent in one piece.
        private func send(
            _ bytes: Data, _ response: StormResponse, _ id: Int, _ attempt: Int, _ random: inout SeededGenerator, unsplit: Int = 1
        ) throws {
            journal.note(id, attempt: attempt) { $0.hasResponse = true }
            var cuts: [Int] = []
            if response.parts > 10 {
                cuts = Array(0..<min(60, bytes.count))
            } else {
                cuts = (1..<max(response.parts, 1) + 1).map { _ in random.below(bytes.count) }.sorted()
            }
            var start = 0
            for cut in cuts where cut > start && cut < bytes.count - unsplit {
                try connection.send(bytes.dropFirst(start).prefix(cut - start))
                start = cut
                if response.waits { connection.flush() }
            }
            try connection.send(bytes.dropFirst(start))
        }

        /// Sends a body whose reader stops, and measures how many bytes the client buffers when no more can be sent.
        private func sendWatched(_ wire: StormResponse.Wire, _ plan: StormPlan, _ attempt: Int) throws {
            let id = plan.id
            journal.note(id, attempt: attempt) { $0.hasResponse = true }
            connection.setSendBuffer(32 << 10)
            try connection.send(wire.interim + wire.head)
            var sent = 0
            while sent < wire.body.count {
                let count = try connection.sendSome(wire.body.dropFirst(sent).prefix(65_536))
                sent += count
                guard count == 0 else { continue }
                var interest = pollfd(fd: connection.descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&interest, 1, 150) == 0 {
                    measure(plan, sent: sent)
                    if poll(&interest, 1, 60_000) == 0 { throw RawConnection.Failure.late }
                }
            }
            // If the sockets have room for the whole body, sending never stops.
            if !journal.withExchange(id, { $0.isMeasured }) {
                usleep(100_000)
                measure(plan, sent: sent)
            }
        }

        private func measure(_ plan: StormPlan, sent: Int) {
            guard let taken = journal.withExchange(plan.id, { $0.isMeasured ? nil : $0.stoppedAt }) else { return }
            let held = HeldBytes(connection: connection).count(sent: sent) - taken
            journal.withExchange(plan.id) { $0.isMeasured = true }
            journal.count("readers that stopped")
            if held > WireRuleTests.maximumBufferedBytes + (16 << 10) {
                journal.violation(
                    "more than 256 KiB and one read was buffered for a reader that stopped", "\(held) bytes: \(plan)")
            }
        }
    }
#endif
