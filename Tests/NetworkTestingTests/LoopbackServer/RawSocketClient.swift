import Foundation
import Testing

@testable import NetworkTesting

/// A blocking TCP client that gives access to each received byte and to the way the connection ended. Reads time out after some
/// seconds.
final class RawSocketClient {
    enum End: Equatable {
        case closed
        case reset
        case timedOut
    }

    struct Failure: Error {
        var operation: String
        var code: Int32
    }

    private var descriptor: Int32
    private var unread = Data()
    private var end: End?

    init(_ server: LoopbackServer, receiveTimeoutSeconds: Int = 50, receiveBufferBytes: Int32? = nil) throws {
        descriptor = LoopbackSocket.makeStreamSocket()
        guard descriptor >= 0 else { throw Failure(operation: "socket", code: errno) }
        LoopbackSocket.setOption(descriptor, SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: receiveTimeoutSeconds, tv_usec: 0))
        if let receiveBufferBytes { LoopbackSocket.setOption(descriptor, SOL_SOCKET, SO_RCVBUF, receiveBufferBytes) }
        var address = LoopbackSocket.loopbackAddress(port: UInt16(server.port))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            disconnect()
            throw Failure(operation: "connect", code: code)
        }
    }

    deinit { disconnect() }

    func disconnect() {
        guard descriptor >= 0 else { return }
        LoopbackSocket.closeDescriptor(descriptor)
        descriptor = -1
    }

    @discardableResult
    func send(_ text: String) throws -> RawSocketClient {
        try send(Data(text.utf8))
    }

    @discardableResult
    func send(_ data: Data) throws -> RawSocketClient {
        var sent = 0
        while sent < data.count {
            let start = sent
            let transfer = data.withUnsafeBytes {
                LoopbackSocket.write(descriptor, UnsafeRawBufferPointer(rebasing: $0[start...]))
            }
            guard case .bytes(let count) = transfer else { throw Failure(operation: "send", code: errno) }
            sent += count
        }
        return self
    }

    /// Sends a GET request with a `Host` field.
    @discardableResult
    func get(_ target: String, _ headers: String...) throws -> RawSocketClient {
        try send("GET \(target) HTTP/1.1\r\nHost: test\r\n" + headers.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    /// Reads exactly this many bytes, or fewer if the connection ends.
    func read(_ count: Int) -> Data {
        while unread.count < count, fill() {}
        let bytes = Data(unread.prefix(count))
        unread = Data(unread.dropFirst(count))
        return bytes
    }

    func readText(_ count: Int) -> String { String(decoding: read(count), as: UTF8.self) }

    /// Reads all bytes up to the end of the connection, and returns them with the kind of end.
    func readToEnd() -> (text: String, end: End) {
        let (data, end) = readDataToEnd()
        return (String(decoding: data, as: UTF8.self), end)
    }

    func readDataToEnd() -> (data: Data, end: End) {
        while fill() {}
        defer { unread = Data() }
        return (unread, end ?? .timedOut)
    }

    /// Reads the head with its blank line, and as many bytes of the body as `Content-Length` states.
    func readResponse() -> (head: String, body: String) {
        let blankLine = Data("\r\n\r\n".utf8)
        while unread.range(of: blankLine) == nil, fill() {}
        let headEnd = unread.range(of: blankLine)?.upperBound ?? unread.endIndex
        let head = readText(headEnd - unread.startIndex)
        let length = head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) }
        return (head, readText(length ?? 0))
    }

    /// Whether bytes can be read without waiting.
    var hasBytesWaiting: Bool {
        var byte: UInt8 = 0
        return !unread.isEmpty || recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(Self.dontWait)) > 0
    }

    private func fill() -> Bool {
        guard end == nil else { return false }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        switch LoopbackSocket.read(descriptor, into: buffer) {
        case .bytes(0): end = .closed
        case .bytes(let count): unread.append(contentsOf: buffer[..<count])
        case .wouldBlock: end = .timedOut
        case .failed: end = .reset
        }
        return end == nil
    }

    private static var dontWait: Int { Int(MSG_DONTWAIT) }
}
