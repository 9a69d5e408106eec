import NetworkSupport

// Receiving on the streams of requests (RFC 9114 §4.1).
extension HTTP3StateMachine {
    /// Reads frames of a request's stream up to the next event.
    mutating func receive(
        _ input: UnsafeRawBufferPointer, _ offset: inout Int, isEnd: Bool, _ slot: Int
    ) throws(HTTP3Failure) -> Event {
        // The stream itself is not copied: what it holds would be copied when it grows.
        while let id = streams[slot]?.id, streams[slot]?.response.stage != .complete, let reading = streams[slot]?.reader.reading
        {
            switch reading {
            case .header:
                guard let header = streams[slot]?.reader.takeHeader(input, &offset) else {
                    return isEnd ? try finish(slot) : .needsMore
                }
                if let event = try begin(header, slot) { return event }
            case .payload(let header):
                guard let event = try receivePayload(header, input, &offset, slot) else {
                    return isEnd ? try finish(slot) : .needsMore
                }
                return event
            case .data(let remaining):
                let range = streams[slot]?.reader.takeData(remaining, input, &offset) ?? offset..<offset
                guard !range.isEmpty else { return isEnd ? try finish(slot) : .needsMore }
                return .data(id, range)
            case .skipped(let remaining):
                guard streams[slot]?.reader.skip(remaining, input, &offset) ?? false else {
                    return isEnd ? try finish(slot) : .needsMore
                }
            }
        }
        offset = input.count
        return .needsMore
    }

    /// Begins to read a frame, whose place in the response is checked (RFC 9114 §4.1, §7.2).
    ///
    /// - Returns: An event if the frame has no payload to wait for.
    private mutating func begin(_ header: HTTP3FrameHeader, _ slot: Int) throws(HTTP3Failure) -> Event? {
        guard var stream = streams[slot] else { return nil }
        switch header.kind {
        case .data:
            guard stream.response.stage == .receivingBody else {
                let place = stream.response.stage == .awaitingHead ? "before the head of the response" : "after the trailers"
                throw HTTP3Failure(.frameUnexpected, "content arrives \(place) (RFC 9114 §4.1)")
            }
            do throws(MessageFailure) {
                try stream.response.receiveContent(Int64(clamping: header.length))
            } catch {
                return failStream(stream.id, HTTP3Failure(error))
            }
            stream.reader.expectData(header.length)
            streams[slot] = stream
            if header.length == 0 {
                try countEmptyFrame()
                return .frame
            }
            countContent()
            return nil
        case .headers:
            guard stream.response.stage != .awaitingEnd else {
                throw HTTP3Failure(.frameUnexpected, "fields arrive after the trailers (RFC 9114 §4.1)")
            }
            guard !stream.response.isTunnel else {
                throw HTTP3Failure(.frameUnexpected, "fields arrive in a tunnel (RFC 9114 §4.4)")
            }
            // A section that is larger than its fields may be is not received.
            guard header.length <= limits.headerBytes + HTTP3Limits.encodingBytes else {
                return failStream(stream.id, HTTP3Failure(limits.fields.sizeFailure))
            }
            streams[slot]?.reader.expectPayload(of: header)
            return nil
        case .pushPromise:
            throw HTTP3Failure(.idError, "the server has sent PUSH_PROMISE, which was not permitted (RFC 9114 §7.2.5)")
        case .cancelPush, .settings, .goAway, .maximumPushID, .priorityUpdate, .pushPriorityUpdate:
            throw Self.unexpected(header.kind, on: "the stream of a request")
        default:
            try checkUnknown(header)
            streams[slot]?.reader.expectSkipped(header.length)
            return .frame
        }
    }

    /// Returns the failure of a connection on which a frame arrives on the wrong stream (RFC 9114 §7.2).
    static func unexpected(_ kind: HTTP3FrameKind, on stream: String) -> HTTP3Failure {
        HTTP3Failure(.frameUnexpected, "\(kind.name) arrives on \(stream) (RFC 9114 §7.2)")
    }

