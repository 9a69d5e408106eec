import Foundation

/// Standard error as a place for whole lines.
public enum StandardError {
    /// Keeps one entry's bytes together when a pipe takes them in pieces. Nothing is called while it is held but the write.
    private static let lock = NSLock()

    /// Writes a text and a line feed at once. Callable from any thread; entries are never mixed. A closed standard error
    /// loses the text and harms nobody.
    @Sendable public static func write(_ text: String) {
        let line = Data("\(text)\n".utf8)
        lock.withLock {
            try? FileHandle.standardError.write(contentsOf: line)
        }
    }
}
