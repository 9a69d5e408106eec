#if os(Linux)
    import Foundation
    import Glibc
    import NetworkSupport
    import TestSupport
    import Testing

    /// A bad network: a UDP port whose datagrams, in both directions, are passed to and from a server, lost, delayed or passed twice.
    final class UDPRelay: Sendable {
        struct Faults: Sendable, CustomTestStringConvertible {
            /// How many datagrams of a hundred are lost.
            var loss = 0
            /// How many of a hundred are passed twice.
            var duplicates = 0
            /// The longest delay in milliseconds. It is another one for each datagram, so that their order changes.
            var delay = 0

            var testDescription: String { "loss \(loss) %, twice \(duplicates) %, up to \(delay) ms" }
        }

        private struct Delivery {
            var time: UInt64
            var bytes: [UInt8]
            var socket: CInt
            /// The client; `nil` for the server, to which the socket is connected.
            var client: sockaddr_in?
        }

        let port: UInt16
        private let front: CInt
        private let isStopped = Locked(false)

        /// Starts the relay.
        ///
        /// - Parameter server: The server's port of 127.0.0.1.
        init(to server: UInt16, _ faults: Faults, seed: UInt64) throws {
            front = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            var address = Self.address(0)
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            var length = size
            let (front, isStopped) = (front, isStopped)
            try withUnsafeMutablePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    guard front >= 0, bind(front, address, size) == 0, getsockname(front, address, &length) == 0 else {
                        throw SystemError.last
                    }
                }
            }
            port = UInt16(bigEndian: address.sin_port)
            Thread.detachNewThread { Self.run(front, server, faults, seed: seed) { isStopped.withLock(\.self) } }
        }

        deinit {
            isStopped.withLock { $0 = true }
        }

        private static func address(_ port: UInt16) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            return address
        }

        private static func run(_ front: CInt, _ server: UInt16, _ faults: Faults, seed: UInt64, isStopped: () -> Bool) {
            var random = SeededGenerator(seed: seed)
            // The sockets to the server, by the ports of the clients, and back.
            var (sockets, clients) = ([:] as [UInt16: CInt], [:] as [CInt: sockaddr_in])
            var waiting: [Delivery] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            defer {
                close(front)
                for socket in sockets.values { close(socket) }
            }
            while !isStopped() {
                var events = ([front] + sockets.values).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                poll(&events, nfds_t(events.count), waiting.isEmpty ? 20 : 1)
                for event in events where event.revents != 0 {
                    var client = sockaddr_in()
                    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                    let count = withUnsafeMutablePointer(to: &client) { pointer in
                        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                            recvfrom(event.fd, &buffer, buffer.count, Int32(MSG_DONTWAIT), $0, &size)
                        }
                    }
                    guard count > 0 else { continue }
                    var target = event.fd
                    if event.fd == front {
                        if sockets[client.sin_port] == nil {
                            guard let socket = connect(to: server) else { continue }
                            sockets[client.sin_port] = socket
                            clients[socket] = client
                        }
                        target = sockets[client.sin_port] ?? -1
                    }
                    if random.below(100) < faults.loss { continue }
                    for _ in 0..<(random.below(100) < faults.duplicates ? 2 : 1) {
                        let delay = faults.delay == 0 ? 0 : random.below(faults.delay + 1)
                        waiting.append(
                            Delivery(
                                time: monotonicNanoseconds() + UInt64(delay) * 1_000_000, bytes: Array(buffer[..<count]),
                                socket: event.fd == front ? target : front, client: event.fd == front ? nil : clients[event.fd]))
                    }
                }
                let now = monotonicNanoseconds()
                for delivery in waiting where delivery.time <= now { deliver(delivery) }
                waiting.removeAll { $0.time <= now }
            }
        }

        private static func connect(to server: UInt16) -> CInt? {
            let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            var address = address(server)
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            return isConnected ? socket : nil
        }

        private static func deliver(_ delivery: Delivery) {
            guard var client = delivery.client else {
                send(delivery.socket, delivery.bytes, delivery.bytes.count, 0)
                return
            }
            _ = withUnsafePointer(to: &client) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(
                        delivery.socket, delivery.bytes, delivery.bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
    }
#endif
