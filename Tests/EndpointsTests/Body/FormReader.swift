import Foundation

/// Parses a form according to RFC 2046 §5.1.1 and RFC 7578, independently of the code that writes forms.
struct FormReader {
    struct Part: Equatable {
        var name: String
        var fileName: String?
        var contentType: String?
        var content: Data
    }

    struct MalformedForm: Error {
        var reason: String
    }

    static func parts(of body: Data, boundary: String) throws -> [Part] {
        let delimiter = Data("\r\n--\(boundary)".utf8)
        // The first delimiter requires no line break before it.
        var rest = Data("\r\n".utf8) + body
        guard let first = rest.range(of: delimiter) else { throw MalformedForm(reason: "no delimiter") }
        rest = Data(rest[first.upperBound...])
        var parts: [Part] = []
        while !rest.starts(with: Data("--".utf8)) {
            guard rest.starts(with: Data("\r\n".utf8)) else { throw MalformedForm(reason: "no line end after a delimiter") }
            guard let end = rest.range(of: delimiter) else { throw MalformedForm(reason: "a part does not end") }
            parts.append(try part(Data(rest[2..<end.lowerBound])))
            rest = Data(rest[end.upperBound...])
        }
        guard rest == Data("--\r\n".utf8) else { throw MalformedForm(reason: "something follows the end") }
        return parts
    }

    private static func part(_ data: Data) throws -> Part {
        guard let split = data.range(of: Data("\r\n\r\n".utf8)),
            let head = String(data: data[..<split.lowerBound], encoding: .utf8)
        else { throw MalformedForm(reason: "no end of the head") }
        var part = Part(name: "", content: Data(data[split.upperBound...]))
        for line in head.components(separatedBy: "\r\n") {
            let pieces = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard pieces.count == 2 else { throw MalformedForm(reason: "a line without a colon: \(line)") }
            switch pieces[0].lowercased() {
            case "content-type": part.contentType = pieces[1]
            case "content-disposition":
                let parameters = try parameters(pieces[1])
                guard let name = parameters["name"] else { throw MalformedForm(reason: "no name") }
                part.name = name
                part.fileName = parameters["filename"]
            default: throw MalformedForm(reason: "unknown line \(line)")
            }
        }
        return part
    }

    /// Parses the parameters of a value such as `form-data; name="a"; filename="b"`. A quoted value ends at the next quote,
    /// because browsers do not escape with backslashes.
    private static func parameters(_ text: String) throws -> [String: String] {
        guard text.hasPrefix("form-data") else { throw MalformedForm(reason: "no form data") }
        var parameters: [String: String] = [:]
        var rest = Substring(text.dropFirst("form-data".count)).unicodeScalars
        while !rest.isEmpty {
            guard rest.starts(with: "; ".unicodeScalars) else { throw MalformedForm(reason: "no parameter at \(String(rest))") }
            rest = rest.dropFirst(2)
            guard let equals = rest.firstIndex(of: "=") else { throw MalformedForm(reason: "no value at \(String(rest))") }
            let name = String(rest[..<equals])
            rest = rest[rest.index(after: equals)...]
            guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else {
                throw MalformedForm(reason: "no quotes")
            }
            let value = String(rest[rest.index(after: rest.startIndex)..<end])
            parameters[name] = ["%22": "\"", "%0D": "\r", "%0A": "\n"].reduce(value) { text, escape in
                // Compares code units, because a combining character can follow the escape.
                text.replacingOccurrences(of: escape.key, with: escape.value, options: .literal)
            }
            rest = rest[rest.index(after: end)...]
        }
        return parameters
    }
}
