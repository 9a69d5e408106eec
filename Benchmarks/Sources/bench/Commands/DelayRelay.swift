import Foundation
import Glibc

/// Passes bytes on between clients and a server of this machine, each after a delay: the round trip time of a distant server, without the
/// privileges that a delay in the system's network takes.
enum DelayRelay {
    /// Prints its URL, and relays until its input ends.
    ///
    /// - Parameters:
    ///   - port: The server's, on 127.0.0.1.
    ///   - delay: How long each byte takes in either direction: half of the round trip time.
    static func run(to port: Int, delay: Duration) throws {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var own = address(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withSocketAddress(&own) {
            bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
        }
        guard isListening else { fail("the relay cannot start") }
        say("https://127.0.0.1:\(UInt16(bigEndian: own.sin_port))")
        Thread.detachNewThread { [size] in
            while true {
                let client = accept(listener, nil, nil)
                let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
                var address = address(port: port)
                let isConnected = withSocketAddress(&address) { connect(server, $0, size) == 0 }
                guard client >= 0, isConnected else { fail("the relay cannot connect") }
                DelayedDirection(from: client, to: server, delay).start()
                DelayedDirection(from: server, to: client, delay).start()
            }
        }
        ChildServer.waitForEndOfInput()
    }

    /// Starts one in a separate process.
    static func start(to url: URL, delay: Duration) throws -> (input: Pipe, url: URL) {
        guard let port = url.port else { fail("\(url) has no port") }
        return try ChildServer.start(["delay-relay", String(port), String(Int(delay.inSeconds * 1000))])
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return address
    }

    private static func withSocketAddress<Result>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
    }
}

/// One direction of a connection: a thread that reads at once, and one that writes when the time has come. Between them is as much as the
/// windows of the connection's protocol permit.
///
/// `@unchecked Sendable`: the condition guards `pieces`, and all else is constant.
private final class DelayedDirection: @unchecked Sendable {
    private let source: CInt
    private let destination: CInt
    private let delay: Duration
    private let condition = NSCondition()
    /// What was read, and when it is written. No bytes are the end.
    private var pieces: [(due: ContinuousClock.Instant, bytes: [UInt8])] = []

    init(from source: CInt, to destination: CInt, _ delay: Duration) {
        self.source = source
        self.destination = destination
        self.delay = delay
    }

    func start() {
        var on: CInt = 1
        setsockopt(destination, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
        Thread.detachNewThread { self.read() }
        Thread.detachNewThread { self.write() }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = max(recv(source, &buffer, buffer.count, 0), 0)
            condition.lock()
            pieces.append((ContinuousClock.now + delay, Array(buffer.prefix(count))))
            condition.signal()
            condition.unlock()
            if count == 0 { return }
        }
    }

    private func write() {
        while true {
            condition.lock()
            while pieces.isEmpty { condition.wait() }
            let due = pieces
            pieces = []
            condition.unlock()
            for piece in due {
                Thread.sleep(forTimeInterval: max((piece.due - ContinuousClock.now).inSeconds, 0))
                var rest = piece.bytes[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { send(destination, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
                    guard count > 0 else { return }
                    rest = rest.dropFirst(count)
                }
                if piece.bytes.isEmpty {
                    shutdown(destination, CInt(SHUT_WR))
                    return
                }
            }
        }
    }
}
