import Endpoints
import Foundation
import NetworkLogging

// The parsing of single lines. Nothing here has state.
extension LoopbackRequestParser {
    enum Framing: Equatable {
        case fixed(Int)
        case chunked
    }

    /// Parses `method SP request-target SP HTTP-version` (RFC 9112 §3).
    static func requestLine(
        _ line: ArraySlice<UInt8>
    ) throws(Failure) -> (method: HTTPMethod, target: String, version: String) {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, isToken(parts[0]), !parts[1].isEmpty, parts[1].allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
            throw Failure(status: 400, reason: "Malformed request line")
        }
        let version: String
        if parts[2].elementsEqual("HTTP/1.1".utf8) {
            version = "HTTP/1.1"
        } else if parts[2].elementsEqual("HTTP/1.0".utf8) {
            version = "HTTP/1.0"
        } else if parts[2].starts(with: "HTTP/".utf8) {
            throw Failure(status: 505, reason: "Only HTTP/1.0 and HTTP/1.1 are supported")
        } else {
            throw Failure(status: 400, reason: "Malformed request line")
        }
        return (HTTPMethod(text(parts[0])), text(parts[1]), version)
    }

    /// Parses `field-name ":" OWS field-value OWS` (RFC 9112 §5). A folded line is rejected, since it begins with a space.
    static func field(_ line: ArraySlice<UInt8>) throws(Failure) -> HTTPHeaders.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else {
            throw Failure(status: 400, reason: "Malformed header field")
        }
        var value = line[(colon + 1)...]
        while let byte = value.first, byte == 0x20 || byte == 0x09 { value.removeFirst() }
        while let byte = value.last, byte == 0x20 || byte == 0x09 { value.removeLast() }
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else {
            throw Failure(status: 400, reason: "Control character in a header value")
        }
        return HTTPHeaders.Field(name: text(line[..<colon]), value: text(value))
    }

    /// Parses `1*HEXDIG [ chunk-ext ]` (RFC 9112 §7.1). Extensions are ignored.
    static func chunkSize(_ line: ArraySlice<UInt8>) throws(Failure) -> Int {
        var size = 0
        var index = line.startIndex
        while index < line.endIndex, let digit = line[index].hexValue {
            guard size <= Int.max >> 8 else { throw Failure(status: 413, reason: "Body too large") }
            size = size << 4 | Int(digit)
            index += 1
        }
        let rest = line[index...].first { $0 != 0x20 && $0 != 0x09 }
        guard index > line.startIndex, rest == nil || rest == UInt8(ascii: ";") else {
            throw Failure(status: 400, reason: "Malformed chunk size")
        }
        return size
    }

    /// Returns how the end of the body is determined (RFC 9112 §6.3). Also checks that the head has a `Host` (§3.2).
    static func framing(of request: LoopbackRequest) throws(Failure) -> Framing {
        let headers = request.headers
        guard request.isHTTP10 || headers.values(for: "Host").count == 1 else {
            throw Failure(status: 400, reason: "HTTP/1.1 needs exactly one Host")
        }
        let lengths = headers.values(for: "Content-Length")
        if let coding = headers["Transfer-Encoding"] {
            guard lengths.isEmpty, !request.isHTTP10 else {
                throw Failure(status: 400, reason: "Ambiguous body length")
            }
            guard coding.lowercased() == "chunked" else {
                throw Failure(status: 501, reason: "Only the transfer coding chunked is supported")
            }
            return .chunked
        }
        guard let length = lengths.first else { return .fixed(0) }
        guard lengths.allSatisfy({ $0 == length }), !length.isEmpty, length.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            throw Failure(status: 400, reason: "Malformed Content-Length")
        }
        // A number that does not fit into an `Int` exceeds any limit.
        guard let count = Int(length) else { throw Failure(status: 413, reason: "Body too large") }
        return .fixed(count)
    }

    /// Decodes bytes as UTF-8, or as ISO-8859-1 if they are not valid UTF-8, so that no byte is lost (RFC 9110 §5.5).
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(bytes: bytes, encoding: .utf8) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Returns whether the bytes are a token, `1*tchar` (RFC 9110 §5.6.2).
    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e...0x60, 0x7c, 0x7e: true
        default: false
        }
    }
}
