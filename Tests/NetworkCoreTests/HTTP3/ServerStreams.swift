@testable import NetworkEngine

/// What a server does with the streams of a connection over HTTP/3, valid or not.
struct ServerStreams {
    /// One thing that arrives at the client.
    enum Step: Equatable {
        case opened(UInt64)
        case bytes(UInt64, [UInt8], isEnd: Bool)
        case reset(UInt64, HTTP3ErrorCode)
        case stop(HTTP3StateMachine.Destination, HTTP3ErrorCode)
    }

    /// The number of the control stream.
    static let control: UInt64 = 3

    private(set) var steps: [Step] = []
    private var unidirectional: UInt64 = 0
    private var encoder = QPACKEncoder()

    /// Begins with the settings of the server, unless it is to begin with something else.
    init(settings: [(UInt64, UInt64)]? = []) {
        guard let settings else { return }
        open(HTTP3StreamKind.control.rawValue)
        self.settings(settings)
    }

    /// Opens a unidirectional stream, and returns its number.
    @discardableResult
    mutating func open(_ kind: UInt64?, _ bytes: [UInt8] = [], isEnd: Bool = false) -> UInt64 {
        let number = unidirectional * 4 + 3
        unidirectional += 1
        steps.append(.opened(number))
        self.bytes((kind.map { Self.integers($0) } ?? []) + bytes, on: number, isEnd: isEnd)
        return number
    }

    /// Returns integers of variable length.
    static func integers(_ numbers: UInt64...) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in numbers { bytes.append(quic: number) }
        return bytes
    }

    mutating func add(_ step: Step) { steps.append(step) }

    mutating func bytes(_ bytes: [UInt8], on stream: UInt64, isEnd: Bool = false) {
        if !bytes.isEmpty || isEnd { steps.append(.bytes(stream, bytes, isEnd: isEnd)) }
    }

    mutating func frame(_ kind: UInt64, _ payload: [UInt8] = [], on stream: UInt64 = control, isEnd: Bool = false) {
        bytes(Self.integers(kind, UInt64(payload.count)) + payload, on: stream, isEnd: isEnd)
    }

    mutating func settings(_ settings: [(UInt64, UInt64)]) {
        frame(HTTP3FrameKind.settings.rawValue, settings.flatMap { Self.integers($0.0, $0.1) })
    }

    /// Returns an encoded field section.
    mutating func section(_ fields: [(String, String)]) -> [UInt8] {
        var section: [UInt8] = []
        encoder.begin(&section)
        for (name, value) in fields {
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { encoder.append(name, $0, .added, to: &section) }
            }
        }
        return section
    }

    mutating func head(_ fields: [(String, String)] = [(":status", "200")], stream: UInt64 = 0, isEnd: Bool = false) {
        frame(HTTP3FrameKind.headers.rawValue, section(fields), on: stream, isEnd: isEnd)
    }

    mutating func data(_ text: String, stream: UInt64 = 0, isEnd: Bool = false) {
        frame(HTTP3FrameKind.data.rawValue, Array(text.utf8), on: stream, isEnd: isEnd)
    }

    mutating func end(_ stream: UInt64 = 0) { bytes([], on: stream, isEnd: true) }
    mutating func reset(_ code: HTTP3ErrorCode, stream: UInt64 = 0) { add(.reset(stream, code)) }
    mutating func goAway(_ number: UInt64) { frame(HTTP3FrameKind.goAway.rawValue, Self.integers(number)) }
}

/// What a connection has made of the streams of a server.
struct ReceivedStreams {
    var connection: HTTP3StateMachine
    /// The events, in short.
    var log: [String] = []
    /// The actions, in short. Those that send are left out.
    var actions: [String] = []
    /// What the client has sent on each stream.
    var sent: [HTTP3StateMachine.Destination: [UInt8]] = [:]
    /// The streams that the client has ended.
    var ended: Set<HTTP3StateMachine.Destination> = []
    let requests: [HTTP3StreamID]

    init(requests: Int = 1, _ method: HTTP3Stream.Method = .other, hasBody: Bool = false, limits: HTTP3Limits = HTTP3Limits()) {
        var connection = HTTP3StateMachine(limits: limits)
        self.requests = (0..<requests).map { connection.open(UInt64($0) * 4, method, hasBody: hasBody) { _, _ in } }
        self.connection = connection
        act()
    }

    /// Passes what a server does.
    ///
    /// - Parameter piece: The number of bytes of a piece.
    mutating func receive(_ server: ServerStreams, piece: Int = .max) {
        for step in server.steps { receive(step, piece: piece) }
    }

    mutating func receive(_ step: ServerStreams.Step, piece: Int = .max) {
        switch step {
        case .opened(let number): note(connection.accept(number))
        case .reset(let number, let code): note(connection.receiveReset(of: number, code))
        case .stop(let destination, let code): note(connection.receiveStop(of: destination, code))
        case .bytes(let number, let bytes, let isEnd):
            var start = 0
            repeat {
                let end = start + min(piece, bytes.count - start)
                Array(bytes[start..<end]).withUnsafeBytes { receive($0, isEnd: isEnd && end == bytes.count, of: number) }
                start = end
            } while start < bytes.count
        }
        act()
    }

    private mutating func receive(_ input: UnsafeRawBufferPointer, isEnd: Bool, of number: UInt64) {
        var offset = 0
        while true {
            let event = connection.next(input, at: &offset, isEnd: isEnd, of: number)
            precondition(offset <= input.count, "read beyond the input")
            if event == .needsMore {
                precondition(offset == input.count, "input is left")
                return
            }
            note(event, input)
            if case .failed = event { return }
        }
    }

    private mutating func note(
        _ event: HTTP3StateMachine.Event, _ input: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        switch event {
        case .needsMore, .frame, .settings: break
        case .interim(let id, let status): log.append("\(id.number) interim \(status)")
        case .head(let id, let status): log.append("\(id.number) head \(status)")
        case .data(let id, let range):
            // Pieces may end within a character.
            let text = String(String.UnicodeScalarView(input[range].map { Unicode.Scalar($0) }))
            // Pieces of the same content are one entry.
            if log.last?.hasPrefix("\(id.number) data ") == true {
                log[log.count - 1] += text
            } else {
                log.append("\(id.number) data \(text)")
            }
        case .trailers(let id): log.append("\(id.number) trailers")
        case .end(let id): log.append("\(id.number) end")
        case .reset(let id, let code, let isUnprocessed):
            log.append("\(id.number) reset \(code.name)" + (isUnprocessed ? " unprocessed" : ""))
        case .stopped(let id, let code): log.append("\(id.number) stopped \(code.name)")
        case .failedStream(let id, let failure): log.append("\(id.number) failed \(failure.code.name)")
        case .goAway:
            log.append("goaway")
            log += connection.takeUnprocessed().map { "\($0.number) unprocessed" }
        case .failed(let failure): log.append("failed \(failure.code.name)")
        }
    }

    /// Performs the actions, as a transport that takes everything.
    mutating func act() {
        for action in connection.takeActions() {
            switch action {
            case .send(let destination):
                while let isEnd = connection.offer(
                    destination,
                    { bytes, isEnd in
                        sent[destination, default: []] += bytes
                        return (isEnd, bytes.count)
                    })
                {
                    if isEnd { ended.insert(destination) }
                }
            case .reset(let number, let code): actions.append("reset \(number) \(code.name)")
            case .stopSending(let number, let code): actions.append("stop \(number) \(code.name)")
            case .close(let code, _): actions.append("close \(code.name)")
            }
        }
    }
}
