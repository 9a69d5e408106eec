/// The words of a key in camel case, for JSON, queries and forms.
package enum KeyWords {
    /// Converts camel case to lower-case words by Foundation's rules: with `_`, `myURLProperty` becomes `my_url_property`.
    package static func joined(_ key: String, by separator: String) -> String {
        guard !key.isEmpty else { return key }
        var words: [Range<String.Index>] = []
        var wordStart = key.startIndex
        var searchStart = key.index(after: wordStart)
        while let upper = key[searchStart...].firstIndex(where: { $0.isUppercase }) {
            words.append(wordStart..<upper)
            guard let lower = key[upper...].firstIndex(where: { $0.isLowercase }) else {
                wordStart = upper
                break
            }
            let afterUpper = key.index(after: upper)
            if lower == afterUpper {
                wordStart = upper
            } else {
                let beforeLower = key.index(before: lower)
                words.append(upper..<beforeLower)
                wordStart = beforeLower
            }
            searchStart = key.index(after: lower)
        }
        words.append(wordStart..<key.endIndex)
        return words.map { key[$0].lowercased() }.joined(separator: separator)
    }
}
