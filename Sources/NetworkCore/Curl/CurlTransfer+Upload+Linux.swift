#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation

    // The body on its way out: from memory, or through a pipe that a task fills from a file or a sequence.
    extension CurlTransfer {
        /// - Returns: What libcurl's callback is to: the number of bytes, 0 at the end, or a wish to pause or stop.
        func sendBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            touch()
            defer { reportProgress() }
            guard let content = request.body else { return 0 }
            guard let data = content.data else { return sendPumped(content, into: buffer) }
            let count = min(buffer.count, data.count - bodyOffset)
            let start = data.startIndex + bodyOffset
            data.copyBytes(to: buffer, from: start..<(start + count))
            bodyOffset += count
            return count
        }

        private func sendPumped(_ content: RequestContent, into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let pump = pump ?? ContentPump(content, length: bodyLength, request: request) { [weak self] in self?.resume() }
            self.pump = pump
            switch pump.pipe.read(into: buffer) {
            case .bytes(let count):
                bodyOffset += count
                return count
            case .wait:
                isSendPaused = true
                return Int(CCURL_READFUNC_PAUSE)
            case .end:
                isBodySent = true
                return 0
            case .failed:
                failure = pump.pipe.failure
                return Int(CCURL_READFUNC_ABORT)
            }
        }

        /// libcurl needs the body again, since the connection it went out on had been closed.
        func rewindBody(to offset: Int64) -> Bool {
            guard let content = request.body else { return offset == 0 }
            if let data = content.data {
                guard (0...Int64(data.count)).contains(offset) else { return false }
                bodyOffset = Int(offset)
                return true
            }
            guard offset == 0 else { return false }
            if bodyOffset == 0 { return true }
            guard content.isReplayable else {
                failure = .bodyNotReplayable(for: request)
                return false
            }
            stopPump()
            return true
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

        /// - Parameter uploaded: Bytes libcurl has sent.
        func isSending(uploaded: Int64) -> Bool {
            guard request.body != nil else { return false }
            if let bodyLength { return uploaded < bodyLength }
            return !isBodySent
        }
    }
#endif
