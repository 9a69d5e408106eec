import Foundation

extension NetworkRequest {
    /// Checks what goes on the wire, so that no value can end a line or begin a second request.
    ///
    /// Method and header names are tokens (RFC 9110 §5.6.2); header values hold no CR, LF, NUL or other control character
    /// except a tab (§5.5); `Content-Length` and `Transfer-Encoding` belong to the engine, since a false one lets a peer see
    /// two requests where there was one (RFC 9112 §11.2). Session managers call this themselves for every request.
    ///
    /// - Throws: ``RequestGenerationError`` with the field that is wrong.
    public func validate() throws(RequestGenerationError) {
        guard method.rawValue.isToken else {
            throw RequestGenerationError(.method, "\"\(method.rawValue.printable)\" is not a token (RFC 9110 §5.6.2)")
        }
        if method == HTTPMethod("CONNECT") {
            throw RequestGenerationError(.method, "CONNECT opens a tunnel and cannot be sent as a request")
        }
        if let body, !body.isEmpty, !method.allowsBody {
            throw RequestGenerationError(.body, "a \(method) request has no body (RFC 9110 §9.3); use POST, PUT or PATCH")
        }
        for field in headers.fields {
            try field.validate()
        }
        try URLText(url).requireHTTP(.url)
        if timeouts != RequestTimeouts() { try timeouts.validate() }
    }
}

extension HTTPHeaders.Field {
    private static let reserved = ["Content-Length", "Transfer-Encoding"]

    func validate() throws(RequestGenerationError) {
        guard name.isToken else {
            throw RequestGenerationError(.headerName(name), "it is not a token (RFC 9110 §5.6.2)")
        }
        for name in Self.reserved where HTTPHeaders.isSame(name, self.name) {
            throw RequestGenerationError(.headerName(self.name), "it is set by the engine from the body")
        }
        var position = 0
        for byte in value.utf8 {
            if (byte < 0x20 && byte != 0x09) || byte == 0x7F {
                let shown = "0x" + String(byte, radix: 16, uppercase: true)
                throw RequestGenerationError(.headerValue(name), "control character \(shown) at byte \(position) (RFC 9110 §5.5)")
            }
            position += 1
        }
    }
}

extension String {
    /// RFC 9110 §5.6.2.
    package var isToken: Bool {
        !isEmpty && utf8.allSatisfy(\.isTokenByte)
    }
}

extension UInt8 {
    var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
