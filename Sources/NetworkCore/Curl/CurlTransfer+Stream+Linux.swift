#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation

    // The body on its way to a reader, while it arrives.
    extension CurlTransfer {
        /// The head is complete: answers with it, unless it is an interim one or that of a redirect to follow.
        func openStream() {
            guard download != nil, !isStreaming, let easy else { return }
            let status = easy.statusCode
            guard status >= 200 || status == 101 else { return }
            let isFollowed = RedirectRules.isRedirect(status) && limits.maximumRedirects > 0 && head.headers.contains("Location")
            if isFollowed { return }
            isStreaming = true
            answerHead(easy.response(status: status, transfer: self))
        }

        /// - Returns: What libcurl's callback is to: the number of bytes taken, or a wish to pause.
        func stream(_ bytes: UnsafeRawBufferPointer) -> Int {
            if download?.write(bytes) != false {
                arrivals?.note(self)
                return bytes.count
            }
            isReceivePaused = true
            return Int(CCURL_WRITEFUNC_PAUSE)
        }

        /// Whether the transfer stands still because our side has nothing to send or does not read.
        var isPaused: Bool { isSendPaused || isReceivePaused }
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

    extension CurlEngine {
        /// Goes on in both directions; what still cannot go on pauses anew.
        func resume(_ transfer: CurlTransfer) {
            guard let easy = transfer.easy, transfer.isPaused else { return }
            transfer.touch()
            transfer.isSendPaused = false
            transfer.isReceivePaused = false
            let code = ccurl_easy_pause(easy.pointer, CInt(CCURLPAUSE_CONT))
            guard code != CInt(CCURLE_OK) else { return }
            end(transfer, .failure(transfer.failure ?? easy.error(code, transfer: transfer)))
        }
    }
#endif
