import Foundation
import NetworkCore

/// Compression of messages (permessage-deflate, RFC 7692).
///
/// ```swift
/// options.compression = WebSocketCompression()
/// ```
///
/// It saves bytes if messages resemble each other, and costs processor time, and about 300 KiB of memory for each connection that uses it.
/// Do not use it if messages contain both secrets and text that others choose: the length tells about the secret.
public struct WebSocketCompression: Sendable, Hashable {
    /// Whether each message that is sent is compressed by itself, so that memory is needed only during a call. Default: `false`.
    public var clientForgets = false
    /// Whether the server is requested to compress each message by itself. Default: `false`.
    public var serverForgets = false
    /// The level of zlib, from 1, the fastest, to 9. Default: 1.
    public var level = 1
    /// The number of bytes from which a message is compressed. Default: 256.
    public var minimumBytes = 256

    /// Creates options.
    ///
    /// - Parameter change: Called once with the defaults, before the initializer returns. Default: changes nothing.
    public init(_ change: (inout WebSocketCompression) -> Void = { _ in }) {
        change(&self)
    }

    /// The value of `Sec-WebSocket-Extensions` in a request (RFC 7692 §7.1).
    var offer: String {
        "permessage-deflate; client_max_window_bits" + (clientForgets ? "; client_no_context_takeover" : "")
            + (serverForgets ? "; server_no_context_takeover" : "")
    }
}

/// What both sides have agreed on.
package struct AgreedCompression: Sendable, Hashable {
    package var sendsWithoutContext = false
    package var receivesWithoutContext = false
    /// The number of bits of the window for sending; `nil` if messages are not compressed, because zlib has no such window.
    package var windowBits: Int? = 15
    package var level = 1
    package var minimumBytes = 256

    package init() {}

    /// Reads the value of `Sec-WebSocket-Extensions` in a response.
    ///
    /// - Returns: `nil` if there is no extension.
    /// - Throws: A reason if the server has agreed to what was not offered, or a parameter is invalid (RFC 7692 §7.1, RFC 6455 §9.1).
    package init?(response values: [String], offered: WebSocketCompression?) throws(WebSocketError) {
        let names = values.flatMap { $0.split(separator: ",") }.map { $0.trimmed }.filter { !$0.isEmpty }
        guard let first = names.first else { return nil }
        func refuse(_ reason: String) -> WebSocketError {
            WebSocketError(.invalidHandshake, "Sec-WebSocket-Extensions: \(reason)", closeCode: nil)
        }
        guard let offered else { throw refuse("the server uses an extension that was not offered") }
        guard names.count == 1 else { throw refuse("the server uses several extensions, of which one was offered") }
        let parts = first.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmed }
        guard parts[0].lowercased() == "permessage-deflate" else {
            throw refuse("the server uses an extension that was not offered")
        }
        var seen: Set<String> = []
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { $0.trimmed }
            let name = pair[0].lowercased()
            guard seen.insert(name).inserted else { throw refuse("\(name) occurs twice") }
            let value = pair.count > 1 ? pair[1].trimmingQuotes : nil
            switch (name, value) {
            case ("client_no_context_takeover", nil): sendsWithoutContext = true
            case ("server_no_context_takeover", nil): receivesWithoutContext = true
            case ("client_max_window_bits", let value?):
                guard let bits = Self.windowBits(value) else { throw refuse("client_max_window_bits is invalid") }
                windowBits = bits == 8 ? nil : bits
            case ("server_max_window_bits", let value?):
                guard Self.windowBits(value) != nil else { throw refuse("server_max_window_bits is invalid") }
            default: throw refuse("a parameter of permessage-deflate is unknown or has an invalid value")
            }
        }
        if offered.clientForgets { sendsWithoutContext = true }
        if offered.serverForgets, !receivesWithoutContext { throw refuse("the server keeps its context, which was to be reset") }
        level = offered.level
        minimumBytes = offered.minimumBytes
    }

    /// Reads a number of 8 to 15, without a sign and leading zeros (RFC 7692 §7.1.2.1).
    private static func windowBits(_ value: String) -> Int? { (8...15).first { String($0) == value } }
}

extension Substring {
    fileprivate var trimmed: String { String(self).trimmingCharacters(in: .whitespaces) }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
    fileprivate var trimmingQuotes: String {
        count >= 2 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : self
    }
}

