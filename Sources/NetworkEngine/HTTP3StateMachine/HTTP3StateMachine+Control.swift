import NetworkSupport

// The control stream of the peer (RFC 9114 §6.2.1, §7.2).
extension HTTP3StateMachine {
    /// Reads frames of the control stream up to the next event.
    ///
    /// - Returns: `nil` if all input was consumed.
    mutating func receiveControl(
        _ input: UnsafeRawBufferPointer, _ offset: inout Int, _ index: Int
    ) throws(HTTP3Failure) -> Event? {
        while true {
            switch peerStreams[index].reader.reading {
            case .header:
                guard let header = peerStreams[index].reader.takeHeader(input, &offset) else { return nil }
                if try begin(header) {
                    peerStreams[index].reader.expectPayload(of: header)
                } else {
                    peerStreams[index].reader.expectSkipped(header.length)
                    return .frame
                }
            case .payload(let header):
                guard let payload = peerStreams[index].reader.takePayload(header.length, input, &offset) else { return nil }
                switch payload {
                case .input(let range): return try process(header.kind, UnsafeRawBufferPointer(rebasing: input[range]))
                case .carried(let bytes):
                    return try bytes.withUnsafeBufferPointer { (bytes) throws(HTTP3Failure) in
                        try process(header.kind, UnsafeRawBufferPointer(bytes))
                    }
                }
            case .skipped(let remaining):
                guard peerStreams[index].reader.skip(remaining, input, &offset) else { return nil }
            case .data: return nil
            }
        }
    }

    /// Begins to read a frame of the control stream.
    ///
    /// - Returns: Whether its payload has a meaning.
    private mutating func begin(_ header: HTTP3FrameHeader) throws(HTTP3Failure) -> Bool {
        guard hasSettings || header.kind == .settings else {
            throw HTTP3Failure(
                .missingSettings,
                "the control stream of the server begins with \(header.kind.name), not SETTINGS (RFC 9114 §6.2.1)")
        }
        switch header.kind {
        case .settings:
            guard !hasSettings else {
                throw HTTP3Failure(.frameUnexpected, "the server has sent SETTINGS twice (RFC 9114 §7.2.4)")
            }
            guard header.length <= HTTP3Limits.settingsBytes else {
                throw HTTP3Failure(.excessiveLoad, "SETTINGS has more than \(HTTP3Limits.settingsBytes) bytes")
            }
            return true
        case .goAway, .cancelPush:
            guard (1...8).contains(header.length) else { throw Self.notAnInteger(header.kind) }
            return true
        case .data, .headers, .pushPromise, .maximumPushID, .priorityUpdate, .pushPriorityUpdate:
            throw Self.unexpected(header.kind, on: "the control stream of the server")
        default:
            try checkUnknown(header)
            return false
        }
    }

    private static func notAnInteger(_ kind: HTTP3FrameKind) -> HTTP3Failure {
        HTTP3Failure(.frameError, "\(kind.name) does not have the length of its integer (RFC 9114 §7.1)")
    }

    private mutating func process(_ kind: HTTP3FrameKind, _ payload: UnsafeRawBufferPointer) throws(HTTP3Failure) -> Event {
        if kind == .settings { return try receiveSettings(payload) }
        var offset = 0
        guard let number = QUICInteger.read(payload, at: &offset), offset == payload.count else { throw Self.notAnInteger(kind) }
        guard kind == .goAway else {
            throw HTTP3Failure(.idError, "the server has cancelled a push, and none was permitted (RFC 9114 §7.2.3)")
        }
        return try receiveGoAway(number)
    }

    // MARK: Settings

    /// Receives the settings (RFC 9114 §7.2.4).
    private mutating func receiveSettings(_ payload: UnsafeRawBufferPointer) throws(HTTP3Failure) -> Event {
        hasSettings = true
        var seen: Set<HTTP3Setting> = []
        var offset = 0
        while offset < payload.count {
            guard let identifier = QUICInteger.read(payload, at: &offset), let value = QUICInteger.read(payload, at: &offset)
            else {
                throw HTTP3Failure(.frameError, "SETTINGS ends within a setting (RFC 9114 §7.1)")
            }
            let setting = HTTP3Setting(rawValue: identifier)
            guard seen.insert(setting).inserted else {
                throw HTTP3Failure(.settingsError, "the setting \(identifier) occurs twice (RFC 9114 §7.2.4)")
            }
            try apply(setting, value)
        }
        return .settings
    }

    private mutating func apply(_ setting: HTTP3Setting, _ value: UInt64) throws(HTTP3Failure) {
        switch setting {
        case .maximumFieldSectionSize: peerHeaderBytes = value
        case .enableConnectProtocol:
            permitsConnectProtocol = try Self.flag("SETTINGS_ENABLE_CONNECT_PROTOCOL", value, "RFC 9220 §3")
        case .datagrams: permitsDatagrams = try Self.flag("SETTINGS_H3_DATAGRAM", value, "RFC 9297 §2.1.1")
        // Nothing is added to the table that the peer permits.
        case .qpackTableCapacity, .qpackBlockedStreams: break
        case _ where setting.belongsToHTTP2:
            throw HTTP3Failure(.settingsError, "the setting \(setting.rawValue) belongs to HTTP/2 (RFC 9114 §7.2.4.1)")
        default: break
        }
    }

    private static func flag(_ name: String, _ value: UInt64, _ section: String) throws(HTTP3Failure) -> Bool {
        guard value <= 1 else { throw HTTP3Failure(.settingsError, "\(name) is \(value) (\(section))") }
        return value == 1
    }

    // MARK: The end

    /// Receives GOAWAY (RFC 9114 §5.2, §7.2.6).
    private mutating func receiveGoAway(_ number: UInt64) throws(HTTP3Failure) -> Event {
        guard number & 3 == 0 else {
            throw HTTP3Failure(.idError, "GOAWAY has the number \(number), which is not that of a request (RFC 9114 §7.2.6)")
        }
        guard number <= firstRefused ?? .max else {
            throw HTTP3Failure(.idError, "a second GOAWAY accepts more requests than the first (RFC 9114 §5.2)")
        }
        if firstRefused != nil { try countEmptyFrame() }
        firstRefused = number
        return .goAway
    }
}
