import Endpoints
import Foundation
import NetworkLogging

/// Size, times, subprotocols and compression of a WebSocket. The size is finite; ``idleTimeout`` and ``totalTimeout`` are off by default.
public struct WebSocketOptions: Sendable {
    /// The subprotocols that the client speaks, in order of preference (RFC 6455 §1.9). Default: none.
    public var subprotocols: [String] = []
    /// The maximum size of a received message, in bytes, after decompression, in one frame or many. A larger one closes the connection with the
    /// code 1009. Does not apply to ``WebSocket/streams``, except on Apple platforms. Default: 16 MiB.
    public var maximumMessageBytes = 16 << 20
    /// Compression of messages; `nil` for none. Default: none. For the engine on Linux; on Apple platforms it is up to `URLSession`.
    public var compression: WebSocketCompression?
    /// The time without a received byte after which a ping is sent; `nil` for never. Default: 30 seconds.
    public var pingInterval: Duration? = .seconds(30)
    /// The time in which something must be received after such a ping, otherwise the connection is closed. Default: 20 seconds.
    public var pingTimeout: Duration = .seconds(20)
    /// The maximum time without a message in either direction; `nil` for no limit. Default: no limit.
    public var idleTimeout: Duration?
    /// The maximum time from the handshake on; `nil` for no limit. Default: no limit.
    public var totalTimeout: Duration?
    /// The time that the peer has to respond to a close frame. Default: 5 seconds.
    public var closeTimeout: Duration = .seconds(5)
    /// The clock for all of these times.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Creates options.
    ///
    /// The size must be at least 125 bytes, times at least 1 millisecond, and each subprotocol a token (RFC 9110 §5.6.2). Otherwise, the
    /// connection fails with ``WebSocketError/Code/invalidConfiguration``.
    ///
    /// - Parameter change: Called once with the defaults, before the initializer returns. Default: changes nothing.
    public init(_ change: (inout WebSocketOptions) -> Void = { _ in }) {
        change(&self)
    }

    /// Checks that all values are valid.
    func validate() throws(WebSocketError) {
        guard maximumMessageBytes >= 125 else {
            throw WebSocketError(.invalidConfiguration, "maximumMessageBytes is \(maximumMessageBytes); it must be at least 125")
        }
        let times = [
            ("pingInterval", pingInterval), ("pingTimeout", pingTimeout), ("idleTimeout", idleTimeout),
            ("totalTimeout", totalTimeout),
            ("closeTimeout", closeTimeout),
        ]
        for (name, value) in times {
            if let value, value < .milliseconds(1) {
                throw WebSocketError(.invalidConfiguration, "\(name) is \(value); it must be at least 1 ms")
            }
        }
        for name in subprotocols where !name.isToken || subprotocols.filter({ $0 == name }).count > 1 {
            throw WebSocketError(.invalidConfiguration, "subprotocols: each must be a token and occur once (RFC 6455 §4.1)")
        }
        if let compression, !(1...9).contains(compression.level) {
            throw WebSocketError(.invalidConfiguration, "compression.level is \(compression.level); it must lie in 1...9")
        }
    }
}

extension WebSocketOptions: RedactedStringConvertible {
    /// The options; of the subprotocols, which can contain a token, the number.
    public var description: String {
        described([
            "subprotocols": subprotocols.count, "maximumMessageBytes": maximumMessageBytes, "compression": compression,
            "pingInterval": pingInterval, "pingTimeout": pingTimeout, "idleTimeout": idleTimeout, "totalTimeout": totalTimeout,
            "closeTimeout": closeTimeout,
        ])
    }
}
