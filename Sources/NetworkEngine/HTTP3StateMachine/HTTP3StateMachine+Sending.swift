import NetworkSupport

// Writing frames.
extension HTTP3StateMachine {
    /// Writes the types of the unidirectional streams, and the settings (RFC 9114 §7.2.4).
    mutating func writePrefaces() {
        let settings: [(HTTP3Setting, UInt64)] = [
            (.qpackTableCapacity, UInt64(QPACKDecoder.tableCapacity)),
            (.maximumFieldSectionSize, UInt64(limits.headerBytes)),
            (.qpackBlockedStreams, UInt64(QPACKDecoder.blockedStreams)),
        ]
        var payload: [UInt8] = []
        for (setting, value) in settings {
            payload.append(quic: setting.rawValue)
            payload.append(quic: value)
        }
        for kind in HTTP3StreamKind.critical {
            write(to: kind) { output in
                output.append(quic: kind.rawValue)
                guard kind == .control else { return }
                HTTP3FrameHeader(.settings, length: UInt64(payload.count)).append(to: &output)
                output.append(contentsOf: payload)
            }
        }
    }

    // MARK: Requests

    /// Whether a request can be sent, as far as HTTP/3 is concerned: QUIC limits the number of streams.
    var canOpen: Bool { failure == nil && firstRefused == nil }

    /// Begins a request on a stream, and writes its head.
    ///
    /// - Parameters:
    ///   - number: The number that QUIC has given the stream, which is bidirectional.
    ///   - method: What the method says about the response. Default: nothing.
    ///   - hasBody: Whether content or trailers follow.
    ///   - write: Encodes the fields, the pseudo-fields first.
    mutating func open(
        _ number: UInt64, _ method: HTTP3Stream.Method = .other, hasBody: Bool,
        _ write: (inout QPACKEncoder, inout [UInt8]) -> Void
    ) -> HTTP3StreamID {
        let id = streams.open(number) { id in
            HTTP3Stream(id: id, response: ResponseReception(.http3, method, limits: limits.fields))
        }
        writeFields(id, write)
        if !hasBody { finish(id) }
        return id
    }

    /// Says how urgent a response is (PRIORITY_UPDATE, RFC 9218 §7.2), from 0 to 7. Without that, it is 3.
    mutating func writePriority(_ id: HTTP3StreamID, urgency: Int) {
        var payload: [UInt8] = []
        payload.append(quic: id.number)
        payload.append(contentsOf: "u=\(urgency)".utf8)
        write(to: .control) { output in
            HTTP3FrameHeader(.priorityUpdate, length: UInt64(payload.count)).append(to: &output)
            output.append(contentsOf: payload)
        }
    }

    /// Writes the trailers of a request, which end it.
    mutating func writeTrailers(_ id: HTTP3StreamID, _ write: (inout QPACKEncoder, inout [UInt8]) -> Void) {
        guard let stream = streams[id], !stream.outgoing.isFinished else { return }
        writeFields(id, write)
        finish(id)
    }

    private mutating func writeFields(_ id: HTTP3StreamID, _ write: (inout QPACKEncoder, inout [UInt8]) -> Void) {
        countContent()
        var section: [UInt8] = []
        encoder.begin(&section)
        write(&encoder, &section)
        self.write(to: id) { output in
            HTTP3FrameHeader(.headers, length: UInt64(section.count)).append(to: &output)
            output.append(contentsOf: section)
        }
    }

    private mutating func write(to id: HTTP3StreamID, _ body: (inout [UInt8]) -> Void) {
        if streams[id.slot]?.outgoing.write(body) ?? false { perform(.send(.request(id))) }
    }

    /// The number of bytes of content that can be written on a stream now.
    func room(on id: HTTP3StreamID) -> Int {
        guard let stream = streams[id], !stream.outgoing.isFinished else { return 0 }
        return max(min(HTTP3Limits.frameBytes, HTTP3Limits.outputBytes - stream.outgoing.count), 0)
    }

    /// Writes a frame of content.
    ///
    /// - Parameters:
    ///   - count: At most ``room(on:)``.
    ///   - fill: Writes at most `count` bytes. Returns their number, and whether the request is complete with them.
    mutating func writeContent(
        _ id: HTTP3StreamID, upTo count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> (count: Int, isEnd: Bool)
    ) {
        guard let stream = streams[id], !stream.outgoing.isFinished else { return }
        let lengthBytes = QUICInteger.byteCount(of: UInt64(count))
        var isEnd = false
        var hasContent = false
        write(to: id) { output in
            let start = output.count
            output.append(quic: HTTP3FrameKind.data.rawValue)
            output.append(quic: 0, byteCount: lengthBytes)
            let first = output.count
            output.append(contentsOf: repeatElement(0, count: count))
            let filled = output.withUnsafeMutableBytes { fill(UnsafeMutableRawBufferPointer(rebasing: $0[first...])) }
            isEnd = filled.isEnd
            hasContent = filled.count > 0
            guard hasContent else { return output.removeSubrange(start...) }
            output.removeSubrange((first + filled.count)...)
            var length: [UInt8] = []
            length.append(quic: UInt64(filled.count), byteCount: lengthBytes)
            output.replaceSubrange(first - lengthBytes..<first, with: length)
        }
        if hasContent { countContent() }
        if isEnd { finish(id) }
    }

    /// Ends a request whose content was written before.
    mutating func finish(_ id: HTTP3StreamID) {
        guard let stream = streams[id], !stream.outgoing.isFinished else { return }
        if streams[id.slot]?.outgoing.finish() ?? false { perform(.send(.request(id))) }
    }

    // MARK: The end

    /// Whether the peer has ended a stream that is open on this side.
    func hasReceivedEnd(of id: HTTP3StreamID) -> Bool { streams[id]?.response.stage == .complete }

    /// Closes a stream in both directions (RFC 9114 §4.1.1). What still arrives for the stream is dropped.
    mutating func reset(_ id: HTTP3StreamID, _ code: HTTP3ErrorCode) {
        close(id, code, hasEnded: streams[id]?.response.stage == .complete)
    }

    /// Closes a stream.
    ///
    /// - Parameter hasEnded: Whether the peer sends nothing more.
    mutating func close(_ id: HTTP3StreamID, _ code: HTTP3ErrorCode, hasEnded: Bool) {
        guard let stream = streams[id] else { return }
        heldBytes -= stream.reader.heldBytes
        streams.close(id)
        if !stream.outgoing.isSent { perform(.reset(id.number, code)) }
        if !hasEnded { perform(.stopSending(id.number, code)) }
    }

    /// Closes a stream if the request was sent and the response was received.
    mutating func closeIfComplete(_ id: HTTP3StreamID) {
        guard let stream = streams[id], stream.response.stage == .complete, stream.outgoing.isSent else { return }
        streams.close(id)
    }

    /// Closes the streams that the peer does not process after GOAWAY (RFC 9114 §5.2), and returns them. One on which a part of
    /// a response has arrived is not among them.
    mutating func takeUnprocessed() -> [HTTP3StreamID] {
        guard let firstRefused else { return [] }
        let unprocessed = streams.from(firstRefused).filter { streams[$0]?.response.isUntouched ?? false }
        for id in unprocessed { reset(id, .requestCancelled) }
        return unprocessed
    }

    /// Ends the connection without an error (RFC 9114 §5.3).
    mutating func close() {
        if failure == nil { perform(.close(.noError, "")) }
    }
}
