import NetworkSupport

// Writing frames.
extension HTTP2StateMachine {
    private static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    mutating func writePreface() {
        let settings: [(HTTP2Setting, Int)] = [
            (.enablePush, 0), (.initialWindowSize, limits.streamWindow), (.maximumHeaderListSize, limits.headerBytes),
            (.noRFC7540Priorities, 1),
        ]
        output.pending.append(contentsOf: Self.preface.utf8)
        HTTP2FrameHeader(.settings, length: 6 * settings.count).append(to: &output.pending)
        for (setting, value) in settings {
            output.pending.append(UInt8(setting.rawValue >> 8))
            output.pending.append(UInt8(truncatingIfNeeded: setting.rawValue))
            output.pending.append(bigEndian: UInt32(value))
        }
        writeWindowUpdate(0, limits.connectionWindow - 65_535)
    }

    mutating func writeWindowUpdate(_ stream: UInt32, _ increment: Int) {
        guard increment > 0 else { return }
        HTTP2FrameHeader(.windowUpdate, stream: stream, length: 4).append(to: &output.pending)
        output.pending.append(bigEndian: UInt32(increment))
    }

    mutating func writeGoAway(_ code: HTTP2ErrorCode, _ message: String) {
        let text = message.utf8.prefix(200)
        HTTP2FrameHeader(.goAway, length: 8 + text.count).append(to: &output.pending)
        // The last stream of the peer that was processed: none, because it must not open any.
        output.pending.append(bigEndian: 0)
        output.pending.append(bigEndian: code.rawValue)
        output.pending.append(contentsOf: text)
    }

    // MARK: Requests

    /// Whether a stream can be opened.
    var canOpen: Bool { permitsStream(besides: 0) }

    /// Whether one more stream than these can be opened.
    func permitsStream(besides count: Int) -> Bool {
        failure == nil && lastAccepted == nil && streams.count + count < maximumStreams
            && nextNumber <= 0x7FFF_FFFF - 2 * UInt32(min(count, 1 << 20))
    }

    /// Opens a stream, and writes the head of a request.
    ///
    /// - Parameters:
    ///   - method: What the method says about the response. Default: nothing.
    ///   - hasBody: Whether content or trailers follow.
    ///   - write: Encodes the fields, the pseudo-fields first.
    mutating func open(
        _ method: HTTP2Stream.Method = .other, hasBody: Bool, _ write: (inout HPACKEncoder, inout [UInt8]) -> Void
    ) -> HTTP2StreamID {
        let id = streams.open(nextNumber) { id in
            HTTP2Stream(
                id: id, response: ResponseReception(.http2, method, limits: limits.fields), isSent: !hasBody,
                sendWindow: peerInitialWindow, receiveWindow: limits.streamWindow, targetWindow: limits.streamWindow)
        }
        nextNumber += 2
        writeBlock(id.number, isEnd: !hasBody, write)
        return id
    }

    /// Says how urgent a response is (PRIORITY_UPDATE, RFC 9218 §7.1), from 0 to 7. Without that, it is 3.
    mutating func writePriority(_ id: HTTP2StreamID, urgency: Int) {
        let value = "u=\(urgency)".utf8
        HTTP2FrameHeader(.priorityUpdate, length: 4 + value.count).append(to: &output.pending)
        output.pending.append(bigEndian: id.number)
        output.pending.append(contentsOf: value)
    }

    /// Writes the trailers of a request, which end it.
    mutating func writeTrailers(_ id: HTTP2StreamID, _ write: (inout HPACKEncoder, inout [UInt8]) -> Void) {
        guard let stream = streams[id], !stream.isSent else { return }
        writeBlock(id.number, isEnd: true, write)
        finishRequest(id)
    }

    /// Writes a header block in as many frames as it needs.
    private mutating func writeBlock(
        _ stream: UInt32, isEnd: Bool, _ write: (inout HPACKEncoder, inout [UInt8]) -> Void
    ) {
        let limit = min(peerFrameBytes, HTTP2Limits.frameBytes)
        countContent()
        let start = output.pending.count
        HTTP2FrameHeader(.headers, stream: stream, length: 0).append(to: &output.pending)
        encoder.begin(&output.pending)
        write(&encoder, &output.pending)
        let first = start + HTTP2FrameHeader.byteCount
        let count = output.pending.count - first
        let flags: HTTP2Flags = isEnd ? .endStream : []
        guard count > limit else {
            let header = HTTP2FrameHeader(.headers, flags.union(.endHeaders), stream: stream, length: count)
            return header.write(over: &output.pending, at: start)
        }
        let block = Array(output.pending[first...])
        output.pending.removeSubrange(start...)
        for offset in stride(from: 0, to: block.count, by: limit) {
            let length = min(limit, block.count - offset)
            var flags = offset == 0 ? flags : []
            if offset + length == block.count { flags.insert(.endHeaders) }
            HTTP2FrameHeader(offset == 0 ? .headers : .continuation, flags, stream: stream, length: length).append(
                to: &output.pending)
            output.pending.append(contentsOf: block[offset..<offset + length])
        }
    }

