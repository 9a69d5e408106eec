import Foundation

/// What a connection has to do, in order, to send one response.
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
        /// Goes on with the next request.
        case keepAlive
        case close
        /// Closes once the client has, or after a while: for a client that is still sending.
        case closeLingering
        case reset
        case stall
    }

    private(set) var steps: [Step] = []
    var ending = Ending.keepAlive

    /// Pieces up to this size are joined, so that a small response is one system call.
    private static let joinLimit = 64 << 10

    init(_ steps: [Step] = [], ending: Ending = .keepAlive) {
        self.steps = steps
        self.ending = ending
    }

    mutating func add(_ step: Step) {
        steps.append(step)
    }

    /// Adds bytes to send, joined with those before where that is cheap.
    mutating func send(_ bytes: Data) {
        guard !bytes.isEmpty else { return }
        guard case .send(var last)? = steps.last, last.count + bytes.count <= Self.joinLimit else {
            return steps.append(.send(bytes))
        }
        // Removed first, so that the append below is in place.
        steps.removeLast()
        last.append(bytes)
        steps.append(.send(last))
    }
}
