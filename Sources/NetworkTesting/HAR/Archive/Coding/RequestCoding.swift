import DataTransfer
import Foundation

/// `request` of an entry.
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
            method: HTTPMethod(try container.decode(String.self, forKey: .method)),
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
