import DataTransfer
import Foundation

/// A recorded text in which `<redacted>` stands for any text.
struct RedactedPattern: Sendable {
    /// What stands between placeholders, in order; one piece alone is a text without any.
    private let pieces: [[UInt8]]

    init(_ text: String) {
        guard text.utf8.contains(UInt8(ascii: "<")) else {
            pieces = [Array(text.utf8)]
            return
        }
        pieces = text.components(separatedBy: Redaction.placeholder).map { Array($0.utf8) }
    }

    /// Whether any text matches.
    var isWildcard: Bool { pieces.count > 1 && pieces.allSatisfy(\.isEmpty) }

    /// Looks for each piece behind the one before. The time is that of the text times the longest piece at worst, and linear for usual ones.
    func matches(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = pieces.first, let last = pieces.last else { return true }
        guard pieces.count > 1 else { return bytes == first }
        guard bytes.starts(with: first), bytes.count >= first.count + last.count, bytes.suffix(last.count).elementsEqual(last)
        else { return false }
        var rest = bytes[first.count..<(bytes.count - last.count)]
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let end = Self.end(of: piece, in: rest) else { return false }
            rest = rest[end...]
        }
        return true
    }

    private static func end(of piece: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= piece.count else { return nil }
        for start in bytes.startIndex...(bytes.endIndex - piece.count)
        where bytes[start] == piece[0] && bytes[start..<(start + piece.count)].elementsEqual(piece) {
            return start + piece.count
        }
        return nil
    }
}
