#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    @_spi(SessionManagers) import NetworkTransport

    // Sends the body of a request: from memory, or from a pipe that a task fills from a file or a sequence.
    extension LoopTransfer {
        /// Reads the next bytes of a body that is not in memory. Starts the body writer with the first call.
        func readBody(_ content: NetworkBody, into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPipe.Reading {
            let bodyWriter =
                upload.writer ?? BodyWriter(content, request: request) { [weak self] in self?.resume() }
            upload.writer = bodyWriter
            let reading = bodyWriter.pipe.read(into: buffer)
            switch reading {
            case .bytes(let count): upload.offset += count
            case .wait: upload.isPaused = true
            case .end:
                upload.isSent = true
                upload.trailers = bodyWriter.pipe.trailers
            case .failed: failure = bodyWriter.pipe.failure
            }
            return reading
        }

        /// Returns the next piece of such a body without copying it, if it is large; otherwise `nil`.
        func takeLargeChunk() -> Data? {
            guard let chunk = upload.writer?.pipe.takeLargeChunk() else { return nil }
            upload.offset += chunk.count
            return chunk
        }

        /// Stops the body writer and releases its file or sequence. A later read starts at the beginning of the body.
        func stopBodyWriter() {
            upload.stop()
        }

        /// Whether the body can be sent again: it is replayable, or no byte of it was read.
        var canSendBodyAgain: Bool {
            guard let body = request.body else { return true }
            return body.isReplayable || upload.writer == nil
        }

        /// Whether the body is larger than 32 KiB, or of unknown length, so that it is not sent in one packet with the head.
        var isLargeUpload: Bool {
            (upload.length.map { $0 > 32 << 10 } ?? true) && request.sendsBody
        }
    }
#endif
