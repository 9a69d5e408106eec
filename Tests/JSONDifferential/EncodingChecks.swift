import Foundation
import JSONDocuments
import NetworkJSON

/// Compares encoding with Foundation's: sorted forms byte for byte, others by their bytes in any order and by the value they decode to.
struct EncodingChecks {
    var random: Random
    /// Called with the kind of a difference and both texts.
    var note: (String, String) -> Void
    var checks = 0

    static let formats: [JSONEncoder.OutputFormatting] = [
        [], [.sortedKeys], [.prettyPrinted, .sortedKeys], [.prettyPrinted], [.withoutEscapingSlashes, .sortedKeys],
        [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes],
    ]

    private func outcome(_ body: () throws -> Data) -> (Data?, String) {
        do { return (try body(), "") } catch let error as EncodingError {
            guard case .invalidValue(_, let context) = error else { return (nil, "\(error)") }
            return (nil, "\(context.codingPath.map(\.stringValue)) \(context.debugDescription)")
        } catch { return (nil, "\(error)") }
    }

    /// Encodes a value in every format with both encoders.
    mutating func check<T: Encodable>(_ name: String, _ value: T, _ configure: (JSONEncoder) -> Void = { _ in }) {
        for format in Self.formats {
            let foundation = JSONEncoder()
            foundation.outputFormatting = format
            configure(foundation)
            let transfer = TransferJSONEncoder(foundation)
            let (a, errorA) = outcome { try foundation.encode(value) }
            let (b, errorB) = outcome { try transfer.encode(value) }
            checks += 1
            let shown =
                "\n    F \(a.map { String(decoding: $0.prefix(600), as: UTF8.self) } ?? errorA)\n    J \(b.map { String(decoding: $0.prefix(600), as: UTF8.self) } ?? errorB)"
            guard let a, let b else {
                if (a == nil) != (b == nil) {
                    note("ENCODE one fails", name + shown)
                } else if errorA != errorB, name != "too deep" {
                    note("ENCODE error", name + shown)
                }
                continue
            }
            if format.contains(.sortedKeys) {
                if a != b { note("ENCODE bytes", name + shown) }
            } else if a.count != b.count || a.sorted() != b.sorted() {
                // Keys may be in any order, but the bytes must be the same.
                note("ENCODE content", name + shown)
            } else if (try? JSONDecoder().decode(AnyValue.self, from: a)).map({
                "\($0 == (try? JSONDecoder().decode(AnyValue.self, from: b)))"
            }) == "false" {
                note("ENCODE meaning", name + shown)
            }
        }
    }

    /// A random value.
    mutating func any(_ depth: Int) -> AnyValue {
        switch random.below(depth > 4 ? 5 : 8) {
        case 0: return .null
        case 1: return .bool(random.below(2) == 0)
        case 2: return .int(Int(bitPattern: UInt(random.next())) >> random.below(64))
        case 3: return .double(double())
        case 4: return .string(string())
        case 5: return .array((0..<random.below(4)).map { _ in any(depth + 1) })
        default: return .object(Dictionary((0..<random.below(5)).map { _ in (string(), any(depth + 1)) }) { a, _ in a })
        }
    }

    mutating func double() -> Double {
        switch random.below(4) {
        case 0:
            let value = Double(bitPattern: random.next())
            return value.isFinite ? value : 0
        case 1: return Double(random.below(2_000_000) - 1_000_000) / 1000
        case 2: return Double(Int(bitPattern: UInt(random.next())) >> random.below(64))
        default:
            return [
                0, -0.0, 1, 1e15, 1e16, 9_007_199_254_740_992, 9_007_199_254_740_994, 0.0001, 0.00001, .leastNonzeroMagnitude,
                .greatestFiniteMagnitude,
            ][random.below(11)]
        }
    }

