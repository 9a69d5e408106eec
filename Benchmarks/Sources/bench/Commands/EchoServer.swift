import CEcho
import Foundation
import Glibc
import NetworkWebSocket

/// A WebSocket server that sends every frame back, on one thread and in plain C but for the handshakes.
enum EchoServer {
    /// Prints its URL, and serves until it is killed.
    static func run() throws {
        let echo = cecho_create()
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 4096) == 0 && getsockname(listener, address, &size) == 0
            }
        }
        guard echo >= 0, isListening else { fail("the echo server cannot start") }
        say("ws://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, shakeHands(connection), cecho_add(echo, connection) == 0 else {
                    close(connection)
                    continue
                }
            }
        }
        cecho_run(echo)
        fail("the echo server has failed")
    }

    /// Receives a request, and responds to it. Clients send nothing else before the response.
    private static func shakeHands(_ connection: CInt) -> Bool {
        var head = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0, head.count < 1 << 16 else { return false }
            head.append(contentsOf: buffer.prefix(count))
        }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let name = "sec-websocket-key:"
        guard let line = lines.first(where: { $0.lowercased().hasPrefix(name) }) else { return false }
        let key = line.dropFirst(name.count).trimmingCharacters(in: .whitespaces)
        let response = """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: \(WebSocketHandshake.accept(key))\r
            \r

            """
        return Array(response.utf8).withUnsafeBytes { send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) == $0.count }
    }
}
