import NetworkSupport

// Frames of the connection (RFC 9113 §6.5, §6.7 to §6.9).
extension HTTP2StateMachine {
    private func check(_ header: HTTP2FrameHeader, _ name: String) throws(HTTP2Failure) {
        guard header.stream == 0 else { throw HTTP2Failure(.protocolError, "\(name) belongs to a stream (RFC 9113 §6)") }
    }

    // MARK: Settings

    mutating func receiveSettings(
        _ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Failure) -> Event {
        try check(header, "SETTINGS")
        if header.flags.contains(.acknowledgement) {
            guard payload.isEmpty else { throw HTTP2Failure(.frameSizeError, "a reply to SETTINGS has content (RFC 9113 §6.5)") }
            try countEmptyFrame()
            return .frame
        }
        guard payload.count % 6 == 0 else {
            throw HTTP2Failure(.frameSizeError, "the length of SETTINGS is not a multiple of 6 (RFC 9113 §6.5)")
        }
        if hasSettings { try countEmptyFrame() }
        hasSettings = true
        for offset in stride(from: 0, to: payload.count, by: 6) {
            let setting = HTTP2Setting(rawValue: UInt16(payload[offset]) << 8 | UInt16(payload[offset + 1]))
            try apply(setting, Int(payload.bigEndian(at: offset + 2)))
        }
        try countReply()
        HTTP2FrameHeader(.settings, .acknowledgement, length: 0).append(to: &output.pending)
        return .settings
    }

    private mutating func apply(_ setting: HTTP2Setting, _ value: Int) throws(HTTP2Failure) {
        switch setting {
        case .headerTableSize: encoder.limitTable(to: value)
        case .enablePush:
            // A server must not permit it either (RFC 9113 §6.5.2).
            guard value == 0 else { throw Self.invalid("SETTINGS_ENABLE_PUSH", value) }
        case .maximumConcurrentStreams: maximumStreams = value
        case .initialWindowSize:
            guard value <= Self.maximumWindow else {
                throw HTTP2Failure(.flowControlError, "SETTINGS_INITIAL_WINDOW_SIZE is \(value) (RFC 9113 §6.5.2)")
            }
            try changeWindows(by: value - peerInitialWindow)
            peerInitialWindow = value
        case .maximumFrameSize:
            guard (16_384...16_777_215).contains(value) else { throw Self.invalid("SETTINGS_MAX_FRAME_SIZE", value) }
            peerFrameBytes = value
        case .maximumHeaderListSize: peerHeaderBytes = value
        case .noRFC7540Priorities:
            guard value <= 1 else { throw Self.invalid("SETTINGS_NO_RFC7540_PRIORITIES", value) }
        case .enableConnectProtocol:
            // It is not withdrawn (RFC 8441 §3).
            guard value == 1 || value == 0 && !permitsConnectProtocol else {
                throw Self.invalid("SETTINGS_ENABLE_CONNECT_PROTOCOL", value)
            }
            permitsConnectProtocol = value == 1
        default: break
        }
    }

    private static func invalid(_ name: String, _ value: Int) -> HTTP2Failure {
        HTTP2Failure(.protocolError, "\(name) is \(value) (RFC 9113 §6.5.2)")
    }

    /// Changes what may be sent on each stream after a new initial window (RFC 9113 §6.9.2).
    private mutating func changeWindows(by difference: Int) throws(HTTP2Failure) {
        guard difference != 0 else { return }
        for slot in streams.openSlots {
            let window = (streams[slot]?.sendWindow ?? 0) + difference
            guard window <= Self.maximumWindow else { throw Self.windowOverflow }
            streams[slot]?.sendWindow = window
        }
    }

    // MARK: Windows

    /// The largest window (RFC 9113 §6.9.1).
    static let maximumWindow = Int(Int32.max)

    private static let windowOverflow = HTTP2Failure(
        .flowControlError, "a window is larger than \(HTTP2StateMachine.maximumWindow) bytes (RFC 9113 §6.9.1)")

