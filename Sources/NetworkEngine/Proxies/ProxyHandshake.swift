/// What a handshake with a proxy needs next.
enum ProxyStep: Equatable, Sendable {
    /// Send these bytes to the proxy, then pass what it sends to ``ProxyHandshake/receive(_:)``.
    case send([UInt8])
    /// More bytes of the proxy are needed.
    case receive
    /// The proxy has connected to the server: what follows is between client and server.
    case connected
}

/// Why a proxy has not connected to the server.
struct ProxyRefusal: Error, Equatable, Sendable {
    /// A description for people: what the proxy has sent, or which value cannot be sent to it. It contains no credentials.
    var message: String
    /// Whether the same request may pass later.
    var isTemporary: Bool

    init(_ message: String, isTemporary: Bool = false) {
        self.message = message
        self.isTemporary = isTemporary
    }

    /// The proxy has sent bytes before the client has sent anything that they could be a response to. They are not from the server either: in
    /// all protocols of this package the client begins.
    static func surplus(_ count: Int) -> ProxyRefusal {
        ProxyRefusal("the proxy has sent \(count) \(count == 1 ? "byte" : "bytes") after its reply")
    }
}

/// The exchange with a proxy that precedes the first byte for the server.
///
/// A state machine over bytes, without I/O and without a clock. Its result does not depend on how the bytes of the proxy are split:
///
///     send(try handshake.begin())
///     while true {
///         switch try handshake.receive(read()) {
///         case .send(let bytes): send(bytes)
///         case .receive: continue
///         case .connected: return
///         }
///     }
protocol ProxyHandshake {
    /// Returns the first bytes for the proxy. Called once, first.
    ///
    /// - Throws: ``ProxyRefusal`` if a value cannot be sent with the protocol. Nothing was sent then.
    mutating func begin() throws(ProxyRefusal) -> [UInt8]

    /// Takes bytes that the proxy has sent, which may be split anywhere.
    ///
    /// - Throws: ``ProxyRefusal`` if the proxy has refused, or has sent something else than a reply. Further calls throw the same error.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(ProxyRefusal) -> ProxyStep

    /// Handles the end of what the proxy sends: it has closed the connection.
    ///
    /// - Returns: The reason why there is no connection to the server; after an error, that error.
    mutating func receiveEnd() -> ProxyRefusal
}
