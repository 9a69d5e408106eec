#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation

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
