import Endpoints
import Foundation
import NetworkLogging
import NetworkSupport

/// A connection that the server has switched to another protocol, such as WebSocket (RFC 9110 §7.8).
///
/// ```swift
/// let request = NetworkRequest(
///     url: url, headers: ["Connection": "Upgrade", "Upgrade": "example"])
/// let response = try await session.stream(for: request)
/// guard let connection = response.upgradedConnection else { return }
/// try await connection.write(Data("hello".utf8))
/// while let bytes = try await connection.read() { print(bytes.count) }
/// ```
///
/// Its bytes are those that follow the response, after TLS and proxies: those of a connection after status 101, or of a stream of an HTTP/2 connection if the
/// protocol is `websocket` (RFC 8441). It no longer counts towards `maximumConnections`, but towards
/// ``SessionConfiguration/maximumUpgradedConnections``. It is closed by ``close()``, when it is released, and with the session manager.
public final class UpgradedConnection: Sendable {
    package let transport: any UpgradedTransport
    /// What was received and not read.
    private let received: BoundedPipe<ReceivedBytes, Void, TransportError>
    /// Whether the transport has a receiver.
    private let isStarted = Locked(false)

    package init(_ transport: any UpgradedTransport) {
        self.transport = transport
        received = BoundedPipe(ReceivedBytes(), capacity: 256 << 10, onRoom: { [weak transport] in transport?.resumeReading() })
    }

    deinit {
        transport.close(awaitsPeer: false)
    }

    /// Returns the bytes that were received since the last call, and suspends until there are some. Called by one task at a time.
    ///
    /// At most about 256 KiB are buffered. Beyond that, the socket is not read, which in turn stops the peer.
    ///
    /// - Returns: `nil` when the peer has closed the connection.
    /// - Throws: ``TransportError``; ``TransportError/Code/cancelled`` when the task is cancelled, which closes the connection.
    public func read() async throws(TransportError) -> Data? {
        start()
        let result = await withTaskCancellationHandler {
            await Result.from { () async throws(TransportError) in try await received.next(conflict: .concurrentReading) }
        } onCancel: {
            close()
        }
        return try result.get()
    }

    /// Sends bytes, and suspends while more than 256 KiB wait to be sent.
    ///
    /// - Throws: ``TransportError`` if the connection is closed; ``TransportError/Code/cancelled`` when the task is cancelled while it is
    ///   suspended. The bytes are sent in that case too.
    public func write(_ bytes: Data) async throws(TransportError) {
        if try !transport.send({ $0.append(contentsOf: bytes) }) { try await transport.waitForRoom() }
    }

    /// Closes the connection. Bytes that were not sent yet, and those that were not read, are dropped.
    public func close() {
        received.cancel(TransportError(.cancelled, "the connection was closed"))
        transport.close(awaitsPeer: false)
    }

    private func start() {
        let isFirst = isStarted.withLock { isStarted in
            defer { isStarted = true }
            return !isStarted
        }
        if isFirst { transport.start(UpgradedPipe(received)) }
    }
}

/// What a response has led to with which the server switches protocols.
package enum Upgrade: Sendable {
    case bytes(UpgradedConnection)
    /// The messages of a WebSocket whose frames the engine handles itself: `URLSession`.
    case messages(UpgradedMessages)
}

extension NetworkResponse {
    /// The connection, if the server has switched it to the protocol that the request's `Upgrade` field names: the request was streamed,
    /// and the status is 101, or a successful one over HTTP/2. Otherwise `nil`.
    ///
    /// The response has no body then. Interceptors pass the connection on unless they make a new response.
    public var upgradedConnection: UpgradedConnection? {
        if case .bytes(let connection) = upgrade { connection } else { nil }
    }
}

extension NetworkRequest {
    /// Whether the connection is returned if the server switches it to another protocol.
    package var requestsUpgrade: Bool { isStreamed && headers.contains("Upgrade") }

    /// Whether the protocol that it requests is that of WebSockets (RFC 6455 §4.1).
    package var requestsWebSocket: Bool {
        requestsUpgrade
            && headers.values(for: "Upgrade").contains { $0.trimmingCharacters(in: .whitespaces).lowercased() == "websocket" }
    }
}

/// Passes the bytes to the reader of an ``UpgradedConnection``.
private final class UpgradedPipe: UpgradedReceiver {
    private let pipe: BoundedPipe<ReceivedBytes, Void, TransportError>

    init(_ pipe: BoundedPipe<ReceivedBytes, Void, TransportError>) {
        self.pipe = pipe
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        pipe.access(wakes: false) { state in
            if state.end == nil { state.content.bytes.append(contentsOf: bytes) }
            return !state.awaitRoom(.callback)
        }
    }

    func flush() { pipe.access { _ in } }

    func connectionDidEnd(_ error: TransportError?) {
        pipe.finish(error.map(Result.failure) ?? .success(()))
    }

    func sessionWillClose() {}
}

extension UpgradedConnection: RedactedStringConvertible {}
