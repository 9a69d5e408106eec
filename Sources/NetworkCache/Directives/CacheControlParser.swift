import Endpoints

/// A lenient parser for `#( token [ "=" ( token / quoted-string ) ] )` (RFC 9111 §5.2).
///
/// Whitespace is allowed anywhere between the parts. An argument that is neither a token nor a quoted string is kept verbatim up
/// to the next comma, so that the directives after it are not lost; for the same reason, a quote that is never closed is treated
/// as an ordinary character. Elements whose name is not a token are skipped.
enum CacheControlParser {
    typealias Text = Substring.UTF8View

    static func directives(in value: String) -> [CacheControl.Directive] {
        var rest = value[...].utf8
        var directives: [CacheControl.Directive] = []
        while !rest.isEmpty {
            let name = trimmed(rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") })
            rest = rest.drop { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
            var argument: String?
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst().drop(while: isSpace)
                argument = Self.argument(&rest)
            }
            rest = rest.dropFirst()
            let text = String(Substring(name))
            if text.isToken { directives.append(CacheControl.Directive(text, argument: argument)) }
        }
        return directives
    }

    /// Parses the argument at the beginning of `rest`, and advances `rest` to the next comma or to its end.
    private static func argument(_ rest: inout Text) -> String {
        let start = rest
        var end = rest
        if let (text, after) = quotedText(rest) {
            end = after.drop(while: isSpace)
            if end.isEmpty || end.first == UInt8(ascii: ",") {
                rest = end
                return text
            }
        }
        end = end.drop { $0 != UInt8(ascii: ",") }
        rest = end
        return String(Substring(trimmed(start[start.startIndex..<end.startIndex])))
    }

    /// The unescaped text of a quoted string (RFC 9110 §5.6.4) and the text after it, or `nil` if `rest` does not begin with a
    /// complete quoted string.
    private static func quotedText(_ rest: Text) -> (text: String, after: Text)? {
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        var bytes: [UInt8] = []
        var index = rest.index(after: rest.startIndex)
        var isEscaped = false
        while index < rest.endIndex {
            let byte = rest[index]
            index = rest.index(after: index)
            if isEscaped {
                bytes.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                return (String(decoding: bytes, as: UTF8.self), rest[index...])
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return nil
    }

    static func trimmed(_ text: Text) -> Text {
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text = text.dropLast() }
        return text
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
