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

    /// One request on its way through the engine, from the call to the response, over all redirects, whichever version of HTTP its
    /// connections speak.
    ///
    /// It is answered once, by whoever comes first: the loop, or `cancel()`. Everything else belongs to the loop it is in, or to
    /// the line.
    // Sendable although unchecked: `answer` is behind its mutex, `station` behind the line's, `let`s are immutable, and each `var`
    // below the mark is touched by the one who starts the transfer, then by the line's holder while it waits, then by the loop's thread
    // after the inbox handed the transfer over.
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
            /// Given, or cancelled before anybody waited.
            case given
        }

        /// Where it is, to the line.
        enum Station {
            /// Called and not yet in line, or between two hops.
            case outside
            case waiting(UInt64)
            /// In the loop of that number, or on the way to it.
            case inside(Int)
            /// Ended or cancelled: it gets no other place.
            case gone
        }

        /// What moves a hop forward, once it has a place.
        enum Carrier {
            case none
            /// Another finds out which version of HTTP the origin speaks.
            case awaitingVersion
            case connecting(ConnectHandle)
            case http1(HTTP1Connection)
            case http2(HTTP2Handle)
        }

        enum VersionRule {
            case any
            /// The server has refused the hop over HTTP/2 (RFC 9113 §7, `HTTP_1_1_REQUIRED`).
            case http1
            /// The server has refused a connection that offered HTTP/1.1 alone.
            case http2
        }

        private let answer = Locked(Answer.idle)
        private let loops: CurlLoops
        var limits: SessionConfiguration { loops.configuration }
        /// The first hop's.
        private let original: NetworkRequest
        let submitted = monotonicNanoseconds()
        /// Where the body goes when it is wanted while it arrives.
        private(set) var download: DownloadPipe?
        /// `nil` when nobody listens.
        let progress: ProgressReporter?
        var station = Station.outside

        // MARK: The loop's own

        /// That of the current hop.
        var request: NetworkRequest
        var origin: String
        /// That of the current hop's host.
        var trust: CurlTrust?
        var redirects = 0
        /// How often this hop has been sent, and whether it may be again.
        var sending = SendRule()
        var carrier = Carrier.none
        /// Which versions of HTTP the hop may be sent over.
        var versionRule = VersionRule.any
        /// Whether it is in the loop that it was handed to.
        var isHere = false
        /// When the current hop asked to be let in.
        var entered: UInt64
        /// Nanoseconds of waiting, in all hops so far.
        var queued: UInt64 = 0
        var launched: UInt64 = 0
        var lastActivity: UInt64 = 0
        /// When the last byte of the request's body was taken, 0 before.
        var sentAt: UInt64 = 0
        /// When the first byte of the response came, 0 before.
        var firstByte: UInt64 = 0
        var uploadedAtLastCheck: Int64 = 0
        var totalDeadline = UInt64.max
        /// What bounds the time until the head of a streamed response, and then the time without a byte.
        var headBound: Deadline?
        /// The `totalDeadline` of a streamed response whose head has come.
        var bodyDeadline = UInt64.max
        /// When the connection has to be ready.
        var connectDeadline = UInt64.max
        /// Until when a body waits for a 100.
        var continueDeadline = UInt64.max
        var idleNanoseconds: UInt64 = 0
        var deadline = UInt64.max
        var heapIndex = -1
        /// What is known of the connection of the current hop.
        var hop = HopTimings()
        var status = 0
        var head = ResponseHead()
        var body = Data()
        /// What undoes the content coding; `nil` where the body is handed on as it comes.
        var decoder: ContentDecoder?
        /// Content that came when the reader had no room for it, and how much of it has been looked at.
        var held: [UInt8] = []
        var heldOffset = 0
        /// Whether the decoder has more for a reader who has no room.
        var isDecoderFull = false
        /// Whether the response is a redirect that is followed.
        var isBodyUnwanted = false
        /// Whether the end of the body has come, behind what is held.
        var isBodyComplete = false
        /// Bytes of the body received in this hop, before content decoding.
        var bytesReceived: Int64 = 0
        /// Bytes of the request's body handed over in this hop.
        var bodyOffset = 0
        /// How long the request's body is; `nil` for a stream that does not know.
        var bodyLength: Int64?
        /// Whether a body of unknown length has come to its end.
        var isBodySent = false
        var pump: ContentPump?
        var isSendPaused = false
        var isReceivePaused = false
        /// Whether the head has been handed over and the body goes through `download`.
        var isStreaming = false
        var hasArrivals = false
        /// What `Content-Length` says, where somebody listens to the progress.
        var announcedLength: Int64?
        /// Why one of our callbacks stopped the transfer.
        var failure: TransportError?

        /// - Parameters:
        ///   - bodyLength: `nil` for a stream that does not know.
        ///   - isStreamed: Whether the answer is given when the head has come.
        init(_ request: NetworkRequest, bodyLength: Int64? = 0, isStreamed: Bool = false, loops: CurlLoops) {
            self.request = request
            self.bodyLength = bodyLength
            self.loops = loops
            original = request
            entered = submitted
            origin = request.origin
            progress = ProgressReporter(request.progress, submitted: submitted)
            if isStreamed { download = DownloadPipe { [weak self] in self?.resume() } }
        }

        /// Gives the transfer somebody to answer to, and sends it off unless it was cancelled before.
        func begin(_ receiver: Receiver) {
            let isCancelled = answer.withLock { answer in
                guard case .idle = answer else { return true }
                answer = .awaited(receiver)
                return false
            }
            if isCancelled {
                progress?.finish()
                return deliver(.failure(cancellation), to: receiver)
            }
            loops.start(self)
        }

        func cancel() {
            let receiver = take()
            if receiver != nil || download != nil { progress?.finish() }
            if let receiver { deliver(.failure(cancellation), to: receiver) }
            if let download, !download.cancel(cancellation) { return }
            loops.cancel(self)
        }

        /// There is room, or something to send, after a pause.
        func resume() {
            loops.resume(self)
        }

        /// Whether nobody waits any more.
        var isAnswered: Bool {
            answer.withLock { if case .given = $0 { true } else { false } }
        }

        /// Answers, or tells the reader of the body that it has ended; does nothing the second time.
        func end(_ outcome: Outcome) {
            // Whoever answers has told the last event before.
            let receiver = take()
            if receiver != nil || download != nil { progress?.finish { $0.complete(with: outcome) } }
            if let receiver { deliver(outcome, to: receiver) }
            guard let download else { return }
            let end = outcome.map { StreamEnd(trailers: $0.head.trailers, timings: $0.timings) }
            original.progress.whenSettled { download.finish(end) }
        }

        /// Answers while the transfer goes on.
        func answerHead(_ response: RawResponse) {
            if let receiver = take() { Self.hand(.success(response), to: receiver) }
        }

        private func take() -> Receiver? {
            answer.withLock { answer in
                defer { answer = .given }
                if case .awaited(let receiver) = answer { return receiver }
                return nil
            }
        }

        /// Hands over an outcome once the last event has been told.
        private func deliver(_ outcome: Outcome, to receiver: Receiver) {
            if original.progress == nil { return Self.hand(outcome, to: receiver) }
            original.progress.whenSettled { Self.hand(outcome, to: receiver) }
        }

        private static func hand(_ outcome: Outcome, to receiver: Receiver) {
            switch receiver {
            case .continuation(let continuation):
                continuation.resume(returning: outcome)
            case .completion(let completion):
                // Not on the loop's thread: the caller's closure may block.
                BackgroundThreads.completions.run { completion(outcome) }
            }
        }

        private var cancellation: TransportError {
            TransportError(.cancelled, "the request was cancelled", request: original)
        }
    }
#endif
