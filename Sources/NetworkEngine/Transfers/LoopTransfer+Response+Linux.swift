#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints
    import Foundation
    import NetworkSupport

    // Receives a response, the same for each version of HTTP: head, content decoding, limits, and back-pressure from a slow reader.
    extension LoopTransfer {
        /// Whether the transfer is paused on this side: there is nothing to send yet, or the reader has no room.
        var isPaused: Bool { upload.isPaused || isReceivePaused }

        /// Receives the final head, and delivers it if the response is streamed. That of a redirect which may be followed is delivered at once, and
        /// the transfer pauses until the driver has decided.
        ///
        /// - Throws: ``TransportError/Code/bodyTooLarge`` when the announced length is more than `maximumBodyBytes`.
        func receiveHead(
            _ head: ResponseHead, status: Int, content: ContentForm, at now: UInt64
        ) throws(TransportError) {
            exchange.head = head
            exchange.status = status
            if allowedVersions == .http3Advertised { noteAlternatives(at: now) }
            guard context.rules.redirects.mayFollow(status: status, request), head.value(for: "location") != nil else {
                return try beginContent(content, at: now)
            }
            exchange.undecided = content
            isReceivePaused = true
            driver.receive(response(.download, at: now, mayBeFollowed: true))
        }

        /// Notes what a server says of HTTP/3 whose certificate was verified.
        private func noteAlternatives(at now: UInt64) {
            guard request.isSecure, trust?.isVerified == true else { return }
            // The server is not responsible for this origin (RFC 9110 §15.5.20).
            if exchange.status == 421 { return context.alternatives.withLock { $0.remove(origin) } }
            guard let text = exchange.head.value(for: "alt-svc"),
                let field = AlternativeServiceField(text, host: OriginParts(origin).host)
            else { return }
            let age = exchange.head.value(for: "age").flatMap { Int64($0) } ?? 0
            context.alternatives.withLock { $0.note(field, age: age, of: origin, at: now) }
        }

        /// Returns the response that has been received.
        func response(
            _ content: ExchangeResponse.ResponseContent, at now: UInt64, mayBeFollowed: Bool = false
        ) -> ExchangeResponse {
            ExchangeResponse(
                status: exchange.status, fields: .lines(exchange.head), content: content, lazyURL: request.lazyURL,
                timings: timings(now), isVerified: trust?.isVerified == true && request.isSecure,
                mayBeFollowed: mayBeFollowed,
                isBodyPending: mayBeFollowed, canSendBodyAgain: !mayBeFollowed || canSendBodyAgain)
        }

        /// Prepares to receive the body of the response whose head was received, and delivers the head if the response is streamed.
        ///
        /// - Throws: ``TransportError/Code/bodyTooLarge`` when the announced length is more than `maximumBodyBytes`.
        func beginContent(_ content: ContentForm, at now: UInt64) throws(TransportError) {
            let status = exchange.status
            let hasContent = request.method != .head && status != 204 && status != 304
            if let encoding = content.encoding, hasContent, ContentCoding.areUndone(encoding, for: request.headers) {
                exchange.decoder = ContentDecoder(
                    contentEncoding: encoding, maximumRatio: context.configuration.maximumDecodingRatio)
            }
            if request.progress != nil {
                exchange.announcedLength = exchange.head.value(for: "content-length").flatMap { Int64($0) }
            }
            guard download != nil else {
                guard hasContent, let length = content.length else { return }
                guard length > context.configuration.maximumBodyBytes else {
                    body.reserveCapacity(Int(min(length, 1 << 20)))
                    return
                }
                throw TransportError(
                    .bodyTooLarge,
                    "the announced body length of \(length) bytes is more than \(context.configuration.maximumBodyBytes) (maximumBodyBytes)",
                    phase: .receive, request: request)
            }
            guard !isStreaming else { return }
            isStreaming = true
            timeLimits.endHeadBound()
            if driver.isAwaited { driver.receive(response(.download, at: now)) }
        }

        /// Reports an informational response, except 100 and 101, to the observers of the request.
        func report(interim status: Int, _ head: ResponseHead) {
            guard status > 101, let notifier = driver.notifier, driver.isAwaited else { return }
            notifier.report(InformationalResponse(statusCode: status, headers: head.headers))
        }

        /// Receives content from the connection.
        ///
        /// - Returns: `false` when the reader has no room. The remaining bytes are held until ``receiveHeld(_:)`` is called.
        func receiveBody(_ bytes: UnsafeRawBufferPointer, _ workspace: Workspace) throws(TransportError) -> Bool {
            exchange.bytesReceived += Int64(bytes.count)
            if exchange.isBodyUnwanted { return true }
            guard exchange.decoder != nil else {
                if try deliver(bytes, workspace) { return true }
                exchange.held.append(contentsOf: bytes)
                return false
            }
            let taken = try decode(bytes, workspace)
            if taken == bytes.count, !exchange.isDecoderFull { return true }
            exchange.held.append(contentsOf: bytes[taken...])
            return false
        }

        /// Delivers the bytes that are held.
        ///
        /// - Returns: `false` when the reader has no room again.
        func receiveHeld(_ workspace: Workspace) throws(TransportError) -> Bool {
            guard exchange.decoder != nil else {
                guard !exchange.held.isEmpty else { return true }
                let isTaken = try withHeld { bytes throws(TransportError) in try deliver(bytes, workspace) }
                if isTaken { exchange.held = [] }
                return isTaken
            }
            let taken = try withHeld { bytes throws(TransportError) in
                try decode(UnsafeRawBufferPointer(rebasing: bytes[exchange.heldOffset...]), workspace)
            }
            exchange.heldOffset += taken
            guard exchange.heldOffset == exchange.held.count, !exchange.isDecoderFull else { return false }
            exchange.held = []
            exchange.heldOffset = 0
            return true
        }

        /// Calls `body` with the bytes that are held. `Array.withUnsafeBytes` itself does not preserve the type of the error.
        private func withHeld<Taken>(
            _ body: (UnsafeRawBufferPointer) throws(TransportError) -> Taken
        ) throws(TransportError) -> Taken {
            // A copy of the reference, so that `body` may change the exchange.
            let held = exchange.held
            return try held.withUnsafeBytes { bytes in Result { () throws(TransportError) in try body(bytes) } }.get()
        }

        /// Completes the body after all bytes were received.
        ///
        /// - Throws: ``TransportError/Code/undecodableContent`` when its content coding is truncated or damaged.
        func finishBody() throws(TransportError) {
            guard let decoder = exchange.decoder else { return }
            do throws(ContentDecodingFailure) {
                try decoder.finish()
            } catch {
                throw error.transportError(of: request)
            }
        }

        /// Decodes content and delivers the output.
        ///
        /// - Returns: The number of bytes that were consumed; less than all when the reader has no room.
        private func decode(_ bytes: UnsafeRawBufferPointer, _ workspace: Workspace) throws(TransportError) -> Int {
            guard let decoder = exchange.decoder else { return bytes.count }
            var offset = 0
            exchange.isDecoderFull = false
            while offset < bytes.count || decoder.mayHoldOutput {
                if isStreaming, download?.hasRoom == false {
                    exchange.isDecoderFull = true
                    return offset
                }
                let step: (consumed: Int, produced: Int)
                do throws(ContentDecodingFailure) {
                    step = try decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[offset...]), into: workspace.decoded)
                } catch {
                    throw error.transportError(of: request)
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

        /// Passes decoded content to the reader of a stream, or appends it to the body.
        ///
        /// - Returns: `false` when the reader has no room; no byte was taken then.
        private func deliver(_ bytes: UnsafeRawBufferPointer, _ workspace: Workspace) throws(TransportError) -> Bool {
            if isStreaming {
                guard download?.write(bytes) != false else { return false }
                workspace.arrivals.note(self)
                return true
            }
            guard bytes.count <= context.configuration.maximumBodyBytes - body.count else {
                throw TransportError(
                    .bodyTooLarge, "the body is larger than \(context.configuration.maximumBodyBytes) bytes (maximumBodyBytes)",
                    phase: .receive, request: request)
            }
            body.append(bytes)
            return true
        }
    }
#endif
