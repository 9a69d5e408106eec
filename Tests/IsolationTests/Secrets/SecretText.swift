import Foundation

/// Searches for a value in a text, directly and after decoding each encoding.
struct SecretText {
    let value: String

    func isShown(in text: String) -> Bool {
        var views = [text]
        for _ in 0..<2 { views += views.flatMap { [percent($0), json($0), xml($0)] } }
        return Set(views).contains { $0.contains(value) || holdsBase64($0) }
    }

    private func percent(_ text: String) -> String {
        // Decoded word by word, so that one invalid escape does not prevent the decoding of the rest.
        text.split(separator: " ", omittingEmptySubsequences: false).map { $0.removingPercentEncoding ?? String($0) }.joined(
            separator: " ")
    }

    private func json(_ text: String) -> String {
        text.replacingOccurrences(of: "\\/", with: "/").replacingOccurrences(of: "\\\"", with: "\"").replacingOccurrences(
            of: "\\\\", with: "\\")
    }

    private func xml(_ text: String) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(text) {
            $0.replacingOccurrences(of: $1.0, with: $1.1)
        }
    }

    /// Searches for the base64 characters that depend only on the value, at each of its three possible alignments.
    private func holdsBase64(_ text: String) -> Bool {
        (0..<3).contains { offset in
            let bytes = Data(repeating: 0x2E, count: offset) + Data(value.utf8)
            let encoded = bytes.base64EncodedString().prefix((bytes.count * 8) / 6).dropFirst((offset * 8 + 5) / 6)
            let safe = encoded.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
            return text.contains(encoded) || text.contains(String(safe))
        }
    }
}
