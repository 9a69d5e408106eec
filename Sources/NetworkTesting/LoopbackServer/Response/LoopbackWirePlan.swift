import Endpoints
import Foundation

/// The steps that a connection performs to send a response.
struct LoopbackWirePlan: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        case send(Data)
        /// Sends in portions with pauses between them.
        case drip(Data, bytes: Int, every: Duration)
        case pause(Duration)
        /// Sends the same bytes until the connection ends.
        case repeatForever(Data)
    }

    enum Ending: Sendable, Equatable {
        /// Continues with the next request.
        case keepAlive
        case close
        /// Closes once the client has closed its side, or after a timeout: for a client that is still sending.
        case closeLingering
        case reset
        /// Sends nothing more, until the client closes the connection.
        case stall
    }

    private(set) var steps: [Step] = []
    var ending = Ending.keepAlive

    /// The size in bytes up to which pieces are joined, so that a small response needs only one system call.
    private static let joinLimit = 64 << 10

    init(_ steps: [Step] = [], ending: Ending = .keepAlive) {
        self.steps = steps
        self.ending = ending
    }

    mutating func add(_ step: Step) {
        steps.append(step)
    }

    /// Adds bytes to send. Small ones are joined with the bytes before them.
    mutating func send(_ bytes: Data) {
        guard !bytes.isEmpty else { return }
        guard case .send(var last)? = steps.last, last.count + bytes.count <= Self.joinLimit else {
            return steps.append(.send(bytes))
        }
        // Removed first, so that the append below does not copy the bytes.
        steps.removeLast()
        last.append(bytes)
        steps.append(.send(last))
    }
}

extension LoopbackWirePlan {
    /// Creates the plan for the response to a request.
    init(_ response: LoopbackResponse, to request: LoopbackRequest) {
        self.init()
        if !request.isHTTP10 {
            for interim in response.interims {
                send(LoopbackWireMessage.head(status: interim.status, reason: nil, headers: interim.headers))
            }
        }
        if let delay = response.delay { add(.pause(delay)) }

        if case .raw(let bytes, let thenClose) = response.content {
            add(bytes, pacedBy: response.faults)
            ending = thenClose ? .close : .keepAlive
            return
        }
        for case .garbage(let count) in response.faults.map(\.kind) {
            send(Self.garbage(count))
            ending = .close
            return
        }

        var message = LoopbackWireMessage(response, to: request)
        for fault in response.faults { message.apply(fault) }
        ending = message.closes ? .close : .keepAlive
        message.isEndless ? addEndless(message) : add(message, pacedBy: response.faults)
    }

    private mutating func add(_ message: LoopbackWireMessage, pacedBy faults: [LoopbackFault]) {
        let headLimit = message.cut?.place == .head ? message.cut?.bytes : nil
        let head = message.head
        if let cut = message.cut { ending = Ending(cut.manner) }
        let drip = Self.drip(in: faults)
        let sentHead = headLimit.map { Data(head.prefix($0)) } ?? head
        let pieces = headLimit == nil ? message.piecesToSend : []
        guard let drip else {
            send(sentHead)
            for piece in pieces { send(piece) }
            return
        }
        let body = pieces.reduce(into: Data()) { $0.append($1) }
        if drip.includesHead {
            add(.drip(sentHead + body, bytes: drip.bytes, every: drip.pause))
        } else {
            send(sentHead)
            if !body.isEmpty { add(.drip(body, bytes: drip.bytes, every: drip.pause)) }
        }
    }

    private mutating func add(_ bytes: Data, pacedBy faults: [LoopbackFault]) {
        if let drip = Self.drip(in: faults) {
            add(.drip(bytes, bytes: drip.bytes, every: drip.pause))
        } else {
            send(bytes)
        }
    }

    private mutating func addEndless(_ message: LoopbackWireMessage) {
        send(message.head)
        var unit = message.pieces.reduce(into: Data()) { $0.append($1.bytes) }
        guard !unit.isEmpty else { return }
        // Few large writes are cheaper than many small ones.
        while unit.count < 64 << 10 { unit.append(unit) }
        add(.repeatForever(unit))
    }

    private static func drip(in faults: [LoopbackFault]) -> (bytes: Int, pause: Duration, includesHead: Bool)? {
        for case .drip(let bytes, let pause, let includesHead) in faults.reversed().map(\.kind) {
            return (bytes, pause, includesHead)
        }
        return nil
    }

    /// Returns bytes of a linear congruential generator. The first is not a letter, so they never look like HTTP.
    private static func garbage(_ count: Int) -> Data {
        var state: UInt32 = 0x9e37_79b9
        var bytes = Data(capacity: count)
        for index in 0..<count {
            state = state &* 1_664_525 &+ 1_013_904_223
            bytes.append(index == 0 ? 0xfe : UInt8(truncatingIfNeeded: state >> 24))
        }
        return bytes
    }
}

extension LoopbackWirePlan.Ending {
    init(_ manner: LoopbackFault.Cut.Manner) {
        switch manner {
        case .close: self = .close
        case .reset: self = .reset
        case .stall: self = .stall
        }
    }
}
