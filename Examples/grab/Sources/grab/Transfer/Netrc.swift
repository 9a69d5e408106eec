import Foundation

/// The entries of a netrc file: `machine HOST login NAME password SECRET`, and `default`.
struct Netrc {
    struct Entry: Equatable {
        /// The host; `nil` for the default entry.
        var machine: String?
        var login = ""
        var password = ""
    }

    /// The file or the terminal does not provide a password.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let entries: [Entry]

    /// Reads a file. A file that does not exist has no entries, unless it is required.
    init(file path: String, isRequired: Bool) throws {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            if isRequired { throw Failure(description: "the netrc file cannot be read") }
            entries = []
            return
        }
        entries = Self.entries(in: text)
    }

    init(_ text: String) {
        entries = Self.entries(in: text)
    }

    /// Returns the first entry for a host and, if it is passed, a user.
    func entry(for host: String, user: String?) -> Entry? {
        entries.first { ($0.machine == nil || $0.machine == host) && (user == nil || $0.login == user) }
    }

    private static func entries(in text: String) -> [Entry] {
        var entries: [Entry] = []
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.drop(while: \.isWhitespace).hasPrefix("#") }
        var tokens = lines.flatMap { $0.split(whereSeparator: \.isWhitespace) }.makeIterator()
        while let token = tokens.next() {
            switch token {
            case "machine": entries.append(Entry(machine: tokens.next().map(String.init) ?? ""))
            case "default": entries.append(Entry())
            case "login": if !entries.isEmpty { entries[entries.count - 1].login = tokens.next().map(String.init) ?? "" }
            case "password": if !entries.isEmpty { entries[entries.count - 1].password = tokens.next().map(String.init) ?? "" }
            case "account": _ = tokens.next()
            // Macros are commands for FTP, and the last thing in a file.
            case "macdef": return entries
            default: continue
            }
        }
        return entries
    }
}
