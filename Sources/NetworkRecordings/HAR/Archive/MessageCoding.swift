import DataTransfer
import Foundation
import NetworkSupport

/// The coding of the `request` of an entry.
struct RequestCoding: Codable {
    var request: HTTPArchive.Request

    private enum Keys: String, CodingKey {
        case method, url, httpVersion, cookies, headers, queryString, postData, headersSize, bodySize
        case mimeType, text, encoding, params
        case ownEncoding = "_encoding"
        case truncated = "_truncated"
        case redacted = "_redacted"
    }

    init(request: HTTPArchive.Request) {
        self.request = request
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        request = HTTPArchive.Request(
            method: RequestMethod(try container.decode(String.self, forKey: .method)),
            url: try container.decode(String.self, forKey: .url), httpVersion: container.tolerated(.httpVersion) ?? "",
            headers: try container.decodeIfPresent(FieldsCoding.self, forKey: .headers)?.headers ?? [:],
            bodySize: container.size(.bodySize))
        if container.contains(.postData), try !container.decodeNil(forKey: .postData) {
            let data = try container.nestedContainer(keyedBy: Keys.self, forKey: .postData)
            request.body = try Self.body(data, limit: decoder.archiveLimits.bodyBytes)
        } else if request.bodySize > 0 {
            request.body = HTTPArchive.Body(nil, mimeType: request.headers["Content-Type"] ?? "")
        }
    }

    private static func body(_ data: KeyedDecodingContainer<Keys>, limit: Int) throws -> HTTPArchive.Body {
        let text = try data.decodeIfPresent(String.self, forKey: .text)
        let encoding = try data.decodeIfPresent(String.self, forKey: .encoding) ?? data.text(.ownEncoding)
        var body = HTTPArchive.Body(
            nil, mimeType: data.tolerated(.mimeType) ?? "", isTruncated: data.tolerated(.truncated) ?? false,
            isRedacted: data.tolerated(.redacted) ?? false)
        let params = try data.decodeIfPresent([ParamCoding].self, forKey: .params) ?? []
        if let text, !text.isEmpty || params.isEmpty {
            body.data = try BodyText.data(text, encoding: encoding, limit: limit) { key, reason in
                data.wrong(key == .text ? .text : .encoding, reason)
            }
        } else if !params.isEmpty, !body.mimeType.lowercased().hasPrefix("multipart/") {
            body.data = Data(params.map(\.pair).joined(separator: "&").utf8)
        }
        return body
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(request.method.rawValue, forKey: .method)
        try container.encode(request.url, forKey: .url)
        try container.encode(request.httpVersion, forKey: .httpVersion)
        try container.encode(CookieCoding.cookies(of: request.headers.values(for: "Cookie"), isRequest: true), forKey: .cookies)
        try container.encode(FieldsCoding(headers: request.headers), forKey: .headers)
        try container.encode(ParamCoding.items(ofQuery: URLText(request.url).query), forKey: .queryString)
        try container.encode(-1, forKey: .headersSize)
        try container.encode(request.bodySize, forKey: .bodySize)
        guard let body = request.body else { return }
        var data = container.nestedContainer(keyedBy: Keys.self, forKey: .postData)
        try data.encode(body.mimeType, forKey: .mimeType)
        if let bytes = body.data {
            let (text, isBase64) = BodyText.text(bytes)
            try data.encode(text, forKey: .text)
            if isBase64 { try data.encode("base64", forKey: .ownEncoding) }
            let isForm = body.mimeType.lowercased().hasPrefix("application/x-www-form-urlencoded") && !isBase64
            if isForm { try data.encode(ParamCoding.items(ofQuery: Substring(text)), forKey: .params) }
        }
        if body.isTruncated { try data.encode(true, forKey: .truncated) }
        if body.isRedacted { try data.encode(true, forKey: .redacted) }
    }
}

/// The coding of the `response` of an entry.
struct ResponseCoding: Codable {
    var response: HTTPArchive.Response
    /// The text of `_error`, as Chromium writes it. This package writes it for human readers only, and reads ``HTTPArchive/Failure`` from
    /// `_failure`.
    var browserError: String?

