import Foundation
import NetworkSupport

/// A base URL composed of parts. Each part is validated, so that it cannot change another one: the host can contain no user
/// information, no path and no second port.
package struct ComposedAddress: Sendable {
    let scheme: String
    let host: String
    let port: Int?
    let basePath: String

    package init(scheme: String, host: String, port: Int?, basePath: String) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.basePath = basePath
    }

    /// Returns the URL composed of the validated parts.
    ///
    /// - Throws: ``RequestGenerationError`` for the part that is invalid.
    func url() throws(RequestGenerationError) -> URL {
        let scheme = scheme.lowercased()
        guard scheme == "https" || scheme == "http" else {
            throw RequestGenerationError(.scheme, "\"\(URLText.shown(self.scheme).printable)\" is not http or https")
        }
        var text = Array("\(scheme)://".utf8)
        text += try hostText().utf8
        if let port {
            guard (1...65535).contains(port) else {
                throw RequestGenerationError(.port, "\(port) is outside 1...65535")
            }
            text += ":\(port)".utf8
        }
        try appendBasePath(to: &text)
        let whole = String(decoding: text, as: UTF8.self)
        do throws(RequestGenerationError) {
            try URLText(whole).requireHTTP(.host)
        } catch {
            throw RequestGenerationError(.host, "\"\(shownHost)\" is not a host name or an address")
        }
        guard let url = URL(string: whole) else {
            throw RequestGenerationError(.host, "\"\(shownHost)\" does not form a URL (RFC 3986 §3.2.2)")
        }
        return url
    }

    /// The host for messages, without the user information that it may contain.
    private var shownHost: String { URLText.shown(host).printable }

    /// Returns the validated host, with an IPv6 address in brackets.
    private func hostText() throws(RequestGenerationError) -> String {
        func invalid(_ reason: String) -> RequestGenerationError { RequestGenerationError(.host, "\"\(shownHost)\" \(reason)") }
        if host.isEmpty { throw RequestGenerationError(.host, "it is empty") }
        let bytes = Array(host.utf8)
        if host.contains("://") { throw invalid("begins with a scheme; set the scheme separately") }
        if bytes.contains(UInt8(ascii: "@")) { throw invalid("has user information, which belongs in a header") }
        let colons = bytes.count { $0 == UInt8(ascii: ":") }
        if colons == 1 { throw invalid("has a port; set the port separately") }
        if colons > 1 {
            let isBracketed = bytes.first == UInt8(ascii: "[") && bytes.last == UInt8(ascii: "]")
            let address = isBracketed ? bytes.dropFirst().dropLast() : bytes[...]
            guard address.allSatisfy(Self.isAddressByte) else { throw invalid("is not an IPv6 address") }
            return isBracketed ? host : "[\(host)]"
        }
        guard bytes.count <= 253, bytes.allSatisfy(URLHost.isNameByte) else {
            throw invalid("is not a host name or an address; write international names in ASCII")
        }
        return host
    }

    /// Appends the base path with one leading slash and no trailing slash.
    private func appendBasePath(to text: inout [UInt8]) throws(RequestGenerationError) {
        let slash = UInt8(ascii: "/")
        let path = basePath.utf8.drop { $0 == slash }
        guard !path.isEmpty else { return }
        if path.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            throw RequestGenerationError(.basePath, "\"\(URLText.shown(basePath).printable)\" has a query or a fragment")
        }
        try RequestTarget.validate(basePath, isFullPath: false, field: .basePath)
        text.append(slash)
        PercentEncoding.append(String(Substring(path)), keeping: .path, to: &text)
        while text.last == slash { text.removeLast() }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") || byte.hexValue != nil
    }
}
