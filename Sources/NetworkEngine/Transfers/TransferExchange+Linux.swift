#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints
    import Foundation
    import NetworkSupport

    /// One request on its connection, and the response to it. It is replaced as a whole before another request of the transfer is sent.
    ///
    /// The connection has the parser of the response and the bytes of the request that are still to be sent (``HTTP1Connection``,
    /// ``HTTP2Connection``).
    struct TransferExchange {
        /// The timings and the protocol of the connection.
        var connectionTimings = ConnectionTimings()
        /// When the last byte of the request's body was sent; 0 before.
        var sentAt: UInt64 = 0
        /// When the first byte of the response was received; 0 before.
        var firstByte: UInt64 = 0
        /// The number of bytes in the queue of the socket when the idle timeout was last checked.
        var queuedAtLastCheck = 0
        var status = 0
        var head = ResponseHead()
        /// The value of `Content-Length`, when progress is reported.
        var announcedLength: Int64?
        /// The number of bytes of the body that were received, before content decoding.
        var bytesReceived: Int64 = 0
        /// The decoder of the content coding; `nil` when the body is passed on as it is received.
        var decoder: ContentDecoder?
        /// Content that was received while the reader had no room for it.
        var held: [UInt8] = []
        /// The number of bytes of `held` that the decoder has consumed.
        var heldOffset = 0
        /// Whether the decoder has more output than the reader has room for.
        var isDecoderFull = false
        /// How the body of a redirect is received if it is returned as the response. Set while the driver decides about its head; no body is
        /// received meanwhile.
        var undecided: ContentForm?
        /// The request that a redirect leads to, once it is followed.
        var next: NetworkRequest?
        /// Whether the response is a redirect that is followed, so that its body is not needed.
        var isBodyUnwanted: Bool { next != nil }
        /// Whether the body was received to its end, bytes in `held` included.
        var isBodyComplete = false

        /// What is known of a request whose connection was lost.
        var fate: SendRule.Fate { head.count == 0 ? .unknown : .responded }
    }

    /// How the body of a response is transferred.
    struct ContentForm {
        /// The value of `Content-Length`, if the body has that length.
        var length: Int64?
        /// The value of `Content-Encoding`.
        var encoding: String?
    }

    /// The body of a request, as far as it was passed to the connection.
    struct TransferUpload {
        /// The length of the body in bytes; `nil` for a stream of unknown length.
        var length: Int64?
        /// The number of bytes that were passed to the connection.
        var offset = 0
        /// Whether a body of unknown length was sent to its end.
        var isSent = false
        /// The trailer fields, once the body was sent to its end.
        var trailers = HeaderFields()
        /// Whether there is nothing to send yet.
        var isPaused = false
        /// The body writer: reads the body from its file or sequence into a pipe.
        var writer: BodyWriter?

        init(length: Int64?) {
            self.length = length
        }

        /// Stops the body writer and releases its file or sequence. A later read starts at the beginning of the body.
        mutating func stop() {
            writer?.stop()
            self = TransferUpload(length: length)
        }
    }
#endif