    private enum Keys: String, CodingKey {
        case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
        case size, compression, mimeType, text, encoding
        case error = "_error"
        case transferSize = "_transferSize"
        case trailers = "_trailers"
        case finalURL = "_finalURL"
        case truncated = "_truncated"
        case redacted = "_redacted"
        case omitted = "_omitted"
    }

    init(response: HTTPArchive.Response, browserError: String?) {
        self.response = response
        self.browserError = browserError
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        let status = try container.decode(Double.self, forKey: .status)
        guard let statusCode = Int(exactly: status), (-1...999).contains(statusCode) else {
            throw container.wrong(.status, "is not a status code")
        }
        response = HTTPArchive.Response(
            statusCode: max(0, statusCode), statusText: container.tolerated(.statusText) ?? "",
            httpVersion: container.tolerated(.httpVersion) ?? "",
            headers: try container.decodeIfPresent(FieldsCoding.self, forKey: .headers)?.headers ?? [:],
            trailers: try container.decodeIfPresent(FieldsCoding.self, forKey: .trailers)?.headers ?? [:],
            bodySize: container.size(.bodySize), finalURL: try container.decodeIfPresent(String.self, forKey: .finalURL))
        browserError = container.tolerated(.error)
        guard container.contains(.content), try !container.decodeNil(forKey: .content) else { return }
        let content = try container.nestedContainer(keyedBy: Keys.self, forKey: .content)
        response.body = HTTPArchive.Body(
            nil, mimeType: content.tolerated(.mimeType) ?? "", isTruncated: content.tolerated(.truncated) ?? false,
            isRedacted: content.tolerated(.redacted) ?? false)
        if let text = try content.decodeIfPresent(String.self, forKey: .text) {
            response.body.data = try BodyText.data(
                text, encoding: content.text(.encoding), limit: decoder.archiveLimits.bodyBytes
            ) { key, reason in
                content.wrong(key == .text ? .text : .encoding, reason)
            }
        } else if content.size(.size) <= 0, content.tolerated(.omitted) != true {
            response.body.data = Data()
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(response.statusCode, forKey: .status)
        try container.encode(response.statusText, forKey: .statusText)
        try container.encode(response.httpVersion, forKey: .httpVersion)
        try container.encode(
            CookieCoding.cookies(of: response.headers.values(for: "Set-Cookie"), isRequest: false), forKey: .cookies)
        try container.encode(FieldsCoding(headers: response.headers), forKey: .headers)
        if !response.trailers.isEmpty { try container.encode(FieldsCoding(headers: response.trailers), forKey: .trailers) }
        try container.encode(response.headers["Location"] ?? "", forKey: .redirectURL)
        try container.encode(-1, forKey: .headersSize)
        try container.encode(response.bodySize, forKey: .bodySize)
        // Without it, Chromium shows the sum of the two sizes above, which may be unknown (-1).
        try container.encode(max(0, response.bodySize), forKey: .transferSize)
        try container.encodeIfPresent(response.finalURL, forKey: .finalURL)
        try container.encodeIfPresent(browserError, forKey: .error)
        var content = container.nestedContainer(keyedBy: Keys.self, forKey: .content)
        let size = response.body.data?.count ?? -1
        try content.encode(size, forKey: .size)
        if response.bodySize >= 0, size >= 0 { try content.encode(Int64(size) - response.bodySize, forKey: .compression) }
        try content.encode(response.body.mimeType.isEmpty ? "x-unknown" : response.body.mimeType, forKey: .mimeType)
        if let data = response.body.data {
            let (text, isBase64) = BodyText.text(data)
            try content.encode(text, forKey: .text)
            if isBase64 { try content.encode("base64", forKey: .encoding) }
        } else {
            try content.encode(true, forKey: .omitted)
        }
        if response.body.isTruncated { try content.encode(true, forKey: .truncated) }
        if response.body.isRedacted { try content.encode(true, forKey: .redacted) }
    }
}

/// Conversion between the bytes of a body and JSON text: unchanged if they are UTF-8 text, else in base64.
enum BodyText {
    enum Place {
        case text, encoding
    }

