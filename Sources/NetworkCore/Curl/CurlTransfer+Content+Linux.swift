#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation

    // The response on its way to whoever waits for it, the same for both versions of HTTP: head, content decoding, limits, and a reader
    // who may be slower than the network.
    extension CurlTransfer {
        /// Whether the transfer stands still because our side has nothing to send or does not read.
        var isPaused: Bool { isSendPaused || isReceivePaused }

        /// Whether a redirect is followed, so that nobody sees the body of this response.
        var isRedirected: Bool {
            RedirectRules.isRedirect(status) && limits.maximumRedirects > 0 && head.headers.contains("Location")
        }

        /// The final head has come. Answers with it where the body is wanted while it arrives.
        ///
        /// - Parameters:
        ///   - length: `Content-Length`, if the body has that length.
        ///   - encoding: `Content-Encoding`.
        /// - Throws: ``TransportError/Code/bodyTooLarge`` for a body that is announced as larger than it may be.
        func receiveHead(
            _ head: ResponseHead, status: Int, length: Int64?, encoding: String?, at now: UInt64
        ) throws(TransportError) {
            self.head = head
            self.status = status
            isBodyUnwanted = RedirectRules.isRedirect(status) && isRedirected
            if isBodyUnwanted { return }
            let hasContent = request.method != .head && status != 204 && status != 304
            if let encoding, hasContent, ContentCoding.areUndone(encoding, for: request.headers) {
                decoder = ContentDecoder(contentEncoding: encoding, maximumRatio: limits.maximumDecodingRatio)
            }
            if progress != nil { announcedLength = head.headers["Content-Length"].flatMap(Int64.init) }
            guard download != nil else {
                guard hasContent, let length, length > limits.maximumBodyBytes else { return }
                throw TransportError(
                    .bodyTooLarge,
                    "the body is announced with \(length) bytes, more than \(limits.maximumBodyBytes) (maximumBodyBytes)",
                    phase: .receive, request: request)
            }
            guard !isStreaming else { return }
            isStreaming = true
            endHeadBound()
            answerHead(RawResponse(status: status, head: head, body: Data(), url: request.url, timings: timings(now)))
        }

        /// Takes content as it comes from the connection.
        ///
        /// - Returns: `false` when the reader has no room. What is left over is kept, and ``receiveHeld(_:)`` goes on.
        func receiveBody(_ bytes: UnsafeRawBufferPointer, _ workspace: Workspace) throws(TransportError) -> Bool {
            bytesReceived += Int64(bytes.count)
            if isBodyUnwanted { return true }
            guard decoder != nil else {
                if try deliver(bytes, workspace) { return true }
                held.append(contentsOf: bytes)
                return false
            }
            let taken = try decode(bytes, workspace)
            if taken == bytes.count, !isDecoderFull { return true }
            held.append(contentsOf: bytes[taken...])
            return false
        }

        /// Goes on with what is kept.
        ///
        /// - Returns: `false` when the reader has no room again.
        func receiveHeld(_ workspace: Workspace) throws(TransportError) -> Bool {
            guard decoder != nil else {
                guard !held.isEmpty else { return true }
                let isTaken = try withHeld { bytes throws(TransportError) in try deliver(bytes, workspace) }
                if isTaken { held = [] }
                return isTaken
            }
            let taken = try withHeld { bytes throws(TransportError) in
                try decode(UnsafeRawBufferPointer(rebasing: bytes[heldOffset...]), workspace)
            }
            heldOffset += taken
            guard heldOffset == held.count, !isDecoderFull else { return false }
            held = []
            heldOffset = 0
            return true
        }

        /// `Array.withUnsafeBytes` does not keep the type of what is thrown.
        private func withHeld<Taken>(
            _ body: (UnsafeRawBufferPointer) throws(TransportError) -> Taken
        ) throws(TransportError) -> Taken {
            let result: Result<Taken, TransportError> = held.withUnsafeBytes { bytes in
                do throws(TransportError) { return .success(try body(bytes)) } catch { return .failure(error) }
            }
            return try result.get()
        }

        /// The body has come to its end.
        ///
        /// - Throws: ``TransportError/Code/undecodableContent`` when its content coding has not.
        func finishBody() throws(TransportError) {
            guard let decoder else { return }
            do throws(ContentDecodingFailure) {
                try decoder.finish()
            } catch {
                throw undecodable(error)
            }
        }

        /// Forgets what the response of one hop has left behind.
        func resetResponse() {
            head = ResponseHead()
            status = 0
            body = Data()
            decoder = nil
            held = []
            heldOffset = 0
            isBodyComplete = false
            isBodyUnwanted = false
            isDecoderFull = false
            bytesReceived = 0
            sentAt = 0
            firstByte = 0
            hop = HopTimings()
        }

        /// - Returns: How many bytes were taken; not all when the reader has no room.
        private func decode(_ bytes: UnsafeRawBufferPointer, _ workspace: Workspace) throws(TransportError) -> Int {
            guard let decoder else { return bytes.count }
            var offset = 0
            isDecoderFull = false
            while offset < bytes.count || decoder.mayHoldOutput {
                if isStreaming, download?.hasRoom == false {
                    isDecoderFull = true
                    return offset
                }
                let step: (consumed: Int, produced: Int)
                do throws(ContentDecodingFailure) {
                    step = try decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[offset...]), into: workspace.decoded)
                } catch {
                    throw undecodable(error)
                }
                offset += step.consumed
                if step.produced > 0 {
                    _ = try deliver(UnsafeRawBufferPointer(rebasing: workspace.decoded[..<step.produced]), workspace)
                } else if step.consumed == 0 {
                    break
                }
            }
            return offset
        }

        /// - Returns: `false` when the reader has no room: nothing was taken.
        private func deliver(_ bytes: UnsafeRawBufferPointer, _ workspace: Workspace) throws(TransportError) -> Bool {
            if isStreaming {
                guard download?.write(bytes) != false else { return false }
                workspace.arrivals.note(self)
                return true
            }
            guard bytes.count <= limits.maximumBodyBytes - body.count else {
                throw TransportError(
                    .bodyTooLarge, "the body is larger than \(limits.maximumBodyBytes) bytes (maximumBodyBytes)",
                    phase: .receive, request: request)
            }
            body.append(contentsOf: bytes)
            return true
        }

        private func undecodable(_ failure: ContentDecodingFailure) -> TransportError {
            let message =
                switch failure {
                case .truncated: "the content ends before its Content-Encoding does"
                case .damaged(let reason): "the content is damaged: \(reason)"
                case .ratio(let limit): "the content grows to more than \(limit) times its coded size (maximumDecodingRatio)"
                case .outOfMemory: "no memory to decode the content"
                }
            let code: TransportError.Code =
                switch failure {
                case .ratio: .bodyTooLarge
                case .outOfMemory: .outOfResources
                default: .undecodableContent
                }
            return TransportError(code, message, phase: .receive, request: request)
        }
    }

    /// What all transfers of an engine use while they receive. Confined to the holder of the engine's turn.
    final class Workspace {
        /// What a socket is read into.
        let read = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 16)
        /// What content is decoded into.
        let decoded = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        let arrivals = Arrivals()

        deinit {
            read.deallocate()
            decoded.deallocate()
        }
    }

    /// Transfers whose readers have something to read since the loop last looked. Belongs to whoever has the engine's turn.
    final class Arrivals {
        private var transfers: [CurlTransfer] = []

        func note(_ transfer: CurlTransfer) {
            guard !transfer.hasArrivals else { return }
            transfer.hasArrivals = true
            transfers.append(transfer)
        }

        /// Wakes the readers.
        func flush() {
            guard !transfers.isEmpty else { return }
            for transfer in transfers {
                transfer.hasArrivals = false
                transfer.download?.flush()
            }
            transfers.removeAll(keepingCapacity: true)
        }
    }

    // A request's body on its way out: from memory, or through a pipe that a task fills from a file or a sequence.
    extension CurlTransfer {
        /// What there is to send of a body that does not come from memory.
        func readPump(_ content: RequestContent, into buffer: UnsafeMutableRawBufferPointer) -> UploadPipe.Reading {
            let pump = pump ?? ContentPump(content, length: bodyLength, request: request) { [weak self] in self?.resume() }
            self.pump = pump
            let reading = pump.pipe.read(into: buffer)
            switch reading {
            case .bytes(let count): bodyOffset += count
            case .wait: isSendPaused = true
            case .end: isBodySent = true
            case .failed: failure = pump.pipe.failure
            }
            return reading
        }

        /// The next piece of such a body without a copy, if it is a large one.
        func takeLargeChunk() -> Data? {
            guard let chunk = pump?.pipe.takeLargeChunk() else { return nil }
            bodyOffset += chunk.count
            return chunk
        }

        /// Lets go of the body's file or sequence; the next one to read begins at the beginning.
        func stopPump() {
            pump?.stop()
            pump = nil
            bodyOffset = 0
            isBodySent = false
            isSendPaused = false
        }

        /// Whether the body can go out once more: from the beginning, or because nobody has touched it.
        var canSendBodyAgain: Bool {
            guard let body = request.body else { return true }
            return body.isReplayable || pump == nil
        }

        /// Whether the body is larger than what goes out at once with the head.
        var isLargeUpload: Bool {
            guard request.sendsBody else { return false }
            return bodyLength.map { $0 > 32 << 10 } ?? true
        }

        /// - Parameter uploaded: Bytes that were sent.
        func isSending(uploaded: Int64) -> Bool {
            guard request.body != nil else { return false }
            if let bodyLength { return uploaded < bodyLength }
            return !isBodySent
        }
    }
#endif
