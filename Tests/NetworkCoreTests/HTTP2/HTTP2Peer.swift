#if os(Linux)
    import Foundation
    import NetworkSupport
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// The server's side of a connection over HTTP/2 without TLS, as the script of a test.
    ///
    /// Frames are written with ``frames`` and sent with ``send()``; what the client sends is read frame by frame.
    final class HTTP2Peer {
        /// A frame of the client.
        enum Received {
            case head(stream: UInt32, fields: [String: String], isEnd: Bool)
            case data(stream: UInt32, bytes: [UInt8], isEnd: Bool)
            case reset(stream: UInt32, HTTP2ErrorCode)
            case ping([UInt8])
            case goAway
            case other(HTTP2FrameHeader, [UInt8])
        }

        let connection: RawConnection
        /// What is to be sent.
        var frames: ServerFrames
        private var decoder = HPACKDecoder()

        /// Reads the preface of the client, and sends the settings.
        ///
        /// - Parameter settings: `nil` to send none yet.
        init(_ connection: RawConnection, settings: [(HTTP2Setting, UInt32)]? = []) throws {
            self.connection = connection
            frames = ServerFrames(settings: settings)
            _ = try connection.take(24)
            try send()
        }

        /// Sends what was written.
        func send() throws {
            guard !frames.bytes.isEmpty else { return }
            try connection.send(frames.takeBytes())
        }

        /// Sends a response with a text.
        func respond(_ stream: UInt32, _ text: String = "ok", status: String = "200") throws {
            frames.head([(":status", status)], stream: stream)
            frames.data(text, stream: stream, isEnd: true)
            try send()
        }

        /// Waits for the next frame that is not a PING, to which this replies.
        func next() throws -> Received {
            while true {
                let received = try nextFrame()
                guard case .ping(let payload) = received else { return received }
                frames.frame(.ping, .acknowledgement, payload)
                try send()
            }
        }

        /// Waits for the next frame.
        func nextFrame() throws -> Received {
            let header = try connection.take(HTTP2FrameHeader.byteCount).withUnsafeBytes { HTTP2FrameHeader($0) }
            let payload = try connection.take(header.length)
            let isEnd = header.flags.contains(.endStream)
            switch header.kind {
            case .headers:
                var block = payload
                var isComplete = header.flags.contains(.endHeaders)
                while !isComplete {
                    let more = try connection.take(HTTP2FrameHeader.byteCount).withUnsafeBytes { HTTP2FrameHeader($0) }
                    block += try connection.take(more.length)
                    isComplete = more.flags.contains(.endHeaders)
                }
                var fields: [String: String] = [:]
                try block.withUnsafeBytes { block in
                    try decoder.decode(block) {
                        fields[String(decoding: $0, as: UTF8.self)] = String(decoding: $1, as: UTF8.self)
                    }
                }
                return .head(stream: header.stream, fields: fields, isEnd: isEnd)
            case .data: return .data(stream: header.stream, bytes: payload, isEnd: isEnd)
            case .resetStream:
                return .reset(stream: header.stream, HTTP2ErrorCode(rawValue: payload.withUnsafeBytes { $0.bigEndian(at: 0) }))
            case .ping where !header.flags.contains(.acknowledgement): return .ping(payload)
            case .goAway: return .goAway
            default: return .other(header, payload)
            }
        }

        /// Waits for the head of the next request.
        func nextHead() throws -> (stream: UInt32, fields: [String: String]) {
            while true {
                if case .head(let stream, let fields, _) = try next() { return (stream, fields) }
            }
        }

        /// Reads until the client ends the connection.
        func readToEnd() {
            while (try? next()) != nil {}
        }
    }

    /// Requests over HTTP/2 without TLS to a ``RawServer``.
    enum HTTP2Session {
        static func make(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> SocketSessionManager {
            SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.httpVersion = .http2
                    $0.eventLoops = 1
                    change(&$0)
                })
        }
    }
#endif
