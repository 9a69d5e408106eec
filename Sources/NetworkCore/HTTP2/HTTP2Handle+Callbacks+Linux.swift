#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation
    import Glibc

    // libcurl calls these on the loop's thread, inside `curl_multi_socket_action`. A result other than the number of bytes offered
    // pauses or stops the transfer.

    let receiveBody: ccurl_data_callback = { bytes, size, count, context in
        guard let bytes, let easy = HTTP2Handle.from(context), let transfer = easy.transfer else { return 0 }
        return easy.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count), transfer)
    }

    let receiveHead: ccurl_data_callback = { bytes, size, count, context in
        guard let bytes, let easy = HTTP2Handle.from(context), let transfer = easy.transfer else { return 0 }
        return easy.receiveHead(UnsafeRawBufferPointer(start: bytes, count: size * count), transfer) ? size * count : 0
    }

    let sendBody: ccurl_data_callback = { bytes, size, count, context in
        guard let bytes, let easy = HTTP2Handle.from(context), let transfer = easy.transfer else {
            return Int(CCURL_READFUNC_ABORT)
        }
        return easy.sendBody(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count), transfer)
    }

    let rewindBody: ccurl_seek_callback = { context, offset, origin in
        guard let transfer = HTTP2Handle.from(context)?.transfer, origin == SEEK_SET, transfer.rewindBody(to: offset) else {
            return CInt(CCURL_SEEKFUNC_FAIL)
        }
        return CInt(CCURL_SEEKFUNC_OK)
    }

    extension HTTP2Handle {
        static func from(_ context: UnsafeMutableRawPointer?) -> HTTP2Handle? {
            context.map { Unmanaged<HTTP2Handle>.fromOpaque($0).takeUnretainedValue() }
        }

        fileprivate func receiveHead(_ line: UnsafeRawBufferPointer, _ transfer: CurlTransfer) -> Bool {
            let now = monotonicNanoseconds()
            transfer.lastActivity = now
            if transfer.firstByte == 0 { transfer.firstByte = now }
            let limit = transfer.limits.maximumHeaderBytes
            guard transfer.head.count + line.count <= limit else {
                transfer.failure = TransportError(
                    .headersTooLarge, "the response head is larger than \(limit) bytes (maximumHeaderBytes)", phase: .receive,
                    request: transfer.request)
                return false
            }
            let wasComplete = transfer.head.isComplete
            transfer.head.receive(line)
            guard !transfer.head.length.isContradictory else {
                transfer.failure = TransportError(
                    .malformedResponse, "the Content-Length is no number, or there are several that differ", phase: .receive,
                    request: transfer.request)
                return false
            }
            guard !wasComplete, transfer.head.isComplete else { return true }
            let status = long(CCURLINFO_RESPONSE_CODE)
            guard status >= 200 else { return true }
            do throws(TransportError) {
                try transfer.receiveHead(
                    transfer.head, status: status, length: transfer.head.value(for: "content-length").flatMap(Int64.init),
                    encoding: transfer.head.value(for: "content-encoding"), at: now)
                // A redirect is followed without its body, which may never come.
                return !transfer.isBodyUnwanted
            } catch {
                transfer.failure = error
                return false
            }
        }

        /// - Returns: What libcurl's callback is to: the number of bytes taken, 0 to stop, or a wish to pause.
        fileprivate func receiveBody(_ bytes: UnsafeRawBufferPointer, _ transfer: CurlTransfer) -> Int {
            let now = monotonicNanoseconds()
            transfer.lastActivity = now
            defer { transfer.reportProgress(now) }
            // A redirect is followed without its body.
            if transfer.isBodyUnwanted { return 0 }
            // What came before goes first.
            guard transfer.held.isEmpty, !transfer.isDecoderFull else {
                transfer.isReceivePaused = true
                return Int(CCURL_WRITEFUNC_PAUSE)
            }
            do throws(TransportError) {
                if try !transfer.receiveBody(bytes, workspace) { transfer.isReceivePaused = true }
            } catch {
                transfer.failure = error
                return 0
            }
            return bytes.count
        }

        /// - Returns: What libcurl's callback is to: the number of bytes, 0 at the end, or a wish to pause or stop.
        fileprivate func sendBody(into buffer: UnsafeMutableRawBufferPointer, _ transfer: CurlTransfer) -> Int {
            let now = monotonicNanoseconds()
            transfer.lastActivity = now
            defer { transfer.reportProgress(now) }
            guard let content = transfer.request.body else { return 0 }
            guard let data = content.data else {
                switch transfer.readPump(content, into: buffer) {
                case .bytes(let count): return count
                case .wait: return Int(CCURL_READFUNC_PAUSE)
                case .end:
                    transfer.sentAt = now
                    return 0
                case .failed: return Int(CCURL_READFUNC_ABORT)
                }
            }
            let count = min(buffer.count, data.count - transfer.bodyOffset)
            let start = data.startIndex + transfer.bodyOffset
            data.copyBytes(to: buffer, from: start..<(start + count))
            transfer.bodyOffset += count
            if transfer.bodyOffset == data.count { transfer.sentAt = now }
            return count
        }
    }

    extension CurlTransfer {
        /// libcurl needs the body again, since the connection it went out on had been closed.
        fileprivate func rewindBody(to offset: Int64) -> Bool {
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
    }

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
