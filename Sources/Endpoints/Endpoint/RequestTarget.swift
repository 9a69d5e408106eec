import Foundation
import NetworkLogging
import NetworkSupport

/// The URL of a request, composed of a base URL, a path and two sets of query parameters.
struct RequestTarget {
    let url: LazyURL
    let parts: ParsedURL
    /// Whether the URL has another origin than the configuration's base URL.
    let isCrossOrigin: Bool

    init(_ request: RequestDescription, configuration: APIConfiguration) throws(RequestGenerationError) {
        let isFullPath = request.isFullPath
        let path = try request.pathParameters.fill(request.path, isFullPath: isFullPath)
        try Self.validate(path, isFullPath: isFullPath)
        let own: URLText
        var base: BaseURL?
        var text: [UInt8]
        if isFullPath {
            own = URLText(path)
            try own.requireHTTP(.path)
            text = own.start
            own.rememberUserInformation()
            isCrossOrigin = !configuration.base.isValid || own.origin != configuration.base.parts.origin
        } else {
            try Self.rejectFullURL(request.path)
            own = URLText(relativePath: path)
            let stated = try request.base.replacement().map(BaseURL.init)
            let joined = stated ?? configuration.base
            try joined.validate()
            text = joined.start
            joined.text.rememberUserInformation()
            Self.appendPath(of: own, to: &text)
            isCrossOrigin =
                stated.map { !configuration.base.isValid || $0.parts.origin != configuration.base.parts.origin } ?? false
            base = joined
        }
        let pathEnd = text.count

        var query = ParameterWriter(appendingTo: consume text, style: request.queryStyle)
        if let base { query.appendQuery(of: base.text) }
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

        let composed = String(decoding: query.bytes, as: UTF8.self)
        if let base, base.parts.isPlain {
            // The host is plain and every other byte was encoded where necessary, so that this is a URL.
            url = .text(composed)
            parts = base.parts.replacing(pathEnd: pathEnd, queryEnd: query.bytes.count)
        } else if let checked = URL(string: composed) {
            (url, parts) = LazyURL.normalized(checked)
        } else {
            let shown = base?.text.originAndPath ?? URLText.shown(path)
            throw RequestGenerationError(.path, "\"\(shown.printable)\" is not a URL (RFC 3986 §3)")
        }
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
        let isFullURL = path.withBytes { $0.beginsCaselessly(with: "http://") || $0.beginsCaselessly(with: "https://") }
        guard isFullURL else { return }
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
