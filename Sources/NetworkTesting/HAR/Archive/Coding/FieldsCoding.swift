import DataTransfer
import Foundation

/// The coding of a list of header fields: `[{"name": …, "value": …}]`.
struct FieldsCoding: Codable {
    var headers: HTTPHeaders

    private enum Keys: String, CodingKey {
        case name, value
    }

    init(headers: HTTPHeaders) {
        self.headers = headers
    }

    init(from decoder: any Decoder) throws {
        headers = HTTPHeaders()
        var list = try decoder.unkeyedContainer()
        while !list.isAtEnd {
            let field = try list.nestedContainer(keyedBy: Keys.self)
            let name = try field.decode(String.self, forKey: .name)
            // Chromium joins fields with the same name by a line feed.
            for line in try field.text(.value).split(separator: "\n", omittingEmptySubsequences: false) {
                headers.add(line.hasSuffix("\r") ? String(line.dropLast()) : String(line), for: name)
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

    private enum CodingKeys: String, CodingKey {
        case name, value
    }

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
            value.split(separator: ";").prefix(isRequest ? .max : 1).compactMap { pair -> CookieCoding? in
                let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                return parts.count == 2 ? CookieCoding(name: parts[0], value: parts[1]) : nil
            }
        }
    }
}
