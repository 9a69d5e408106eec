import Foundation

/// A base URL with what every request to it has in common, which is determined once and not for each request.
final class BaseURL: Sendable {
    /// The URL as it was passed.
    let url: URL
    /// The URL with the host as it is sent (``URLHost``).
    let text: URLText
    let parts: ParsedURL
    /// The scheme, authority and percent-encoded path.
    let start: [UInt8]
    /// Why the URL cannot be a base URL; `nil` if it can.
    private let problem: RequestGenerationError?

    init(_ url: URL) {
        let text = URLText(URLHost.normalized(url.absoluteString) ?? url.absoluteString)
        self.url = url
        self.text = text
        parts = ParsedURL(text.text)
        start = text.start
        do throws(RequestGenerationError) {
            try text.requireHTTP(.baseURL)
            problem = nil
        } catch {
            problem = error
        }
    }

    /// Throws if the URL is not an http(s) URL with a host and a valid port.
    func validate() throws(RequestGenerationError) {
        if let problem { throw problem }
    }

    var isValid: Bool { problem == nil }
}

extension URLText {
    /// The scheme, authority and percent-encoded path.
    var start: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append(contentsOf: scheme.utf8)
        bytes.append(contentsOf: "://".utf8)
        withBytes(of: authorityRange) { bytes.append(contentsOf: $0) }
        withBytes(of: pathRange) { PercentEncoding.append($0, keeping: .path, to: &bytes) }
        return bytes
    }
}