    mutating func receiveWindowUpdate(
        _ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Failure) -> Event {
        guard payload.count == 4 else {
            throw HTTP2Failure(.frameSizeError, "WINDOW_UPDATE does not have 4 bytes (RFC 9113 §6.9)")
        }
        try countEmptyFrame()
        let increment = Int(payload.bigEndian(at: 0) & 0x7FFF_FFFF)
        if header.stream == 0 {
            guard increment > 0 else {
                throw HTTP2Failure(.protocolError, "WINDOW_UPDATE opens the connection by 0 bytes (RFC 9113 §6.9)")
            }
            sendWindow += increment
            guard sendWindow <= Self.maximumWindow else { throw Self.windowOverflow }
            return .writable(nil)
        }
        guard header.stream % 2 == 1, header.stream < nextNumber else {
            throw HTTP2Failure(
                .protocolError,
                "the server has sent WINDOW_UPDATE for stream \(header.stream), which was not opened (RFC 9113 §5.1)")
        }
        guard let slot = streams.slot(of: header.stream), let stream = streams[slot] else { return .frame }
        guard increment > 0, stream.sendWindow + increment <= Self.maximumWindow else {
            let code = increment > 0 ? HTTP2ErrorCode.flowControlError : .protocolError
            reset(stream.id, code)
            return .failedStream(
                stream.id, HTTP2Failure(code, "WINDOW_UPDATE opens the stream by 0 bytes, or by too many (RFC 9113 §6.9)"))
        }
        streams[slot]?.sendWindow += increment
        return .writable(stream.id)
    }

    /// Opens the window of the connection again, whether or not the readers keep up.
    mutating func openConnectionWindow() {
        guard receiveWindow <= limits.connectionWindow / 2 else { return }
        writeWindowUpdate(0, limits.connectionWindow - receiveWindow)
        receiveWindow = limits.connectionWindow
    }

    /// Notes that the reader of a stream has taken bytes of its body, and opens the window again once half of it was taken.
    ///
    /// While the reader keeps up, the window is doubled each time, so that a distant server is not held up.
    ///
    /// - Parameter mayGrow: Whether there is memory for a larger window.
    /// - Returns: The number of bytes by which the window has grown.
    @discardableResult
    mutating func take(_ count: Int, of id: HTTP2StreamID, mayGrow: Bool = true) -> Int {
        guard var stream = streams[id], stream.response.stage == .receivingBody else { return 0 }
        let before = stream.targetWindow
        stream.taken += count
        if stream.taken * 2 >= stream.targetWindow {
            var increment = stream.taken
            if mayGrow, !stream.wasPaused, stream.targetWindow < limits.maximumStreamWindow {
                let target = min(stream.targetWindow * 2, limits.maximumStreamWindow)
                increment += target - stream.targetWindow
                stream.targetWindow = target
            }
            stream.taken = 0
            stream.wasPaused = false
            stream.receiveWindow += increment
            writeWindowUpdate(id.number, increment)
        }
        streams[id.slot] = stream
        return stream.targetWindow - before
    }

    /// Notes that the reader of a stream has not kept up.
    mutating func pause(_ id: HTTP2StreamID) {
        guard streams[id] != nil else { return }
        streams[id.slot]?.wasPaused = true
    }

    // MARK: Pings and the end

    mutating func receivePing(
        _ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Failure) -> Event {
        try check(header, "PING")
        guard payload.count == 8 else { throw HTTP2Failure(.frameSizeError, "PING does not have 8 bytes (RFC 9113 §6.7)") }
        try countEmptyFrame()
        guard header.flags.contains(.acknowledgement) else {
            try countReply()
            HTTP2FrameHeader(.ping, .acknowledgement, length: 8).append(to: &output.pending)
            output.pending.append(contentsOf: payload)
            return .frame
        }
        let number = UInt64(payload.bigEndian(at: 0)) << 32 | UInt64(payload.bigEndian(at: 4))
        guard awaitsPong, number == pings else { return .frame }
        awaitsPong = false
        return .pong
    }

    mutating func receiveGoAway(
        _ header: HTTP2FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Failure) -> Event {
        try check(header, "GOAWAY")
        guard payload.count >= 8 else { throw HTTP2Failure(.frameSizeError, "GOAWAY has fewer than 8 bytes (RFC 9113 §6.8)") }
        let last = payload.bigEndian(at: 0) & 0x7FFF_FFFF
        guard last <= lastAccepted ?? .max else {
            throw HTTP2Failure(.protocolError, "a second GOAWAY accepts more streams than the first (RFC 9113 §6.8)")
        }
        if lastAccepted != nil { try countEmptyFrame() }
        lastAccepted = last
        return .goAway(HTTP2ErrorCode(rawValue: payload.bigEndian(at: 4)))
    }
}
