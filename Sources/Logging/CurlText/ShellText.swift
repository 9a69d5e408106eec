/// Quoting for a POSIX shell (POSIX.1-2017, Shell Command Language §2.2.2).
enum ShellText {
    /// One word of a command line that the shell reads as exactly this text.
    static func quoted(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0.isAlphanumeric || "-_./:@%+".utf8.contains($0) }
        if isPlain { return text }
        // An exclamation mark and a line feed are harmless between single quotes, in interactive shells too.
        var result = "'"
        // Scalars, not characters: an apostrophe with an accent behind it still ends the quotes.
        for scalar in text.unicodeScalars {
            if scalar == "'" {
                result += "'\\''"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "'"
    }
}
