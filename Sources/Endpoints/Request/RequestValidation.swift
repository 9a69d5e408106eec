import Foundation

extension NetworkRequest {
    /// Checks what goes on the wire, so that no value can end a line or begin a second request.
    ///
    /// Method and header names are tokens (RFC 9110 §5.6.2); header values hold no CR, LF, NUL or other control character
    /// except a tab (§5.5); `Content-Length` and `Transfer-Encoding` belong to the engine, since a false one lets a peer see
    /// two requests where there was one (RFC 9112 §11.2). Names and values have 1 MiB at most, all together. Session managers call this
    /// themselves for every request.
    ///
    /// - Throws: ``RequestGenerationError`` with the field that is wrong.
    public func validate() throws(RequestGenerationError) {
        try URLText(url).requireHTTP(.url)
        try validateAllButURL()
    }

    /// The largest names and values of all header fields together, in bytes.
    private static var maximumHeaderBytes: Int { 1 << 20 }

    func validateAllButURL() throws(RequestGenerationError) {
        guard method.rawValue.isToken else {
            throw RequestGenerationError(.method, "\"\(method.rawValue.printable)\" is not a token (RFC 9110 §5.6.2)")
        }
        if HTTPHeaders.isSame(method.rawValue, "CONNECT") {
            throw RequestGenerationError(.method, "CONNECT opens a tunnel and cannot be sent as a request")
        }
        if let body, !body.isEmpty, !method.allowsBody {
            throw RequestGenerationError(.body, "a \(method) request has no body (RFC 9110 §9.3); use POST, PUT or PATCH")
        }
        try body?.validate()
        var headerBytes = 0
        for field in headers.fields {
            try field.validate()
            headerBytes += field.name.utf8.count + field.value.utf8.count
            guard headerBytes <= Self.maximumHeaderBytes else {
                throw RequestGenerationError(
                    .headerValue(field.name), "with it, the header fields are larger than \(Self.maximumHeaderBytes) bytes")
            }
        }
        if timeouts != RequestTimeouts() { try timeouts.validate() }
    }
}

extension HTTPHeaders.Field {
    func validate() throws(RequestGenerationError) {
        guard name.isToken else {
            throw RequestGenerationError(.headerName(name), "it is not a token (RFC 9110 §5.6.2)")
        }
        if HTTPHeaders.isSame(name, "Content-Length") || HTTPHeaders.isSame(name, "Transfer-Encoding") {
            throw RequestGenerationError(.headerName(name), "it is set by the engine from the body")
        }
        let flaw: (position: Int, byte: UInt8)? = value.withBytes { bytes in
            for index in 0..<bytes.count where (bytes[index] < 0x20 && bytes[index] != 0x09) || bytes[index] == 0x7F {
                return (position: index, byte: bytes[index])
            }
            return nil
        }
        if let flaw {
            let shown = "0x" + String(flaw.byte, radix: 16, uppercase: true)
            throw RequestGenerationError(
                .headerValue(name), "control character \(shown) at byte \(flaw.position) (RFC 9110 §5.5)")
        }
    }
}

extension String {
    /// RFC 9110 §5.6.2.
    package var isToken: Bool {
        !isEmpty && consists(of: .token)
    }
}
