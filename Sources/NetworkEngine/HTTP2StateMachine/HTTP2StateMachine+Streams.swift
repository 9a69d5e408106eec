import NetworkSupport

// Frames of streams (RFC 9113 §5, §6, §8.1).
extension HTTP2StateMachine {
    /// Returns the open stream of a frame; `nil` if the stream was closed.
    ///
    /// - Throws: A failure of the connection if the stream was never opened (RFC 9113 §5.1).
    private func openStream(_ header: HTTP2FrameHeader) throws(HTTP2Failure) -> Int? {
        guard header.stream % 2 == 1, header.stream < nextNumber else {
            throw HTTP2Failure(
                .protocolError, "the server has sent a frame for stream \(header.stream), which was not opened (RFC 9113 §5.1)")
        }
        return streams.slot(of: header.stream)
    }

    /// Ends a stream on which the peer has violated the protocol, and returns the event.
    private mutating func failStream(_ id: HTTP2StreamID, _ failure: HTTP2Failure) -> Event {
        reset(id, failure.code)
        return .failedStream(id, failure)
    }

    // MARK: Content

    /// Begins to receive a DATA frame.
    mutating func beginData(_ header: HTTP2FrameHeader, content: Int, padding: Int) throws(HTTP2Failure) -> Event? {
        let slot = try openStream(header)
        receiveWindow -= header.length
        openConnectionWindow()
        let isEnd = header.flags.contains(.endStream)
        guard let slot, let stream = streams[slot] else {
            try countEmptyFrame()
            reading = .data(nil, remaining: content, padding: padding, isEnd: false)
            return nil
        }
        if content > 0 { countContent() } else if !isEnd { try countEmptyFrame() }
        reading = .data(stream.id, remaining: content, padding: padding, isEnd: isEnd)
        if let failure = receiveContent(header, content, slot, isEnd: isEnd) {
            reading = .data(nil, remaining: content, padding: padding, isEnd: false)
            return failStream(stream.id, failure)
        }
        return nil
    }

    /// Checks the content of a DATA frame (RFC 9113 §8.1.1), and counts it.
    private mutating func receiveContent(
        _ header: HTTP2FrameHeader, _ content: Int, _ slot: Int, isEnd: Bool
    ) -> HTTP2Failure? {
        guard var stream = streams[slot] else { return nil }
        defer { streams[slot] = stream }
        switch stream.reception {
        case .awaitingHead: return HTTP2Failure(.protocolError, "content arrives before the head of the response (RFC 9113 §8.1)")
        case .complete: return HTTP2Failure(.streamClosed, "content arrives after the end of the response (RFC 9113 §5.1)")
        case .receivingBody: break
        }
        stream.receiveWindow -= header.length
        guard stream.receiveWindow >= 0 else {
            return HTTP2Failure(.flowControlError, "the server has sent more than the window of the stream (RFC 9113 §6.9.1)")
        }
        // No reader takes the padding, so it is counted as taken.
        stream.taken += header.length - content
        stream.receivedBytes += Int64(content)
        if stream.method == .head, content > 0 {
            return HTTP2Failure(.protocolError, "the response to HEAD has content (RFC 9113 §8.1.1)")
        }
        if let length = stream.announcedLength, stream.receivedBytes > length {
            return HTTP2Failure(.protocolError, "the body is longer than its Content-Length of \(length) bytes (RFC 9113 §8.1.1)")
        }
        return nil
    }

    /// Whether the peer has ended a stream that is open on this side.
    func hasReceivedEnd(of id: HTTP2StreamID) -> Bool { streams[id]?.reception == .complete }

    /// Completes the response on a stream, if the stream is still open.
    mutating func finishResponse(on id: HTTP2StreamID) -> Event? {
        guard let stream = streams[id] else { return nil }
        if let length = stream.announcedLength, stream.receivedBytes != length {
            return failStream(
                id,
                HTTP2Failure(
                    .protocolError,
                    "the body has \(stream.receivedBytes) bytes, and its Content-Length is \(length) (RFC 9113 §8.1.1)",
                    .truncation))
        }
        if stream.isSent { streams.close(id) } else { streams[id.slot]?.reception = .complete }
        return .end(id)
    }

    // MARK: Heads and trailers

    mutating func receiveHeaders(
        _ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Failure) -> Event {
        var (start, end) = (0, payload.count)
        if header.flags.contains(.padded) {
            guard let padding = payload.first else {
                throw HTTP2Failure(.frameSizeError, "a padded HEADERS frame has no length of its padding (RFC 9113 §6.2)")
            }
            (start, end) = (1, end - Int(padding))
        }
        if header.flags.contains(.priority) { start += 5 }
        guard start <= end else {
            throw HTTP2Failure(
                .protocolError, "the padding or the priority of a HEADERS frame is longer than the frame (RFC 9113 §6.2)")
        }
        let fragment = UnsafeRawBufferPointer(rebasing: payload[start..<end])
        let isEnd = header.flags.contains(.endStream)
        guard header.flags.contains(.endHeaders) else {
            openBlock = (header.stream, isEnd, 0)
            blockBytes.append(contentsOf: fragment)
            return .frame
        }
        return try receiveBlock(header, fragment, isEnd: isEnd)
    }