    mutating func string() -> String {
        let pieces = [
            "a", "/", "\"", "\\", "\n", "\t", "\u{8}", "\u{C}", "\r", "\u{0}", "\u{1f}", "\u{7f}", "é", "日本", "😀", "e\u{301}",
            "longer text", "\u{2028}", " ", "key", "K",
        ]
        return (0..<random.below(9)).map { _ in random.pick(pieces) }.joined()
    }

    /// Runs the fixed cases, and the random ones `count` times.
    mutating func run(_ count: Int) {
        for odd in OddEncodables.all { check("odd \(odd.name)", odd) }
        check("nothing", Nothing())
        check("nil", Int?.none)
        check("keys", [1: "a", 22: "b"])
        check("urls", [URL(string: "https://example.com/a?b=c")!])
        check("url", URL(string: "https://example.com/a?b=c")!)
        check("nan", ["a": Double.nan])
        check("nan list", [1, .infinity])
        check("nan nested", ["a": [["b": -Double.infinity]]])
        check("float nan", NumbersWithNaN())
        for strategy in [
            JSONEncoder.NonConformingFloatEncodingStrategy.convertToString(
                positiveInfinity: "+\"", negativeInfinity: "-", nan: "n")
        ] {
            check("nonconforming", [Double.nan, .infinity, -.infinity, 1]) { $0.nonConformingFloatEncodingStrategy = strategy }
            check("nonconforming", ["a": Float.nan]) { $0.nonConformingFloatEncodingStrategy = strategy }
        }
        check("empty", [[], [1]] as [[Int]])
        check("empties", ["a": [String: Int](), "b": ["c": 1]])
        check("deep", Deep(510))
        check("deeper", Deep(511))
        // Documented: Foundation writes one level fewer than it reads, and its error does not say why.
        check("too deep", Deep(513))
        check("int128", [UInt64.max])
        for _ in 0..<count {
            check("any", any(0))
            check("string", string())
            check("strings", [string(), string()])
            check("doubles", (0..<4).map { _ in double() })
            check("double", double())
            check("float", [Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))].filter(\.isFinite))
            check(
                "decimals",
                (0..<4).map { _ in
                    Decimal(
                        sign: random.below(2) == 0 ? .plus : .minus, exponent: random.below(60) - 40,
                        significand: Decimal(random.next() >> UInt64(random.below(64))))
                })
            check("decimal text", Decimal(string: "\(Int(random.next() >> 40)).\(random.next())")!)
            let dates = (0..<3).map { _ in
                Date(
                    timeIntervalSinceReferenceDate: Double(random.below(400_000_000_000) - 60_000_000_000)
                        / Double(1 + random.below(3)))
            }
            check("dates", dates)
            check("iso dates", dates) { $0.dateEncodingStrategy = .iso8601 }
            check("seconds", dates) { $0.dateEncodingStrategy = .secondsSince1970 }
            check("milliseconds", dates) { $0.dateEncodingStrategy = .millisecondsSince1970 }
            check("custom date", ["d": dates]) {
                $0.dateEncodingStrategy = .custom { date, encoder in
                    var container = encoder.singleValueContainer()
                    try container.encode("\(encoder.codingPath.count) \(date.timeIntervalSince1970)")
                }
            }
            check("data", Data((0..<random.below(20)).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
            check("deferred data", Data((0..<random.below(5)).map { _ in UInt8(truncatingIfNeeded: random.next()) })) {
                $0.dataEncodingStrategy = .deferredToData
            }
            check("uuid", UUID(uuid: random.uuid()))
            if let snakes = try? decodeSnakes() {
                check("snake", snakes) { $0.keyEncodingStrategy = .convertToSnakeCase }
                check("custom keys", snakes) {
                    $0.keyEncodingStrategy = .custom { path in
                        AnyKey(stringValue: path.map(\.stringValue).joined(separator: "."))!
                    }
                }
            }
            check("api", APIDocument.make(random.below(100)))
        }
    }

    private func decodeSnakes() throws -> Snakes {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Snakes.self, from: Data(Snakes.sample.utf8))
    }
}
