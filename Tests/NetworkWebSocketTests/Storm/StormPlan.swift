import Foundation
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport

/// What one side of a socket does.
struct StormSidePlan: Sendable {
    enum Ending: Sendable, Hashable {
        /// Closes after all messages were sent.
        case finish
        /// Closes, or cancels, after yielding so many times.
        case close(WebSocketCloseCode, after: Int)
        case cancel(after: Int)
        /// Cancels the tasks that send and receive.
        case cancelTasks(after: Int)
    }

    var senders: Int
    /// The number of messages of each sender.
    var messages: Int
    /// The number of messages after which nothing more is received; `nil` for no limit.
    var readLimit: Int?
    var pings: Int
    var ending: Ending
    var seed: UInt64

    init(_ random: inout SeededGenerator) {
        senders = 1 + random.below(3)
        messages = random.below(1 << random.below(7))
        pings = random.chance(30) ? random.below(5) : 0
        let pause = random.below(1 << random.below(14))
        switch random.below(10) {
        case 0: ending = .cancel(after: pause)
        case 1: ending = .cancelTasks(after: pause)
        case 2, 3:
            let codes: [WebSocketCloseCode] = [.normal, .goingAway, .policyViolation, .init(rawValue: 4000)]
            ending = .close(random.pick(codes), after: pause)
        default: ending = .finish
        }
        // Otherwise the peer might wait for room forever.
        if ending != .finish, random.chance(30) { readLimit = random.below(10) }
        seed = random.next()
    }

    var isOrderly: Bool {
        switch ending {
        case .finish, .close: true
        case .cancel, .cancelTasks: false
        }
    }
}

/// What happens to one socket.
struct StormPlan: Sendable {
    /// The index in ``routes``.
    var route: Int
    var client: StormSidePlan
    var server: StormSidePlan
    var compression: WebSocketCompression?
    /// Whether the client sends a few messages and releases the socket.
    var releases: Bool
    /// After how many yields the task that opens the socket is cancelled; `nil` for never.
    var cancelsOpening: Int?

    /// What the server does wrong at each route. Half of the sockets use the first one, where it does nothing wrong.
    static let routes: [[LoopbackWebSocketFault]] = {
        let ofFrames: [LoopbackWebSocketFault] = [
            .reset, .resetFrame(after: 3), .truncateFrame(after: 1), .truncateFrame(after: 40), .badLength, .maskedFrame,
            .unknownOpcode, .invalidUTF8, .raw(Data([0x8A, 0x00, 0x89, 0x01, 0x41])),
        ]
        let others: [LoopbackWebSocketFault] = [
            .wrongAcceptKey, .ignoresPings, .ignoresCloses, .drip(bytes: 100, every: .milliseconds(1)),
        ]
        var routes: [[LoopbackWebSocketFault]] = [[]]
        for frames in [0, 1, 7] { routes += ofFrames.map { [$0.after(frames: frames)] } }
        return routes + others.map { [$0] }
    }()

    init(seed: UInt64, socket: Int) {
        var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(socket))
        route = random.chance(50) ? 0 : random.below(Self.routes.count)
        client = StormSidePlan(&random)
        server = StormSidePlan(&random)
        if random.chance(60) {
            let (clientForgets, serverForgets) = (random.chance(30), random.chance(30))
            compression = WebSocketCompression {
                $0.clientForgets = clientForgets
                $0.serverForgets = serverForgets
            }
        }
        releases = random.chance(5)
        cancelsOpening = random.chance(5) ? random.below(1 << random.below(10)) : nil
    }

    var faults: [LoopbackWebSocketFault] { Self.routes[route] }
    /// Whether the server follows the protocol, at its own pace.
    var isFaultless: Bool { faults.isEmpty }

    subscript(side: StormSide) -> StormSidePlan { side == .client ? client : server }
}