    /// The number of bytes of content that can be written on a stream now.
    func room(on id: HTTP2StreamID) -> Int {
        guard let stream = streams[id], !stream.isSent else { return 0 }
        return max(min(stream.sendWindow, sendWindow, HTTP2Limits.frameBytes), 0)
    }

    /// Writes a frame of content.
    ///
    /// - Parameters:
    ///   - count: At most ``room(on:)``.
    ///   - fill: Writes at most `count` bytes. Returns their number, and whether the request is complete with them.
    mutating func writeContent(
        _ id: HTTP2StreamID, upTo count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> (count: Int, isEnd: Bool)
    ) {
        let start = output.pending.count
        let first = start + HTTP2FrameHeader.byteCount
        output.pending.append(contentsOf: repeatElement(0, count: HTTP2FrameHeader.byteCount + count))
        let (written, isEnd) = output.pending.withUnsafeMutableBytes {
            fill(UnsafeMutableRawBufferPointer(rebasing: $0[first...]))
        }
        guard written > 0 || isEnd else { return output.pending.removeSubrange(start...) }
        output.pending.removeSubrange((first + written)...)
        HTTP2FrameHeader(.data, isEnd ? .endStream : [], stream: id.number, length: written).write(
            over: &output.pending, at: start)
        sendWindow -= written
        streams[id.slot]?.sendWindow -= written
        if written > 0 { countContent(sentBytes: written) }
        if isEnd { finishRequest(id) }
    }

    /// Writes the end of a request whose content was written before.
    mutating func finish(_ id: HTTP2StreamID) {
        guard let stream = streams[id], !stream.isSent else { return }
        HTTP2FrameHeader(.data, .endStream, stream: id.number, length: 0).append(to: &output.pending)
        finishRequest(id)
    }

    private mutating func finishRequest(_ id: HTTP2StreamID) {
        guard let stream = streams[id] else { return }
        if stream.response.stage == .complete { streams.close(id) } else { streams[id.slot]?.isSent = true }
    }

    // MARK: The end

    /// Closes a stream, and tells the peer so. What still arrives for the stream is dropped.
    mutating func reset(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        guard streams[id] != nil else { return }
        streams.close(id)
        HTTP2FrameHeader(.resetStream, stream: id.number, length: 4).append(to: &output.pending)
        output.pending.append(bigEndian: code.rawValue)
    }

    /// Closes the streams above the last one that the peer accepts (RFC 9113 §6.8), and returns them: they were not processed.
    mutating func takeUnprocessed() -> [HTTP2StreamID] {
        guard let lastAccepted else { return [] }
        let unprocessed = streams.from(lastAccepted + 1)
        for id in unprocessed { streams.close(id) }
        return unprocessed
    }

    /// Asks for a reply, which shows that the connection is alive.
    mutating func ping() {
        awaitsPong = true
        pings += 1
        HTTP2FrameHeader(.ping, length: 8).append(to: &output.pending)
        output.pending.append(bigEndian: UInt32(pings >> 32))
        output.pending.append(bigEndian: UInt32(truncatingIfNeeded: pings))
    }

    /// Announces the end of the connection (RFC 9113 §6.8).
    mutating func close() {
        if failure == nil { writeGoAway(.noError, "") }
    }
}

extension HTTP2FrameHeader {
    /// Writes the header over bytes of a buffer.
    fileprivate func write(over output: inout [UInt8], at offset: Int) {
        output[offset] = UInt8(truncatingIfNeeded: length >> 16)
        output[offset + 1] = UInt8(truncatingIfNeeded: length >> 8)
        output[offset + 2] = UInt8(truncatingIfNeeded: length)
        output[offset + 3] = kind.rawValue
        output[offset + 4] = flags.rawValue
        output[offset + 5] = UInt8(truncatingIfNeeded: stream >> 24)
        output[offset + 6] = UInt8(truncatingIfNeeded: stream >> 16)
        output[offset + 7] = UInt8(truncatingIfNeeded: stream >> 8)
        output[offset + 8] = UInt8(truncatingIfNeeded: stream)
    }
}
