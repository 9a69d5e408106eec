import NetworkSupport

// Reading frames (RFC 9113 §4).
extension HTTP2StateMachine {
    /// Reads frames up to the next event.
    mutating func receive(_ input: UnsafeRawBufferPointer, _ offset: inout Int) throws(HTTP2Failure) -> Event {
        while true {
            switch reading {
            case .header:
                guard let header = takeHeader(input, &offset) else { return .needsMore }
                if let event = try begin(header) { return event }
            case .payload(let header):
                guard let event = try receivePayload(header, input, &offset) else { return .needsMore }
                return event
            case .paddingLength(let header):
                guard offset < input.count else { return .needsMore }
                let padding = Int(input[offset])
                offset += 1
                guard padding < header.length else {
                    throw HTTP2Failure(.protocolError, "the padding of a DATA frame is as long as the frame (RFC 9113 §6.1)")
                }
                if let event = try beginData(header, content: header.length - 1 - padding, padding: padding) { return event }
            case .data(let stream, let remaining, let padding, let isEnd):
                let count = min(input.count - offset, remaining)
                if remaining > 0, count == 0 { return .needsMore }
                let range = offset..<offset + count
                offset += count
                if count < remaining {
                    reading = .data(stream, remaining: remaining - count, padding: padding, isEnd: isEnd)
                } else {
                    reading = padding > 0 ? .skipped(padding) : .header
                    if isEnd { ended = stream }
                }
                if let stream, count > 0 { return .data(stream, range) }
                if let stream = ended {
                    ended = nil
                    if let event = finishResponse(on: stream) { return event }
                }
            case .skipped(let remaining):
                let count = min(input.count - offset, remaining)
                offset += count
                if count < remaining {
                    reading = .skipped(remaining - count)
                    return .needsMore
                }
                reading = .header
            }
        }
    }

    private mutating func takeHeader(_ input: UnsafeRawBufferPointer, _ offset: inout Int) -> HTTP2FrameHeader? {
        let missing = HTTP2FrameHeader.byteCount - carry.count
        if carry.isEmpty, input.count - offset >= missing {
            defer { offset += missing }
            return HTTP2FrameHeader(UnsafeRawBufferPointer(rebasing: input[offset..<offset + missing]))
        }
        let count = min(missing, input.count - offset)
        carry.append(contentsOf: input[offset..<offset + count])
        offset += count
        guard count == missing else { return nil }
        defer { carry.removeAll(keepingCapacity: true) }
        return carry.withUnsafeBytes { HTTP2FrameHeader($0) }
    }

    /// Begins to read a frame.
    ///
    /// - Returns: An event if the frame has no payload to wait for.
    private mutating func begin(_ header: HTTP2FrameHeader) throws(HTTP2Failure) -> Event? {
        guard hasSettings || header.kind == .settings && !header.flags.contains(.acknowledgement) else {
            throw HTTP2Failure(
                .protocolError, "the first frame of the server is not SETTINGS: it may not speak HTTP/2 (RFC 9113 §3.4)")
        }
        guard header.length <= HTTP2Limits.frameBytes else {
            throw HTTP2Failure(
                .frameSizeError,
                "a frame has \(header.length) bytes, and at most \(HTTP2Limits.frameBytes) are permitted (RFC 9113 §4.2)")
        }
        if let openBlock, header.kind != .continuation || header.stream != openBlock.stream {
            throw HTTP2Failure(.protocolError, "another frame follows within a header block (RFC 9113 §6.10)")
        }
        switch header.kind {
        case .data where header.flags.contains(.padded):
            guard header.length > 0 else {
                throw HTTP2Failure(.frameSizeError, "a padded DATA frame has no length of its padding (RFC 9113 §6.1)")
            }
            reading = .paddingLength(header)
            return nil
        case .data:
            return try beginData(header, content: header.length, padding: 0)
        case .headers, .continuation, .priority, .resetStream, .settings, .ping, .goAway, .windowUpdate:
            reading = .payload(header)
            return nil
        case .pushPromise:
            throw HTTP2Failure(.protocolError, "the server has sent PUSH_PROMISE, which was not permitted (RFC 9113 §6.6)")
        default:
            // Frames of unknown types are ignored (RFC 9113 §5.5).
            reading = .skipped(header.length)
            try countEmptyFrame()
            return .frame
        }
    }

    /// Waits for the whole payload, and processes the frame.
    private mutating func receivePayload(
        _ header: HTTP2FrameHeader, _ input: UnsafeRawBufferPointer, _ offset: inout Int
    ) throws(HTTP2Failure) -> Event? {
        let missing = header.length - carry.count
        if carry.isEmpty, input.count - offset >= missing {
            let payload = UnsafeRawBufferPointer(rebasing: input[offset..<offset + missing])
            offset += missing
            reading = .header
            return try process(header, payload)
        }
        let count = min(missing, input.count - offset)
        carry.append(contentsOf: input[offset..<offset + count])
        offset += count
        guard count == missing else { return nil }
        reading = .header
        var payload: [UInt8] = []
        swap(&payload, &carry)
        defer {
            payload.removeAll(keepingCapacity: true)
            swap(&payload, &carry)
        }
        return try payload.withUnsafeBufferPointer { (payload) throws(HTTP2Failure) in
            try process(header, UnsafeRawBufferPointer(payload))
        }
    }

    private mutating func process(
        _ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Failure) -> Event {
        switch header.kind {
        case .headers: try receiveHeaders(header, payload)
        case .continuation: try receiveContinuation(header, payload)
        case .resetStream: try receiveReset(header, payload)
        case .settings: try receiveSettings(header, payload)
        case .ping: try receivePing(header, payload)
        case .goAway: try receiveGoAway(header, payload)
        case .windowUpdate: try receiveWindowUpdate(header, payload)
        default: try receivePriority(header)
        }
    }

    // MARK: Bounds

    /// Counts a frame that carries nothing. A peer could send them without end.
    mutating func countEmptyFrame() throws(HTTP2Failure) {
        emptyFrames += 1
        guard emptyFrames <= HTTP2Limits.emptyFrames else {
            throw HTTP2Failure(
                .enhanceYourCalm, "the server has sent more than \(HTTP2Limits.emptyFrames) frames without content")
        }
    }

    /// Counts a frame with content, which permits some without.
    ///
    /// - Parameter sentBytes: The content that was sent: a server may confirm small pieces of it with WINDOW_UPDATE. Default: 0.
    mutating func countContent(sentBytes: Int = 0) {
        emptyFrames = max(emptyFrames - 16 - sentBytes / 64, 0)
    }

    /// Counts a reply to the peer.
    mutating func countReply() throws(HTTP2Failure) {
        if output.isEmpty { owedReplies = 0 }
        owedReplies += 1
        guard owedReplies <= HTTP2Limits.owedReplies else {
            throw HTTP2Failure(
                .enhanceYourCalm,
                "more than \(HTTP2Limits.owedReplies) replies to SETTINGS and PING wait to be sent")
        }
    }
}
