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
        switch stream.response.stage {
        case .awaitingHead: return HTTP2Failure(.protocolError, "content arrives before the head of the response (RFC 9113 §8.1)")
        case .awaitingEnd, .complete:
            return HTTP2Failure(.streamClosed, "content arrives after the end of the response (RFC 9113 §5.1)")
        case .receivingBody: break
        }
        stream.receiveWindow -= header.length
        guard stream.receiveWindow >= 0 else {
            return HTTP2Failure(.flowControlError, "the server has sent more than the window of the stream (RFC 9113 §6.9.1)")
        }
        // No reader takes the padding, so it is counted as taken.
        stream.taken += header.length - content
        do throws(MessageFailure) { try stream.response.receiveContent(Int64(content)) } catch { return HTTP2Failure(error) }
        return nil
    }

    /// Whether the peer has ended a stream that is open on this side.
    func hasReceivedEnd(of id: HTTP2StreamID) -> Bool { streams[id]?.response.stage == .complete }

    /// Completes the response on a stream, if the stream is still open.
    mutating func finishResponse(on id: HTTP2StreamID) -> Event? {
        guard var stream = streams[id] else { return nil }
        do throws(MessageFailure) { try stream.response.finish() } catch { return failStream(id, HTTP2Failure(error)) }
        if stream.isSent { streams.close(id) } else { streams[id.slot] = stream }
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
            throw HTTP2Failure(.enhanceYourCalm, limits.fields.sizeFailure.message, .limit)
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
        var block = stream?.response.emptyBlock ?? FieldBlock(.http2, limits: limits.fields)
        do throws(FieldCompressionError) {
            try decoder.decode(bytes) { block.receive($0, $1) }
        } catch {
            throw HTTP2Failure(.compressionError, error.message)
        }
        guard let slot, var stream else {
            try countEmptyFrame()
            return .frame
        }
        block.finish()
        countContent()
        defer { self.block = block }
        if stream.response.stage == .complete {
            return failStream(
                stream.id, HTTP2Failure(.streamClosed, "fields arrive after the end of the response (RFC 9113 §5.1)"))
        }
        let part: ResponseReception.Part
        do throws(MessageFailure) {
            part = try stream.response.receive(block)
            if let reason = Self.violation(of: part, isEnd: isEnd) { throw MessageFailure(reason) }
        } catch {
            return failStream(stream.id, HTTP2Failure(error))
        }
        streams[slot] = stream
        if isEnd { ended = stream.id }
        switch part {
        case .interim(let status): return .interim(stream.id, status: status)
        case .head(let status): return .head(stream.id, status: status)
        case .trailers: return .trailers(stream.id)
        }
    }

    /// Returns what is wrong with a part that ends the stream, or does not (RFC 9113 §8.1).
    private static func violation(of part: ResponseReception.Part, isEnd: Bool) -> String? {
        switch part {
        case .interim where isEnd: "an informational response ends the stream (RFC 9113 §8.1)"
        case .trailers where !isEnd: "the trailers do not end the stream (RFC 9113 §8.1)"
        default: nil
        }
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
