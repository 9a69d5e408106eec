#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkSupport
    import TransferTestSupport

    /// The outcome of a call, as its caller observes it.
    struct StormOutcome: Sendable {
        struct Head: Sendable {
            var status: Int
            var headers: HeaderFields
        }

        /// The head of the response, if one was received.
        var head: Head?
        var body = Data()
        /// The size of the body, and whether it is a prefix of the expected body. Both are set when the body is released.
        var size = 0
        var isOwn = true
        var trailers: HeaderFields = [:]
        var error: TransportError?
        /// Whether the caller abandoned the rest.
        var isAbandoned = false

        /// Checks the body and releases it, because a storm has many bodies.
        mutating func settle(_ plan: StormPlan) {
            size = body.count
            let attempt = Int(head?.headers["X-Attempt"] ?? "") ?? 0
            let expected = plan.response(attempt).content(plan, attempt)
            isOwn = body.count <= expected.count && body == expected.prefix(body.count)
            body = Data()
        }
    }

    /// The client of a storm, which makes each call according to its plan.
    struct StormClient: Sendable {
        let session: SocketSessionManager
        let journal: StormJournal
        let url: URL

        func play(_ id: Int) async {
            let plan = journal.plan(id)
            if let pause = plan.pause { try? await Task.sleep(for: pause) }
            let request = request(plan)
            journal.withExchange(id) { $0.began = .now }
            var outcome: StormOutcome
            if let delay = plan.cancelAfter {
                let task = Task { await perform(plan, request) }
                try? await Task.sleep(for: delay)
                task.cancel()
                outcome = await task.value
            } else {
                outcome = await perform(plan, request)
            }
            outcome.settle(plan)
            journal.withExchange(id) { exchange in
                exchange.ended = .now
                if plan.face != .completion { exchange.ends += 1 }
                exchange.outcome = outcome
            }
        }

        private func request(_ plan: StormPlan) -> NetworkRequest {
            let target = URL(string: "x/\(plan.id)", relativeTo: url)?.absoluteURL ?? url
            var request = NetworkRequest(method: plan.method, url: target, headers: ["X-Id": "\(plan.id)"])
            if plan.sendsClose { request.headers["Connection"] = "close" }
            let body = StormBytes.request(plan.id, plan.contentSize)
            switch plan.content {
            case .none: break
            case .data: request.body = .data(body)
            case .stream(let isAnnounced):
                request.body = .stream(length: isAnnounced ? Int64(body.count) : nil) {
                    Pieces(of: body, size: max(1_000, body.count / 5))
                }
            }
            request.timeouts.idle = plan.isSilent ? StormPlan.shortTimeout : .seconds(60)
            return request
        }

        private func perform(_ plan: StormPlan, _ request: NetworkRequest) async -> StormOutcome {
            do throws(TransportError) {
                switch plan.face {
                case .buffered: return outcome(try await session.response(for: request))
                case .completion: return outcome(try await completion(plan.id, request).get())
                case .streamed, .stops, .abandons: return await read(try await session.stream(for: request), plan)
                }
            } catch {
                return StormOutcome(error: error)
            }
        }

        private func outcome(_ response: NetworkResponse) -> StormOutcome {
            StormOutcome(
                head: StormOutcome.Head(status: response.statusCode, headers: response.headers), body: response.data,
                trailers: response.trailers)
        }

        /// Sends the request with a completion handler, which must be called exactly once.
        private func completion(_ id: Int, _ request: NetworkRequest) async -> Result<NetworkResponse, TransportError> {
            let handle = Locked<(any NetworkCancellable)?>(nil)
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let call = session.response(for: request) { result in
                        let ends = journal.withExchange(id) { exchange in
                            exchange.ends += 1
                            return exchange.ends
                        }
                        if ends == 1 {
                            continuation.resume(returning: result)
                        } else {
                            journal.violation("a call ended more than once", "\(journal.plan(id))")
                        }
                    }
                    handle.withLock { $0 = call }
                    if Task.isCancelled { call.cancel() }
                }
            } onCancel: {
                handle.withLock { $0 }?.cancel()
            }
        }

        private func read(_ response: NetworkResponse, _ plan: StormPlan) async -> StormOutcome {
            var outcome = StormOutcome(
                head: StormOutcome.Head(status: response.statusCode, headers: response.headers))
            var chunks = response.body.makeAsyncIterator()
            var count = 0
            do throws(TransportError) {
                while true {
                    if plan.face == .abandons(after: count) {
                        outcome.isAbandoned = true
                        return outcome
                    }
                    if plan.face == .stops(after: count) { await stop(plan.id, taken: outcome.body.count) }
                    guard let chunk = try await chunks.next() else { break }
                    outcome.body += chunk
                    count += 1
                }
                outcome.trailers = response.trailers
            } catch {
                outcome.error = error
            }
            return outcome
        }

        /// Waits until the server has measured how many bytes the client buffers.
        private func stop(_ id: Int, taken: Int) async {
            journal.withExchange(id) { $0.stoppedAt = taken }
            for _ in 0..<300 where !journal.withExchange(id, { $0.isMeasured || !$0.arrivals.contains(where: \.hasResponse) }) {
                try? await Task.sleep(for: .milliseconds(10))
            }
        }
    }
#endif
