import Foundation
import NetworkSupport

/// A request as a one-line cURL command that is safe to paste into a POSIX shell, whatever bytes the request contains.
///
/// Arguments with special characters are enclosed in single quotes. Characters that a terminal could interpret (control characters,
/// direction marks) are escaped in the URL, the method and the headers. A body that contains such characters, is not valid UTF-8 or is
/// longer than `maximumBodyBytes` is not embedded: the command is still valid, but reads the body from a file whose name states its
/// size, `--data-binary '@body-1234-bytes'`. `Content-Length` is omitted because curl computes it.
public struct CurlCommand: Sendable {
    /// The request that the command sends.
    package var request: LoggedRequest
    /// The redaction rules; `nil` prints everything, including secrets.
    package var redaction: Redaction?
    /// Whether curl requests a compressed response and decodes it (`--compressed`).
    package var isCompressed: Bool
    /// The maximum size in bytes of a body that is embedded, after redaction.
    package var maximumBodyBytes: Int

    /// Creates a command for a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - redaction: The redaction rules; `nil` prints everything, including secrets. Default: ``Redaction/default``.
    ///   - isCompressed: Whether to add `--compressed`. Default: `false`.
    ///   - maximumBodyBytes: The maximum size of a body that is embedded, after redaction. Default: 16 KiB.
    public init(
        _ request: LoggedRequest,
        redaction: Redaction? = .default,
        isCompressed: Bool = false,
        maximumBodyBytes: Int = 16_384
    ) {
        self.request = request
        self.redaction = redaction
        self.isCompressed = isCompressed
        self.maximumBodyBytes = maximumBodyBytes
    }

    /// The command's text: one line, unless the body has several.
    public var text: String {
        (["curl"] + arguments.map(ShellText.quoted)).joined(separator: " ")
    }

    /// The command's arguments before they are quoted.
    private var arguments: [String] {
        let url = VisibleText.escaped(redaction.map { $0.redacted(url: request.sentURL) } ?? request.sentURL.absoluteString)
        var result = methodArguments
        // Without -g, curl interprets brackets and braces as ranges and lists of URLs.
        if url.utf8.contains(where: { "[]{}".utf8.contains($0) }) { result.append("-g") }
        if Self.hasDotSegment(url) { result.append("--path-as-is") }
        if isCompressed { result.append("--compressed") }
        for field in request.headers where field.name.lowercased() != "content-length" {
            result += ["-H", headerArgument(field)]
        }
        result += bodyArguments
        return result + (url.utf8.first == .hyphen ? ["--url", url] : [url])
    }

    private var methodArguments: [String] {
        switch (request.method, request.body == nil) {
        case ("GET", true), ("POST", false): []
        case ("HEAD", true): ["--head"]
        default: ["-X", VisibleText.escaped(request.method)]
        }
    }

    private func headerArgument(_ field: LoggedField) -> String {
        let name = Self.token(field.name)
        let value = redaction.map { $0.redacted(headerValue: field.sentValue, for: field.name) } ?? field.sentValue
        // `Name:` would remove a header that curl adds by default; `Name;` sends an empty header.
        if value.utf8.allSatisfy(\.isSpaceOrTab) { return "\(name);" }
        return "\(name): \(VisibleText.escaped(value))"
    }

    private var bodyArguments: [String] {
        guard let body = request.body else { return [] }
        // Without a content type, curl sends every body as a form.
        let type = request.header("Content-Type") == nil ? ["-H", "Content-Type:"] : []
        switch body {
        case .data(let data):
            if let text = embedded(data) { return type + ["--data-raw", text] }
            return type + ["--data-binary", Self.fileArgument(bytes: Int64(data.count))]
        case .file(let url, _):
            return type + ["--data-binary", "@\(VisibleText.escaped(url.path(percentEncoded: false)))"]
        case .stream(let bytes):
            return type + ["--data-binary", Self.fileArgument(bytes: bytes)]
        }
    }

    /// Returns the body as text, or `nil` if it cannot be embedded.
    private func embedded(_ data: Data) -> String? {
        guard data.count / 4 <= maximumBodyBytes, let text = String(bytes: data, encoding: .utf8), Self.isEmbeddable(text) else {
            return nil
        }
        guard let redaction else { return data.count <= maximumBodyBytes ? text : nil }
        let shown = redaction.shown(body: data, contentType: request.header("Content-Type"), limit: maximumBodyBytes)
        return shown.bytesLeft > 0 || shown.isSummary || !Self.isEmbeddable(shown.text) ? nil : shown.text
    }

    private static func isEmbeddable(_ text: String) -> Bool {
        !text.unicodeScalars.contains { VisibleText.isHarmful($0) && $0 != "\n" && $0 != "\t" }
    }

    private static func fileArgument(bytes: Int64?) -> String {
        bytes.map { "@body-\($0)-bytes" } ?? "@body"
    }

    /// Returns a header name with every byte that is not allowed in a token (RFC 9110 §5.6.2) percent-encoded: a leading `@` would
    /// make curl read a file.
    private static func token(_ name: String) -> String {
        var result = ""
        for byte in name.utf8 {
            if byte.isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }

    /// Whether the path has `.` or `..` segments, which curl would resolve before it sends the request.
    private static func hasDotSegment(_ url: String) -> Bool {
        url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").contains { $0 == "." || $0 == ".." }
    }
}

extension CurlCommand: RedactedStringConvertible {
    /// The command as text, always redacted.
    public var description: String {
        CurlCommand(request, redaction: redaction ?? .default, isCompressed: isCompressed, maximumBodyBytes: maximumBodyBytes)
            .text
    }
}

/// Quoting for a POSIX shell (POSIX.1-2017, Shell Command Language §2.2.2).
enum ShellText {
    /// Returns a word of a command line that the shell reads as exactly the given text.
    static func quoted(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0.isAlphanumeric || "-_./:@%+".utf8.contains($0) }
        if isPlain { return text }
        // An exclamation mark and a line feed are harmless between single quotes, in interactive shells too.
        var result = "'"
        // Scalars, not characters: an apostrophe followed by a combining accent still ends the quotes.
        for scalar in text.unicodeScalars {
            if scalar == "'" {
                result += "'\\''"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "'"
    }
}
