import Foundation
import NetworkCore
import NetworkWebSocket
import Testing

/// A case of the Autobahn TestSuite for clients: what the server sends, and what another implementation finds in it (`Scripts/autobahn_outcomes.py`).
struct AutobahnCase: Sendable, CustomTestStringConvertible {
    var number: String
    var bytes: [UInt8]
    /// The messages as bytes: the leak check takes a `Data` of a global for a leak.
    private var contents: [Message]
    var pings: [[UInt8]]
    /// The code of the close frame that ends the connection: of the server, or because of a violation.
    var code: UInt16
    var failed: Bool
    /// The number of bytes of a read; `nil` for all at once.
    var pieces: Int?
    /// Whether each message is compressed by itself; `nil` without compression.
    var forgets: Bool?

    var testDescription: String { number }
    var messages: [WebSocketMessage] { contents.flatMap(\.messages) }

    /// The cases whose number begins so.
    static func all(_ prefix: String) -> [AutobahnCase] {
        cases.filter { ($0.number + ".").hasPrefix(prefix + ".") }
            .sorted { $0.number.compare($1.number, options: .numeric) == .orderedAscending }
    }

    private static let cases: [AutobahnCase] = {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/autobahn.json")
        guard let data = try? Data(contentsOf: url), let coded = try? JSONDecoder().decode([String: Coded].self, from: data)
        else {
            return []
        }
        return coded.map { AutobahnCase(number: $0.key, $0.value) }
    }()
}

extension AutobahnCase {
    private struct Coded: Decodable {
        var bytes: [Pair]
        var messages: [Message]
        var pings: [String]
        var failed: Bool
        var code: UInt16
        var pieces: Int?
        var forgets: Bool?
    }

    /// Bytes, and the number of their repetitions.
    private struct Pair: Decodable {
        var bytes: [UInt8]

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            let part = try Pair.bytes(try values.decode(String.self))
            let count = try values.decode(Int.self)
            bytes = part.count == 1 ? Array(repeating: part[0], count: count) : []
            if part.count != 1 { for _ in 0..<count { bytes += part } }
        }

        static func bytes(_ hexadecimal: String) throws -> [UInt8] {
            let digits = hexadecimal.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            try #require(digits.count == hexadecimal.utf8.count && digits.count % 2 == 0)
            return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        }
    }

    /// Equal messages that follow each other.
    private struct Message: Decodable {
        var isText: Bool
        var bytes: [UInt8]
        var count: Int

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            isText = try values.decode(String.self) == "text"
            bytes = try values.decode([Pair].self).flatMap(\.bytes)
            count = try values.decode(Int.self)
        }

        var messages: [WebSocketMessage] {
            Array(repeating: isText ? .text(String(decoding: bytes, as: UTF8.self)) : .binary(Data(bytes)), count: count)
        }
    }

    private init(number: String, _ coded: Coded) {
        self.number = number
        bytes = coded.bytes.flatMap(\.bytes)
        contents = coded.messages
        pings = coded.pings.compactMap { try? Pair.bytes($0) }
        code = coded.code
        failed = coded.failed
        pieces = coded.pieces
        forgets = coded.forgets
    }
}
