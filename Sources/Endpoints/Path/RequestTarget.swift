import Foundation
import NetworkLogging

/// The URL of a request, composed of a base URL, a path and two sets of query parameters.
struct RequestTarget {
    let url: URL
    /// Whether the URL has another origin than the configuration's base URL.
    let isCrossOrigin: Bool

    init(_ request: RequestDescription, configuration: any NetworkConfigurable) throws(RequestGenerationError) {
        let isFullPath = request.isFullPath
        let path = try request.pathParameters.fill(request.path, isFullPath: isFullPath)
        try Self.validate(path, isFullPath: isFullPath)
        if !isFullPath { try Self.rejectFullURL(request.path) }
        let configured = URLText(configuration.baseURL)
        let stated = isFullPath ? nil : try request.base.replacement()
        let base = stated.map { URLText($0) } ?? configured
        let own = isFullPath ? URLText(path) : URLText(relativePath: path)
        if isFullPath { try own.requireHTTP(.path) } else { try base.requireHTTP(.baseURL) }
        let origin = isFullPath ? own.origin : stated.map { _ in base.origin }
        isCrossOrigin = origin.map { (try? configured.requireHTTP(.baseURL)) == nil || $0 != configured.origin } ?? false

        var text: [UInt8] = []
        text.reserveCapacity(256)
        Self.append(isFullPath ? own : base, to: &text)
        (isFullPath ? own : base).rememberUserInformation()
        if !isFullPath { Self.appendPath(of: own, to: &text) }

        var query = ParameterWriter(appendingTo: consume text, style: request.queryStyle)
        if !isFullPath { query.appendQuery(of: base) }
        let items = try request.queryParameters.items(style: request.queryStyle)
        let shared = isCrossOrigin ? ParameterList() : configuration.queryParameters
        if !shared.isEmpty {
            let taken = Set(own.queryNames + items.map { Self.rootName(of: $0.name) })
            for item in try shared.items(style: request.queryStyle) where !taken.contains(Self.rootName(of: item.name)) {
                item.value.rememberSecret(named: item.name)
                try query.append(item.value, named: item.name)
            }
        }
        query.appendQuery(of: own)
        for item in items {
            item.value.rememberSecret(named: item.name)
            try query.append(item.value, named: item.name)
        }
        query.appendEmptyQuery(of: own)

        guard let url = URL(string: String(decoding: query.bytes, as: UTF8.self)) else {
            let shown = isFullPath ? URLText.shown(path) : base.originAndPath
            throw RequestGenerationError(.path, "\"\(shown.printable)\" is not a URL (RFC 3986 §3)")
        }
        self.url = url
    }

    /// Appends the scheme, authority and path of a URL.
    private static func append(_ url: URLText, to text: inout [UInt8]) {
        text.append(contentsOf: url.scheme.utf8)
        text.append(contentsOf: "://".utf8)
        url.withBytes(of: url.authorityRange) { text.append(contentsOf: $0) }
        url.withBytes(of: url.pathRange) { PercentEncoding.append($0, keeping: .path, to: &text) }
    }

    /// Appends a path to `text`, which ends with the path of the base URL, with exactly one slash between them.
    private static func appendPath(of own: URLText, to text: inout [UInt8]) {
        let slash = UInt8(ascii: "/")
        own.withBytes(of: own.pathRange) { path in
            guard let first = path.first else { return }
            switch (text.last == slash, first == slash) {
            case (true, true): text.removeLast()
            case (false, false): text.append(slash)
            default: break
            }
            PercentEncoding.append(path, keeping: .path, to: &text)
        }
    }

    /// Returns the name without the brackets that a style appends: `tag[]` and `tag[0]` are items with the name `tag`.
    fileprivate static func rootName(of name: String) -> String {
        guard let bracket = name.utf8.firstIndex(of: UInt8(ascii: "[")), bracket != name.startIndex else { return name }
        return String(name[..<bracket])
    }

    /// Throws if a relative path is a full URL, which would otherwise be appended to the base URL:
    /// `https://api.example.com/http://other.example`.
    ///
    /// Only the unfilled template is checked, so that the value of a path parameter may be a URL.
    private static func rejectFullURL(_ path: String) throws(RequestGenerationError) {
        let start = path.utf8.prefix(8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard start.starts(with: "http://".utf8) || start.starts(with: "https://".utf8) else { return }
        throw RequestGenerationError(.path, "\"\(URLText.shown(path).printable)\" is a full URL; set isFullPath to true")
    }

    /// Throws if a path contains a control character, or a percent sign that is not followed by two hexadecimal digits.
    static func validate(
        _ path: String, isFullPath: Bool, field: RequestGenerationError.Field = .path
    ) throws(RequestGenerationError) {
        let problem: String? = path.withBytes { bytes in
            for index in 0..<bytes.count {
                let byte = bytes[index]
                if byte < 0x20 || byte == 0x7F { return "there is a control character" }
                guard byte == UInt8(ascii: "%") else { continue }
                let digits = bytes[(index + 1)...].prefix(2)
                if digits.count < 2 || digits.contains(where: { $0.hexValue == nil }) {
                    return "a % is not followed by two hexadecimal digits (write %25)"
                }
            }
            return nil
        }
        guard let problem else { return }
        throw RequestGenerationError(field, "in \"\(URLText.shown(path: path, isFullPath: isFullPath).printable)\" \(problem)")
    }
}

extension URLText {
    /// Adds the URL's user information to ``NetworkLogging/SecretValues``, so that logs do not show a password.
    fileprivate func rememberUserInformation() {
        guard authorityRange != hostRange else { return }
        SecretValues.insert(userInformation: String(authority.dropLast(hostAndPort.count + 1)))
    }

    /// The decoded names of the query's items, without the brackets that a style appends.
    fileprivate var queryNames: [String] {
        guard let query else { return [] }
        return query.utf8.split(separator: UInt8(ascii: "&")).map { item in
            let name = Substring(item.prefix { $0 != UInt8(ascii: "=") })
            return RequestTarget.rootName(of: PercentEncoding.decoded(name) ?? String(name))
        }
    }
}