    /// Checks a frame of a type that has no meaning. It is ignored (RFC 9114 §9), unless HTTP/2 has given it one (§7.2.8).
    mutating func checkUnknown(_ header: HTTP3FrameHeader) throws(HTTP3Failure) {
        guard !header.kind.belongsToHTTP2 else {
            throw HTTP3Failure(
                .frameUnexpected, "the server has sent \(header.kind.name), which belongs to HTTP/2 (RFC 9114 §7.2.8)")
        }
        try countEmptyFrame(unknownBytes: header.length)
    }

    // MARK: Heads and trailers

    /// Waits for the whole payload of HEADERS, and processes it.
    private mutating func receivePayload(
        _ header: HTTP3FrameHeader, _ input: UnsafeRawBufferPointer, _ offset: inout Int, _ slot: Int
    ) throws(HTTP3Failure) -> Event? {
        guard let id = streams[slot]?.id else { return nil }
        heldBytes -= streams[slot]?.reader.heldBytes ?? 0
        let payload = streams[slot]?.reader.takePayload(header.length, input, &offset)
        heldBytes += streams[slot]?.reader.heldBytes ?? 0
        switch payload {
        case nil:
            guard heldBytes <= HTTP3Limits.heldBytes else {
                return failStream(
                    id,
                    HTTP3Failure(
                        .excessiveLoad, "more than \(HTTP3Limits.heldBytes) bytes of incomplete heads arrive at the same time",
                        .limit))
            }
            return nil
        case .input(let range):
            return try receiveFields(UnsafeRawBufferPointer(rebasing: input[range]), slot)
        case .carried(let bytes):
            return try bytes.withUnsafeBufferPointer { (bytes) throws(HTTP3Failure) in
                try receiveFields(UnsafeRawBufferPointer(bytes), slot)
            }
        }
    }

    /// Receives a complete field section.
    private mutating func receiveFields(_ bytes: UnsafeRawBufferPointer, _ slot: Int) throws(HTTP3Failure) -> Event {
        guard var stream = streams[slot] else { return .frame }
        var block = stream.response.emptyBlock
        do throws(FieldCompressionError) {
            try decoder.decode(bytes) { block.receive($0, $1) }
        } catch {
            throw HTTP3Failure(.qpackDecompressionFailed, error.message)
        }
        block.finish()
        countContent()
        self.block = block
        let part: ResponseReception.Part
        do throws(MessageFailure) {
            part = try stream.response.receive(block)
        } catch {
            return failStream(stream.id, HTTP3Failure(error))
        }
        streams[slot] = stream
        switch part {
        case .interim(let status): return .interim(stream.id, status: status)
        case .head(let status): return .head(stream.id, status: status)
        case .trailers: return .trailers(stream.id)
        }
    }

    // MARK: The end

    /// Completes the response on a stream that the peer has ended.
    private mutating func finish(_ slot: Int) throws(HTTP3Failure) -> Event {
        guard var stream = streams[slot] else { return .frame }
        guard stream.reader.isBetweenFrames else {
            throw HTTP3Failure(.frameError, "a stream ends within a frame (RFC 9114 §7.1)", .truncation)
        }
        do throws(MessageFailure) {
            try stream.response.finish()
        } catch {
            return failStream(stream.id, HTTP3Failure(error), hasEnded: true)
        }
        streams[slot] = stream
        closeIfComplete(stream.id)
        return .end(stream.id)
    }

    /// Ends a stream on which the peer has violated the protocol, and returns the event.
    private mutating func failStream(_ id: HTTP3StreamID, _ failure: HTTP3Failure, hasEnded: Bool = false) -> Event {
        close(id, failure.code, hasEnded: hasEnded)
        return .failedStream(id, failure)
    }

    mutating func receiveReset(of stream: HTTP3Stream, _ code: HTTP3ErrorCode) -> Event {
        guard stream.response.stage != .complete else { return .frame }
        close(stream.id, .requestCancelled, hasEnded: true)
        // A server that has sent a part of a response has processed the request, whatever it says.
        return .reset(stream.id, code, isUnprocessed: code == .requestRejected && stream.response.isUntouched)
    }

    mutating func receiveStop(of id: HTTP3StreamID, _ code: HTTP3ErrorCode) -> Event {
        guard let stream = streams[id], !stream.outgoing.isSent else { return .frame }
        perform(.reset(id.number, code))
        streams[id.slot]?.outgoing.abandon()
        closeIfComplete(id)
        return .stopped(id, code)
    }
}
