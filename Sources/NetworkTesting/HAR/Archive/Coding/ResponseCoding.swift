import DataTransfer
import Foundation

/// `response` of an entry.
struct ResponseCoding: Codable {
    var response: HTTPArchive.Response
    /// Chromium's `_error`; ours is for people alone, ``HTTPArchive/Failure`` is read from `_failure`.
    var browserError: String?

    private enum Keys: String, CodingKey {
        case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
        case size, compression, mimeType, text, encoding
        case error = "_error"
        case transferSize = "_transferSize"
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
        try container.encode(response.headers["Location"] ?? "", forKey: .redirectURL)
        try container.encode(-1, forKey: .headersSize)
        try container.encode(response.bodySize, forKey: .bodySize)
        // Chromium would take the sum of both sizes above, which are not known, for it.
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
