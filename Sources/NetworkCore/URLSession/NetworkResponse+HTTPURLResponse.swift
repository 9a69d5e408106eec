import Endpoints
import Foundation

extension NetworkResponse {
    /// The head as an `HTTPURLResponse`, created at each call; `nil` if Foundation rejects it.
    ///
    /// Fields of the same name are joined with `", "`, as `URLSession` does, including `Set-Cookie`.
    public var httpURLResponse: HTTPURLResponse? {
        var fields: [String: String] = [:]
        var names: [String: String] = [:]
        for field in headers.fields {
            let name = names[field.name.lowercased(), default: field.name]
            names[field.name.lowercased()] = name
            fields[name] = fields[name].map { $0 + ", " + field.value } ?? field.value
        }
        let version = timings.protocolName == "h2" ? "HTTP/2" : "HTTP/1.1"
        return HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: version, headerFields: fields)
    }
}

extension HTTPHeaders {
    /// Creates headers from the fields of a response. They are sorted by name, since Foundation does not keep their order. Joined
    /// `Set-Cookie` fields are separated.
    init(_ response: HTTPURLResponse) {
        var fields: [Field] = []
        for (key, value) in response.allHeaderFields {
            guard let name = key as? String, let value = value as? String else { continue }
            if Self.isSame(name, "Set-Cookie") {
                fields += Self.separateCookies(value).map { Field(name: name, value: $0) }
            } else {
                fields.append(Field(name: name, value: value))
            }
        }
        self.init(fields.sorted { $0.name == $1.name ? false : $0.name < $1.name })
    }

    /// Returns the approximate size of the response's field lines as sent, in bytes.
    static func size(of response: HTTPURLResponse) -> Int {
        response.allHeaderFields.reduce(0) { size, field in
            size + ((field.key as? String)?.utf8.count ?? 0) + ((field.value as? String)?.utf8.count ?? 0) + 4
        }
    }

    /// Separates joined cookies such as `a=1; Expires=Sat, 01 Jan 2028 00:00:00 GMT, b=2`.
    ///
    /// A comma ends a cookie if a name and `=` follow it (RFC 6265 §4.1.1), which is not the case in a date.
    static func separateCookies(_ joined: String) -> [String] {
        var cookies: [String] = []
        var current = ""
        for part in joined.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.prefix { $0 != "=" && $0 != ";" }
            let begins = name.endIndex < part.endIndex && part[name.endIndex] == "="
            if cookies.isEmpty && current.isEmpty {
                current = String(part)
            } else if begins, String(name.drop { $0 == " " }).isToken {
                cookies.append(current)
                current = String(part.drop { $0 == " " })
            } else {
                current += "," + part
            }
        }
        return cookies + [current]
    }
}
