import Foundation

/// Searches for a value in a text, directly and after decoding each encoding.
package struct SecretText {
    package let value: String
    /// The value, and the base64 characters that depend only on it.
    private let needles: Set<String>

    package init(value: String) {
        self.value = value
        needles = Set([value] + Self.base64(of: value))
    }

    package func isShown(in text: String) -> Bool {
        var views: Set = [text]
        for _ in 0..<2 { views.formUnion(views.flatMap { [percent($0), json($0), xml($0)] }) }
        return views.contains { view in needles.contains { view.contains($0) } }
    }

    // What contains no escape is not decoded, as this takes long.
    private func percent(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        // Decoded word by word, so that one invalid escape does not prevent the decoding of the rest.
        return text.split(separator: " ", omittingEmptySubsequences: false).map { $0.removingPercentEncoding ?? String($0) }
            .joined(
                separator: " ")
    }

    private func json(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        return text.replacingOccurrences(of: "\\/", with: "/").replacingOccurrences(of: "\\\"", with: "\"").replacingOccurrences(
            of: "\\\\", with: "\\")
    }

    private func xml(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(text) {
            $0.replacingOccurrences(of: $1.0, with: $1.1)
        }
    }

    /// Returns the base64 characters that depend only on the value, at each of its three possible alignments.
    private static func base64(of value: String) -> [String] {
        (0..<3).flatMap { offset -> [String] in
            let bytes = Data(repeating: 0x2E, count: offset) + Data(value.utf8)
            let encoded = bytes.base64EncodedString().prefix((bytes.count * 8) / 6).dropFirst((offset * 8 + 5) / 6)
            let safe = encoded.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
            return [String(encoded), String(safe)]
        }
    }
}
