#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    // libcurl calls these functions on the loop's thread, from `curl_multi_socket_action`. If they return anything but the number of
    // offered bytes, the transfer is paused or stopped.

    let receiveBody: ccurl_data_callback = { bytes, size, count, context in
        guard let bytes, let easy = HTTP3Handle.from(context), let transfer = easy.transfer else { return 0 }
        return easy.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count), transfer)
    }

    let receiveHead: ccurl_data_callback = { bytes, size, count, context in
        guard let bytes, let easy = HTTP3Handle.from(context), let transfer = easy.transfer else { return 0 }
        return easy.receiveHead(UnsafeRawBufferPointer(start: bytes, count: size * count), transfer) ? size * count : 0
    }

    let sendBody: ccurl_data_callback = { bytes, size, count, context in
        guard let bytes, let easy = HTTP3Handle.from(context), let transfer = easy.transfer else {
            return Int(CCURL_READFUNC_ABORT)
        }
        return easy.sendBody(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count), transfer)
    }

    let rewindBody: ccurl_seek_callback = { context, offset, origin in
        guard let transfer = HTTP3Handle.from(context)?.transfer, origin == SEEK_SET, transfer.rewindBody(to: offset) else {
            return CInt(CCURL_SEEKFUNC_FAIL)
        }
        return CInt(CCURL_SEEKFUNC_OK)
    }

    extension HTTP3Handle {
        static func from(_ context: UnsafeMutableRawPointer?) -> HTTP3Handle? {
            context.map { Unmanaged<HTTP3Handle>.fromOpaque($0).takeUnretainedValue() }
        }

        fileprivate func receiveHead(_ line: UnsafeRawBufferPointer, _ transfer: LoopTransfer) -> Bool {
            defer { loopGuard.noteDelivery() }
            let now = monotonicNanoseconds()
            transfer.lastActivity = now
            if transfer.exchange.firstByte == 0 { transfer.exchange.firstByte = now }
            let limit = transfer.context.configuration.maximumHeaderBytes
            guard transfer.exchange.head.count + line.count <= limit else {
                transfer.failure = TransportError(
                    .headersTooLarge, "the response head is larger than \(limit) bytes (maximumHeaderBytes)", phase: .receive,
                    request: transfer.request)
                return false
            }
            let wasComplete = transfer.exchange.head.isComplete
            transfer.exchange.head.receive(line)
            guard transfer.exchange.head.fieldLines <= transfer.context.configuration.maximumHeaderFields else {
                transfer.failure = TransportError(
                    .headersTooLarge, TransportError.tooManyFields(transfer.context.configuration.maximumHeaderFields),
                    phase: .receive,
                    request: transfer.request)
                return false
            }
            guard !transfer.exchange.head.length.isContradictory else {
                transfer.failure = TransportError(
                    .malformedResponse, "the Content-Length is not a number, or there are several that differ", phase: .receive,
                    request: transfer.request)
                return false
            }
            guard !wasComplete, transfer.exchange.head.isComplete else { return true }
            let status = long(CCURLINFO_RESPONSE_CODE)
            guard status >= 200 else { return receiveInterim(status, transfer) }
            do throws(TransportError) {
                try transfer.receiveHead(
                    transfer.exchange.head, status: status,
                    content: ContentForm(
                        length: transfer.exchange.head.value(for: "content-length").flatMap(Int64.init),
                        encoding: transfer.exchange.head.value(for: "content-encoding")), at: now)
                return true
            } catch {
                transfer.failure = error
                return false
            }
        }

        /// Receives an interim response (RFC 9110 §15.2), whose head is complete.
        ///
        /// - Returns: `false` if there are too many of them.
        private func receiveInterim(_ status: Int, _ transfer: LoopTransfer) -> Bool {
            transfer.exchange.interimResponses += 1
            let limit = HTTP1ResponseParser.maximumInterimResponses
            guard transfer.exchange.interimResponses <= limit else {
                transfer.failure = TransportError(
                    .headersTooLarge, "there are more than \(limit) interim responses before the final one", phase: .receive,
                    request: transfer.request)
                return false
            }
            transfer.report(interim: status, transfer.exchange.head)
            return true
        }

        /// - Returns: The result for libcurl: the number of bytes taken, 0 to stop the transfer, or a request to pause it.
        fileprivate func receiveBody(_ bytes: UnsafeRawBufferPointer, _ transfer: LoopTransfer) -> Int {
            defer { loopGuard.noteDelivery() }
            let now = monotonicNanoseconds()
            transfer.lastActivity = now
            defer { transfer.reportProgress(now) }
            // A redirect is followed without waiting for its body.
            if transfer.exchange.isBodyUnwanted { return 0 }
            // Bytes that were received earlier and are still held come first; those of a redirect wait for the decision about its head.
            guard transfer.exchange.undecided == nil, transfer.exchange.held.isEmpty, !transfer.exchange.isDecoderFull else {
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

        /// - Returns: The result for libcurl: the number of bytes, 0 at the end of the body, or a request to pause or stop the transfer.
        fileprivate func sendBody(into buffer: UnsafeMutableRawBufferPointer, _ transfer: LoopTransfer) -> Int {
            defer { loopGuard.noteDelivery() }
            let now = monotonicNanoseconds()
            transfer.lastActivity = now
            defer { transfer.reportProgress(now) }
            guard let content = transfer.request.body else { return 0 }
            guard let data = content.data else {
                switch transfer.readBody(content, into: buffer) {
                case .bytes(let count): return count
                case .wait: return Int(CCURL_READFUNC_PAUSE)
                case .end:
                    transfer.exchange.sentAt = now
                    return 0
                case .failed: return Int(CCURL_READFUNC_ABORT)
                }
            }
            let count = min(buffer.count, data.count - transfer.upload.offset)
            let start = data.startIndex + transfer.upload.offset
            data.copyBytes(to: buffer, from: start..<(start + count))
            transfer.upload.offset += count
            if transfer.upload.offset == data.count { transfer.exchange.sentAt = now }
            return count
        }
    }

    extension LoopTransfer {
        /// Prepares the body to be sent again from an offset, because the connection that it was sent on had been closed.
        ///
        /// - Returns: `false` when that is not possible.
        fileprivate func rewindBody(to offset: Int64) -> Bool {
            guard let content = request.body else { return offset == 0 }
            if let data = content.data {
                guard (0...Int64(data.count)).contains(offset) else { return false }
                upload.offset = Int(offset)
                return true
            }
            guard offset == 0 else { return false }
            if upload.offset == 0 { return true }
            guard content.isReplayable else {
                failure = .bodyNotReplayable(for: request)
                return false
            }
            stopBodyWriter()
            return true
        }
    }

    // A server may close a kept connection while a request is being sent on it. If repeating the request is safe and no byte of a response
    // was received, it is sent again (RFC 9110 §9.2.2). In most cases libcurl repeats it and calls `mayBeSent` before; otherwise the engine
    // does so.

    /// libcurl calls this on the loop's thread before it sends a request on a connection, and again before each repetition.
    let mayBeSent: ccurl_prerequest_callback = { context, _, _, _, _ in
        guard let easy = HTTP3Handle.from(context) else { return CInt(CCURL_PREREQFUNC_ABORT) }
        return easy.mayBeSent() ? CInt(CCURL_PREREQFUNC_OK) : CInt(CCURL_PREREQFUNC_ABORT)
    }

    /// libcurl calls this with each line of its log.
    let receiveLog: ccurl_debug_callback = { _, kind, bytes, count, context in
        guard kind == 0, let bytes, let easy = HTTP3Handle.from(context) else { return 0 }
        let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
        if line.contains("refused by server") { easy.reportedRefusal = true }
        return 0
    }

    extension HTTP3Handle {
        fileprivate func mayBeSent() -> Bool {
            isReady = true
            guard let transfer else { return false }
            isConnecting = false
            // The request is not sent over another version of HTTP by libcurl.
            if handshake.pointee.is_done != 0, handshake.pointee.protocol != CInt(CALPN_HTTP3) {
                lostHTTP3 = true
                return false
            }
            // If a byte of a response was received, libcurl sends the request again because of that response, such as a 417.
            guard transfer.exchange.head.count == 0 else { return true }
            let wasRefused = transfer.sending.wasSent && reportedRefusal
            reportedRefusal = false
            let decision = transfer.sending.next(
                connections: long(CCURLINFO_NUM_CONNECTS), isIdempotent: transfer.request.isIdempotent,
                wasRefused: wasRefused)
            switch decision {
            case .send: return true
            case .sendOnFreshConnection: return false
            case .refuse:
                transfer.failure = transfer.lostConnection
                return false
            }
        }
    }

    extension LoopTransfer {
        /// Returns the error of a request that was already sent, must not be sent again, and failed to get another connection.
        func lostConnection(_ code: CInt) -> TransportError? {
            guard sending.wasSent, !request.isIdempotent, CurlErrors.isBeforeSending(code) else { return nil }
            return lostConnection
        }
    }
#endif
