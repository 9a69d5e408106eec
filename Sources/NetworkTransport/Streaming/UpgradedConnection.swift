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
/// Its bytes are those that follow the response with status 101, after TLS and proxies. It no longer counts towards `maximumConnections`, but towards
/// ``SessionConfiguration/maximumUpgradedConnections``. It is closed by ``close()``, when it is released, and with the session manager.
public final class UpgradedConnection: Sendable {
    package let transport: any UpgradedTransport
    /// The receiver for ``read()``, created with its first call.
    private let pipe = Locked<ResponseBodyPipe?>(nil)

    package init(_ transport: any UpgradedTransport) {
        self.transport = transport
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
        let pipe = startedPipe()
        let result = await withTaskCancellationHandler {
            await Result.from(pipe.next)
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
        _ = startedPipe().cancel(.cancelledUpgrade)
        transport.close(awaitsPeer: false)
    }

    private func startedPipe() -> ResponseBodyPipe {
        let (pipe, isNew): (ResponseBodyPipe, Bool) = pipe.withLock { pipe in
            if let pipe { return (pipe, false) }
            let new = ResponseBodyPipe { [weak transport] in transport?.resumeReading() }
            pipe = new
            return (new, true)
        }
        if isNew { transport.start(UpgradedPipe(pipe)) }
        return pipe
    }
}

extension NetworkResponse {
    /// The connection, if the server has switched it to the protocol that the request's `Upgrade` field names: the request was streamed,
    /// and the status is 101. Otherwise `nil`.
    ///
    /// The body and the connection are the same bytes. Use one of them.
    public var upgradedConnection: UpgradedConnection? {
        if case .bytes(let connection) = upgrade { connection } else { nil }
    }

    /// The messages, if the engine itself handles the frames of a WebSocket: `URLSession`.
    package var upgradedMessages: UpgradedMessages? {
        if case .messages(let messages) = upgrade { messages } else { nil }
    }

    private var upgrade: ReceivedStream.Upgrade? {
        guard case .received(let body) = body.source else { return nil }
        return (body as? ReceivedStream)?.upgrade
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

extension TransportError {
    fileprivate static var cancelledUpgrade: TransportError { TransportError(.cancelled, "the connection was closed") }
}

/// The engine's side of an upgraded connection.
package protocol UpgradedTransport: AnyObject, Sendable {
    /// Starts to receive. The first bytes are those that were received together with the response. Called once.
    func start(_ receiver: any UpgradedReceiver)

    /// Appends bytes to those that wait to be sent, and sends as many as the socket takes.
    ///
    /// - Parameter append: Appends the bytes, in the order of the calls. Called synchronously, under a lock.
    /// - Returns: Whether less than 256 KiB wait to be sent.
    /// - Throws: If the connection is closed, or sending has failed; `append` is not called then.
    func send(_ append: (inout [UInt8]) -> Void) throws(TransportError) -> Bool

    /// Suspends while 256 KiB or more wait to be sent.
    func waitForRoom() async throws(TransportError)

    /// Continues to receive after ``UpgradedReceiver/receive(_:)`` has returned `false`.
    func resumeReading()

    /// Closes the connection. The receiver is not called any more, except calls that have begun.
    ///
    /// - Parameter awaitsPeer: Whether what waits to be sent is sent first, and the peer has a second to close the connection.
    func close(awaitsPeer: Bool)
}

/// Receives the bytes of an upgraded connection. All calls are made one after another, on a thread of the loop; they must not block.
package protocol UpgradedReceiver: AnyObject, Sendable {
    /// Receives all of these bytes.
    ///
    /// - Returns: Whether it can receive more; if not, the socket is not read until ``UpgradedTransport/resumeReading()``.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool

    /// Called after one or several calls of ``receive(_:)``: wakes the tasks that wait for what was received.
    func flush()

    /// The connection has ended. Nothing follows.
    ///
    /// - Parameter error: Why; `nil` if the peer has closed it.
    func connectionDidEnd(_ error: TransportError?)

    /// The session manager is being closed: the connection should be closed in an orderly way.
    func sessionWillClose()
}

/// Passes the bytes to the reader of an ``UpgradedConnection``.
private final class UpgradedPipe: UpgradedReceiver {
    private let pipe: ResponseBodyPipe

    init(_ pipe: ResponseBodyPipe) {
        self.pipe = pipe
    }

    package func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        _ = pipe.write(bytes)
        return pipe.hasRoom
    }

    package func flush() { pipe.flush() }

    func connectionDidEnd(_ error: TransportError?) {
        pipe.finish(error.map(Result.failure) ?? .success(StreamEnd()))
    }

    func sessionWillClose() {}
}

extension UpgradedConnection: RedactedStringConvertible {}
