#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    // Receives a response, the same for both versions of HTTP: head, content decoding, limits, and back-pressure from a slow reader.
    extension LoopTransfer {
        /// Whether the transfer is paused on this side: there is nothing to send yet, or the reader has no room.
        var isPaused: Bool { upload.isPaused || isReceivePaused }

        /// The stored cookies for the current request, except those whose names are in its own `Cookie` field.
        var storedCookies: String? { context.cookies?.added(to: request, after: redirects) }

        /// Stores the cookies in the head of the final response or of a redirect, before the next request can be sent.
        func storeCookies(of head: ResponseHead) {
            guard let cookies = context.cookies, let location = CookieLocation(request) else { return }
            cookies.receive(head.headers.values(for: "Set-Cookie"), from: location)
        }

        /// Receives the final head, and delivers it if the response is streamed.
        ///
        /// - Parameters:
        ///   - length: The value of `Content-Length`, if the body has that length.
        ///   - encoding: The value of `Content-Encoding`.
        /// - Throws: ``TransportError/Code/bodyTooLarge`` when the announced length is more than `maximumBodyBytes`.
        func receiveHead(
            _ head: ResponseHead, status: Int, length: Int64?, encoding: String?, at now: UInt64
        ) throws(TransportError) {
            exchange.head = head
            exchange.status = status
            if allowedVersions.mayUseHTTP3, request.parsedURL.isSecure { noteAlternatives(in: head, status: status, at: now) }
            // Only a verified connection may turn the protection on or off (RFC 6797 §8.1).
            if let strictTransport = context.strictTransport, trust?.isVerified == true,
                head.value(for: "strict-transport-security") != nil
            {
                strictTransport.receive(head.headers.values(for: "Strict-Transport-Security"), for: request)
            }
            if RedirectRules.isRedirect(status) {
                exchange.redirect = redirect(status, head.headers)
                if exchange.isBodyUnwanted { return }
            }
            let hasContent = request.method != .head && status != 204 && status != 304
            if let encoding, hasContent, ContentCoding.areUndone(encoding, for: request.headers) {
                exchange.decoder = ContentDecoder(contentEncoding: encoding, maximumRatio: configuration.maximumDecodingRatio)
            }
            if progress != nil { exchange.announcedLength = head.headers["Content-Length"].flatMap(Int64.init) }
            guard download != nil else {
                guard hasContent, let length else { return }
                guard length > configuration.maximumBodyBytes else {
                    exchange.reserveBody(length)
                    return
                }
                throw TransportError(
                    .bodyTooLarge,
                    "the announced body length of \(length) bytes is more than \(configuration.maximumBodyBytes) (maximumBodyBytes)",
                    phase: .receive, request: request)
            }
            guard !isStreaming else { return }
            isStreaming = true
            timeLimits.endHeadBound()
            deliverHead(
                RawResponse(
                    status: status, head: head, body: PaddedBytes(Data()), lazyURL: request.lazyURL, timings: timings(now)))
        }

        /// Reports an informational response, except 100 and 101, to the observers of the request.
        func report(interim status: Int, _ head: ResponseHead) {
            guard status > 101, request.observesInformationalResponses, !isDelivered else { return }
            request.report(InformationalResponse(statusCode: status, headers: head.headers))
        }

        /// Returns the request that a redirect leads to, or the reason why it is not followed; `nil` if it is returned as the response.
        private func redirect(_ status: Int, _ headers: HeaderFields) -> Result<NetworkRequest, TransportError>? {
            do throws(TransportError) {
                let rules = RedirectRules(configuration, strictTransport: context.strictTransport)
                return try rules.next(after: request, status: status, headers: headers, trail: redirects).map(Result.success)
            } catch {
                return .failure(error)
            }
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
            let result: Result<Taken, TransportError> = held.withUnsafeBytes { bytes in
                do throws(TransportError) { return .success(try body(bytes)) } catch { return .failure(error) }
            }
            return try result.get()
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
            guard bytes.count <= configuration.maximumBodyBytes - exchange.body.count else {
                throw TransportError(
                    .bodyTooLarge, "the body is larger than \(configuration.maximumBodyBytes) bytes (maximumBodyBytes)",
                    phase: .receive, request: request)
            }
            exchange.body.append(contentsOf: bytes)
            return true
        }
    }
#endif