    /// Returns the bytes of a text.
    ///
    /// - Parameter wrong: Creates the error for an invalid text or encoding.
    static func data(
        _ text: String, encoding: String, limit: Int, wrong: (Place, String) -> HTTPArchiveError
    ) throws -> Data {
        let data: Data
        switch encoding.lowercased() {
        case "":
            data = Data(text.utf8)
        case "base64":
            guard text.utf8.count / 4 * 3 <= limit.addingReportingOverflow(1024).partialValue else {
                throw tooLarge(limit, wrong)
            }
            guard let decoded = Data(base64Encoded: text) ?? Data(base64Encoded: padded(text)) else {
                throw wrong(.text, "is not base64")
            }
            data = decoded
        default:
            throw wrong(.encoding, "is \"\(encoding.printable)\", which is not supported; only base64 is")
        }
        guard data.count <= limit else { throw tooLarge(limit, wrong) }
        return data
    }

    /// Returns base64 without white space, and with the padding that some programs leave out.
    private static func padded(_ text: String) -> Data {
        let digits = text.utf8.filter { $0 > UInt8(ascii: " ") }
        return Data(digits + repeatElement(UInt8(ascii: "="), count: (4 - digits.count % 4) % 4))
    }

    private static func tooLarge(_ limit: Int, _ wrong: (Place, String) -> HTTPArchiveError) -> HTTPArchiveError {
        wrong(.text, "is larger than the \(limit) bytes allowed (bodyBytes)")
    }

    /// Returns the text of a body, and whether it is in base64.
    static func text(_ data: Data) -> (text: String, isBase64: Bool) {
        // Control characters such as NUL are valid in JSON strings, but indicate binary data.
        let isBinary = data.contains { $0 < 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D && $0 != 0x1E }
        if !isBinary, let text = String(valid: data) { return (text, false) }
        return (data.base64EncodedString(), true)
    }
}

/// The coding of a list of header fields: `[{"name": …, "value": …}]`.
struct FieldsCoding: Codable {
    var headers: HeaderFields

    private enum Keys: String, CodingKey {
        case name, value
    }

    init(headers: HeaderFields) {
        self.headers = headers
    }

    init(from decoder: any Decoder) throws {
        headers = HeaderFields()
        var list = try decoder.unkeyedContainer()
        while !list.isAtEnd {
            let field = try list.nestedContainer(keyedBy: Keys.self)
            let name = try field.decode(String.self, forKey: .name)
            // Chromium joins fields with the same name by a line feed.
            for line in try field.text(.value).parts(at: "\n") {
                headers.add(line.ends(with: "\r") ? String(Substring(line.utf8.dropLast())) : String(line), for: name)
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for header in headers {
            var field = list.nestedContainer(keyedBy: Keys.self)
            try field.encode(header.name, forKey: .name)
            try field.encode(header.value, forKey: .value)
        }
    }
}

/// The coding of an item of a query or form.
struct ParamCoding: Codable {
    var name: String
    var value: String?

    /// The item in percent-encoded form: `name=value`.
    var pair: String {
        let text = [name, value].map { $0.map { Self.encoded($0) } }
        return (text[0] ?? "") + (text[1].map { "=" + $0 } ?? "")
    }

    static func items(ofQuery query: Substring?) -> [ParamCoding] {
        QueryItem.items(of: query ?? "").map { ParamCoding(name: $0.name, value: $0.value ?? "") }
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}

/// The coding of a cookie, with the name and value that a header field contains.
struct CookieCoding: Encodable {
    var name: String
    var value: String

    static func cookies(of values: [String], isRequest: Bool) -> [CookieCoding] {
        values.flatMap { value in
            value.parts(at: ";").prefix(isRequest ? .max : 1).compactMap { pair -> CookieCoding? in
                guard let (name, value) = pair.divided(at: "=") else { return nil }
                return CookieCoding(name: String(name.trimmed), value: String(value.trimmed))
            }
        }
    }
}
