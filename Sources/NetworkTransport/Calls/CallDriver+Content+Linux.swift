#if os(Linux)
    import Endpoints
    import Foundation

    extension CallDriver {
        /// The value of the `Accept-Encoding` field to send with ``request``: the content codings that ``decoded(_:status:headers:)`` can decode.
        /// `nil` if the request has its own or a `Range` field, if none can be decoded, and always on Apple platforms.
        public var acceptEncoding: String? {
            request.headers.contains("Accept-Encoding") || request.headers.contains("Range") ? nil : ContentDecoder.acceptEncoding
        }

        /// Returns the body of a response to ``request`` after content decoding (RFC 9110 §8.4), as all session managers return it.
        ///
        /// Its chunks have at most 64 KiB, and are decoded when they are read. A body is returned unchanged if it has no coding, one that is not
        /// supported or that the request itself accepts, if it is a part of a file (§14.2), and always on Apple platforms.
        ///
        /// - Parameters:
        ///   - body: The bytes as received. Its reader receives ``TransportError/Code/undecodableContent`` if they are damaged or truncated, and
        ///     ``TransportError/Code/bodyTooLarge`` beyond ``SessionConfiguration/maximumDecodingRatio``.
        ///   - status: The status of the response.
        ///   - headers: The header fields of the response.
        public func decoded(_ body: NetworkBody, status: Int, headers: HeaderFields) -> NetworkBody {
            let encoding = headers.values(for: "Content-Encoding").joined(separator: ", ")
            guard request.method != .head, status != 204, status != 304, !encoding.isEmpty,
                ContentCoding.areUndone(encoding, for: request.headers),
                let decoder = ContentDecoder(
                    contentEncoding: encoding, maximumRatio: rules.configuration.maximumDecodingRatio)
            else { return body }
            let content = DecodedContent(body, decoder, of: request)
            return NetworkBody(
                next: { () async throws(TransportError) in try await content.next() }, end: { body.end }, stop: { body.stop() })
        }
    }

    /// The decoded chunks of a body.
    // Unchecked, because the compiler does not know that one task at a time calls `next`.
    private final class DecodedContent: @unchecked Sendable {
        private static let maximumChunkBytes = 64 << 10

        private let body: NetworkBody
        private let decoder: ContentDecoder
        private let request: NetworkRequest
        private var input = Data()
        private var isAtEnd = false

        init(_ body: NetworkBody, _ decoder: ContentDecoder, of request: NetworkRequest) {
            self.body = body
            self.decoder = decoder
            self.request = request
        }

        func next() async throws(TransportError) -> Data? {
            while !isAtEnd {
                do throws(ContentDecodingFailure) {
                    let output = try decodeInput()
                    if !output.isEmpty { return output }
                } catch {
                    throw end(error)
                }
                var chunks = body.makeAsyncIterator()
                if let chunk = try await chunks.next() {
                    input = chunk
                    continue
                }
                do throws(ContentDecodingFailure) {
                    try decoder.finish()
                } catch {
                    throw end(error)
                }
                isAtEnd = true
            }
            return nil
        }

        private func end(_ failure: ContentDecodingFailure) -> TransportError {
            isAtEnd = true
            body.stop()
            return failure.transportError(of: request)
        }

        /// Decodes a part of the input. The result is empty if more input is needed.
        private func decodeInput() throws(ContentDecodingFailure) -> Data {
            guard !input.isEmpty || decoder.mayHoldOutput else { return Data() }
            var failure: ContentDecodingFailure?
            var consumed = 0
            let output = [UInt8](unsafeUninitializedCapacity: Self.maximumChunkBytes) { buffer, count in
                let room = UnsafeMutableRawBufferPointer(buffer)
                input.withUnsafeBytes { bytes in
                    do throws(ContentDecodingFailure) {
                        while count < room.count, consumed < bytes.count || decoder.mayHoldOutput {
                            let step = try decoder.decode(
                                UnsafeRawBufferPointer(rebasing: bytes[consumed...]),
                                into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
                            consumed += step.consumed
                            count += step.produced
                            if step.consumed == 0, step.produced == 0 { break }
                        }
                    } catch {
                        failure = error
                    }
                }
            }
            input = input.dropFirst(consumed)
            // The decoder throws the failure again after the output before it was read.
            if let failure, output.isEmpty { throw failure }
            return Data(output)
        }
    }
#endif
