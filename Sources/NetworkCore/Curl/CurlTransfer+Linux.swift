#if os(Linux)
    import Endpoints
    import Foundation

    /// What the loop hands over when a transfer has ended well; parsed on the side of whoever waits for it.
    struct RawResponse: Sendable {
        var status: Int
        var head: ResponseHead
        var body: Data
        var url: URL
        var timings: TransferTimings

        var parsed: NetworkResponse {
            NetworkResponse(
                statusCode: status, headers: head.headers, trailers: head.trailers, body: body, url: url, timings: timings)
        }
    }

    /// One request on its way through the engine, from the call to the answer, over all redirects.
    ///
    /// Its answer is given once, by whoever comes first: the loop, or `cancel()`. Everything else belongs to the loop.
    // Sendable although unchecked: `answer` is behind its mutex, `let`s are immutable, and each `var` below the mark is touched
    // by the loop's thread alone, after the inbox handed the transfer over.
    final class CurlTransfer: NetworkCancellable, DeadlineMember, @unchecked Sendable {
        typealias Outcome = Result<RawResponse, TransportError>

        enum Receiver {
            case continuation(UnsafeContinuation<Outcome, Never>)
            case completion(@Sendable (Outcome) -> Void)
        }

        private enum Answer {
            /// Nobody waits yet.
            case idle
            case awaited(Receiver)
            /// Given, or called off before anybody waited.
            case given
        }

        private let answer = Locked(Answer.idle)
        private let loop: CurlLoop
        var limits: SessionConfiguration { loop.configuration }
        /// The first hop's.
        private let original: NetworkRequest
        let submitted = monotonicNanoseconds()

        // MARK: The loop's own

        /// That of the current hop.
        var request: NetworkRequest
        var origin: String
        /// That of the current hop's host.
        var trust: CurlTrust?
        var redirects = 0
        /// How often this hop has been sent, and whether it may be again.
        var sending = SendRule()
        var easy: EasyHandle?
        var ticket: UInt64?
        var isInside = false
        /// When the current hop asked to be let in.
        var entered: UInt64
        /// Nanoseconds of waiting, in all hops so far.
        var queued: UInt64 = 0
        var launched: UInt64 = 0
        var lastActivity: UInt64 = 0
        /// When the first line of the response came, 0 before.
        var firstByte: UInt64 = 0
        var uploadedAtLastCheck: Int64 = 0
        var totalDeadline = UInt64.max
        var idleNanoseconds: UInt64 = 0
        var deadline = UInt64.max
        var heapIndex = -1
        var head = ResponseHead()
        var body = Data()
        var bodyOffset = 0
        /// Why one of our callbacks stopped the transfer.
        var failure: TransportError?
        var isEnded = false

        init(_ request: NetworkRequest, loop: CurlLoop) {
            self.request = request
            self.loop = loop
            original = request
            entered = submitted
            origin = URLText(request.url).origin
        }

        /// Gives the transfer somebody to answer to, and sends it off unless it was cancelled before.
        func begin(_ receiver: Receiver) {
            let isCancelled = answer.withLock { answer in
                guard case .idle = answer else { return true }
                answer = .awaited(receiver)
                return false
            }
            if isCancelled { return Self.deliver(.failure(cancellation), to: receiver) }
            loop.start(self)
        }

        func cancel() {
            let receiver = take()
            if let receiver { Self.deliver(.failure(cancellation), to: receiver) }
            loop.cancel(self)
        }

        /// Bytes have moved.
        func touch() {
            lastActivity = monotonicNanoseconds()
        }

        /// Whether nobody waits any more.
        var isAnswered: Bool {
            answer.withLock { if case .given = $0 { true } else { false } }
        }

        /// Answers; does nothing the second time.
        func end(_ outcome: Outcome) {
            guard let receiver = take() else { return }
            Self.deliver(outcome, to: receiver)
        }

        private func take() -> Receiver? {
            answer.withLock { answer in
                defer { answer = .given }
                if case .awaited(let receiver) = answer { return receiver }
                return nil
            }
        }

        private static func deliver(_ outcome: Outcome, to receiver: Receiver) {
            switch receiver {
            case .continuation(let continuation):
                continuation.resume(returning: outcome)
            case .completion(let completion):
                // Not on the loop's thread: the caller's closure may block.
                CompletionQueue.run { completion(outcome) }
            }
        }

        private var cancellation: TransportError {
            TransportError(.cancelled, "the request was cancelled", request: original)
        }
    }
#endif
