#if os(Linux)
    import CCurl
    import Endpoints

    // A server may close a kept connection just as a request goes out on it. Where repeating it is harmless and no byte came back,
    // that is no failure yet (RFC 9110 §9.2.2). Mostly libcurl repeats it by itself, and `mayBeSent` is asked; else it is done here.

    /// libcurl calls this before it sends a request on a connection, on the loop's thread: once, and again for each repetition.
    let mayBeSent: ccurl_prerequest_callback = { context, _, _, _, _ in
        guard let easy = HTTP2Handle.from(context) else { return CInt(CCURL_PREREQFUNC_ABORT) }
        return easy.mayBeSent() ? CInt(CCURL_PREREQFUNC_OK) : CInt(CCURL_PREREQFUNC_ABORT)
    }

    /// libcurl calls this with each line of its log.
    let listen: ccurl_debug_callback = { _, kind, bytes, count, context in
        guard kind == 0, let bytes, let easy = HTTP2Handle.from(context) else { return 0 }
        let words = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
        if words.contains("refused by server") { easy.heardRefusal = true }
        return 0
    }

    extension HTTP2Handle {
        fileprivate func mayBeSent() -> Bool {
            guard let transfer else { return false }
            isConnecting = false
            // A connection was made, and the server speaks something else by now: libcurl's HTTP/1.1 is not used.
            if handshake.pointee.is_done != 0, handshake.pointee.protocol != CInt(CALPN_HTTP2) {
                lostHTTP2 = true
                return false
            }
            // Once a byte has come back, it is sent anew for what the server said, such as 417.
            guard transfer.head.count == 0 else { return true }
            let wasRefused = wasRefused(transfer)
            heardRefusal = false
            let verdict = transfer.sending.next(
                connections: long(CCURLINFO_NUM_CONNECTS), isIdempotent: transfer.request.isIdempotent,
                wasRefused: wasRefused)
            switch verdict {
            case .send: return true
            case .sendOnFreshConnection: return false
            case .refuse:
                transfer.failure = transfer.lostConnection
                return false
            }
        }

        /// libcurl sends again what the server refused, by name or by a GOAWAY (RFC 9113 §8.7), and what a dead kept connection took with it.
        /// No result code tells which it was.
        private func wasRefused(_ transfer: CurlTransfer) -> Bool {
            guard transfer.sending.wasSent else { return false }
            return LibraryQuirks.current.saysRefusals ? heardRefusal : message.isEmpty
        }
    }

    extension CurlTransfer {
        /// What a failure to connect anew means for a request that was sent already and may not be sent again.
        func lostConnection(_ code: CInt) -> TransportError? {
            guard sending.wasSent, !request.isIdempotent, CurlErrors.isBeforeSending(code) else { return nil }
            return lostConnection
        }

        var lostConnection: TransportError {
            let reason = request.isIdempotent ? "it has been sent again already" : "its method is not idempotent"
            return TransportError(
                .connectionLost, "a kept connection was lost before a response came; the request is not sent again, as \(reason)",
                phase: .firstByte, request: request)
        }
    }
#endif