/// Compresses the messages that are sent. Used by one sender at a time.
package final class MessageDeflater {
    private let agreed: AgreedCompression
    #if os(Linux)
        private var deflater: RawDeflater?
    #endif

    package init(_ agreed: AgreedCompression) {
        self.agreed = agreed
    }

    package func compresses(_ count: Int) -> Bool {
        #if os(Linux)
            agreed.windowBits != nil && count >= agreed.minimumBytes
        #else
            false
        #endif
    }

    /// Returns the payload of a part of a message (RFC 7692 §7.2.1).
    package func payload(_ bytes: UnsafeRawBufferPointer, isLast: Bool) throws(WebSocketError) -> [UInt8] {
        #if os(Linux)
            if deflater == nil {
                deflater = RawDeflater(level: min(max(agreed.level, 1), 9), windowBits: agreed.windowBits ?? 15)
            }
            guard let deflater else { throw WebSocketError(.invalidCompression, "there is not enough memory to compress") }
            var payload: [UInt8]
            do throws(RawDeflateError) {
                payload = try deflater.encode(bytes)
            } catch {
                throw WebSocketError(.invalidCompression, "a message cannot be compressed: \(error.reason)")
            }
            guard isLast else { return payload }
            // The last four bytes of a synchronization are always the same, and not sent.
            if payload.suffix(4) == [0, 0, 0xFF, 0xFF] { payload.removeLast(4) }
            // RFC 7692 §7.2.3.6: an empty payload is sent as one byte.
            if payload.isEmpty { payload = [0] }
            if agreed.sendsWithoutContext { self.deflater = nil }
            return payload
        #else
            throw WebSocketError(.unsupported, "messages are not compressed on this platform")
        #endif
    }
}

/// Decodes and checks the content of received messages: compression, UTF-8, and the limits. Used by one reader at a time.
package final class MessageContent {
    /// The maximum number of bytes that are decoded at once.
    private static let pieceBytes = 64 << 10

    private let compression: AgreedCompression?
    private var kind = WebSocketMessage.Kind.binary
    private var isCompressed = false
    private var validator = UTF8Validator()
    private var pending = Data()
    private var isLast = false
    /// The number of bytes of the payload of the message so far.
    package private(set) var received = 0
    #if os(Linux)
        private var inflater: RawInflater?
        private var isTailAdded = false
        /// Whether a part of the message was added.
        private var hasBegun = false
    #endif

    package init(_ compression: AgreedCompression?) {
        self.compression = compression
    }

    /// Begins a message.
    package func begin(_ kind: WebSocketMessage.Kind, isCompressed: Bool) {
        self.kind = kind
        self.isCompressed = isCompressed
        validator = UTF8Validator()
        isLast = false
        pending = Data()
        received = 0
        #if os(Linux)
            isTailAdded = false
            hasBegun = false
            if isCompressed, compression?.receivesWithoutContext == true { inflater = nil }
        #endif
    }

    /// Adds a part of the payload.
    package func append(_ bytes: Data, isLast: Bool) {
        pending = bytes
        received += bytes.count
        self.isLast = isLast
        #if os(Linux)
            if isCompressed {
                hasBegun = true
                if inflater == nil { inflater = RawInflater() }
                inflater?.append(bytes)
            }
        #endif
    }

    /// Whether what is not read must be decoded all the same, because the next message may refer to it.
    var keepsContext: Bool { isCompressed && compression?.receivesWithoutContext == false }

    /// Decodes the rest of what was added, and drops it. Texts are not validated.
    package func skip() throws(WebSocketViolation) {
        while try decoded() != nil {}
    }

    /// Returns the next part of the content; `nil` if another part of the payload is needed, or the message has ended.
    package func next() throws(WebSocketViolation) -> Data? {
        let piece = try decoded()
        if kind == .text {
            if let piece, !piece.withUnsafeBytes({ validator.receive($0) }) { throw .invalidUTF8 }
            if piece == nil, isLast, !validator.isComplete { throw .invalidUTF8 }
        }
        return piece
    }

    private func decoded() throws(WebSocketViolation) -> Data? {
        guard isCompressed else {
            defer { pending = Data() }
            return pending.isEmpty ? nil : pending
        }
        #if os(Linux)
            guard hasBegun else { return nil }
            guard let inflater else { throw .damagedCompression("there is not enough memory") }
            do throws(RawDeflateError) {
                while true {
                    let piece = try inflater.next(upTo: Self.pieceBytes)
                    if !piece.isEmpty { return piece }
                    guard isLast, !isTailAdded else { return nil }
                    isTailAdded = true
                    inflater.append(Data([0, 0, 0xFF, 0xFF]))
                }
            } catch {
                throw .damagedCompression(error.reason)
            }
        #else
            throw .damagedCompression("messages are not compressed on this platform")
        #endif
    }
}