    mutating func receiveContinuation(
        _ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Failure) -> Event {
        guard let (_, isEnd, frames) = openBlock else {
            throw HTTP2Failure(.protocolError, "a CONTINUATION frame is not part of a header block (RFC 9113 §6.10)")
        }
        guard frames < HTTP2Limits.continuations else {
            throw HTTP2Failure(.enhanceYourCalm, "a header block has more than \(HTTP2Limits.continuations) CONTINUATION frames")
        }
        // A block that is larger than its fields may be is received no further.
        guard blockBytes.count + payload.count <= limits.headerBytes + HTTP2Limits.frameBytes else {
            throw HTTP2Failure(
                .enhanceYourCalm, "the response head is larger than \(limits.headerBytes) bytes (maximumHeaderBytes)",
                .limit)
        }
        blockBytes.append(contentsOf: payload)
        guard header.flags.contains(.endHeaders) else {
            openBlock = (header.stream, isEnd, frames + 1)
            return .frame
        }
        openBlock = nil
        var bytes: [UInt8] = []
        swap(&bytes, &blockBytes)
        return try bytes.withUnsafeBufferPointer { (bytes) throws(HTTP2Failure) in
            try receiveBlock(header, UnsafeRawBufferPointer(bytes), isEnd: isEnd)
        }
    }

    /// Receives a complete header block. It is decoded also if its stream was closed, because later blocks refer to it.
    private mutating func receiveBlock(
        _ header: HTTP2FrameHeader, _ bytes: UnsafeRawBufferPointer, isEnd: Bool
    ) throws(HTTP2Failure) -> Event {
        let slot = try openStream(header)
        let stream = slot.flatMap { streams[$0] }
        var block = HTTP2FieldBlock(
            isTrailers: stream?.reception == .receivingBody, limits: limits, after: stream?.headerBytes ?? 0)
        do throws(HPACKError) {
            try decoder.decode(bytes) { block.receive($0, $1) }
        } catch {
            throw HTTP2Failure(.compressionError, error.message)
        }
        guard let slot, let stream else {
            try countEmptyFrame()
            return .frame
        }
        block.finish()
        countContent()
        streams[slot]?.headerBytes = block.size
        defer { self.block = block }
        if stream.reception == .complete {
            return failStream(
                stream.id, HTTP2Failure(.streamClosed, "fields arrive after the end of the response (RFC 9113 §5.1)"))
        }
        if let failure = block.failure { return failStream(stream.id, failure) }
        if stream.reception == .receivingBody {
            guard !stream.isTunnel else {
                return failStream(stream.id, HTTP2Failure(.protocolError, "fields arrive in a tunnel (RFC 9113 §8.5)"))
            }
            guard isEnd else {
                return failStream(stream.id, HTTP2Failure(.protocolError, "the trailers do not end the stream (RFC 9113 §8.1)"))
            }
            ended = stream.id
            return .trailers(stream.id)
        }
        guard block.status >= 200 else { return receiveInterim(block.status, stream, isEnd: isEnd) }
        let isTunnel = stream.method == .connect && block.status < 300
        let hasNoBody = stream.method == .head || block.status == 204 || block.status == 304
        // A tunnel has no length (RFC 9110 §9.3.6).
        streams[slot]?.isTunnel = isTunnel
        streams[slot]?.announcedLength = isTunnel ? nil : hasNoBody ? 0 : block.length
        streams[slot]?.reception = .receivingBody
        if isEnd { ended = stream.id }
        return .head(stream.id, status: block.status)
    }

    private mutating func receiveInterim(_ status: Int, _ stream: HTTP2Stream, isEnd: Bool) -> Event {
        if isEnd {
            return failStream(
                stream.id, HTTP2Failure(.protocolError, "an informational response ends the stream (RFC 9113 §8.1)"))
        }
        guard stream.interimResponses < HTTP2Limits.interimResponses else {
            return failStream(
                stream.id,
                HTTP2Failure(
                    .cancel, "there are more than \(HTTP2Limits.interimResponses) interim responses before the final one",
                    .limit))
        }
        streams[stream.id.slot]?.interimResponses += 1
        return .interim(stream.id, status: status)
    }

    // MARK: Others

    mutating func receiveReset(
        _ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Failure) -> Event {
        guard payload.count == 4 else { throw HTTP2Failure(.frameSizeError, "RST_STREAM does not have 4 bytes (RFC 9113 §6.4)") }
        guard let slot = try openStream(header), let stream = streams[slot] else {
            try countEmptyFrame()
            return .frame
        }
        streams.close(stream.id)
        return .reset(stream.id, HTTP2ErrorCode(rawValue: payload.bigEndian(at: 0)))
    }

    mutating func receivePriority(_ header: HTTP2FrameHeader) throws(HTTP2Failure) -> Event {
        guard header.length == 5 else { throw HTTP2Failure(.frameSizeError, "PRIORITY does not have 5 bytes (RFC 9113 §6.3)") }
        guard header.stream > 0 else { throw HTTP2Failure(.protocolError, "PRIORITY belongs to no stream (RFC 9113 §6.3)") }
        try countEmptyFrame()
        return .frame
    }
}
