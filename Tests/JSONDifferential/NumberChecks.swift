import Foundation
import JSONDocuments
import NetworkJSON

/// Compares numbers with the C library and the standard library.
enum NumberChecks {
    /// Decodes doubles and floats of every form and compares them with `strtod` and `strtof`.
    ///
    /// - Returns: How many numbers were compared, and descriptions of the first differences.
    static func decode(_ count: Int, seed: UInt64) -> (count: Int, wrong: [String]) {
        var random = Random(seed: seed)
        let decoder = TransferJSONDecoder()
        var wrong: [String] = []
        var done = 0
        while done < count {
            var texts: [String] = []
            for _ in 0..<min(count, 10_000) {
                switch random.below(5) {
                case 0: texts.append(Double(bitPattern: random.next() & 0x7FFF_FFFF_FFFF_FFFF).description)
                case 1: texts.append("\(random.next() % 1_000_000_000_000_000_000)e\(random.below(640) - 340)")
                case 2: texts.append("\(random.below(1000)).\(random.next())\(random.below(2) == 0 ? "" : "\(random.next())")")
                case 3:
                    // Near the middle between two doubles.
                    let x = Double(bitPattern: random.next() & 0x7FFF_FFFF_FFFF_FFFF)
                    texts.append(String(format: "%.\(17 + random.below(8))e", (x + x.nextUp) / 2))
                default: texts.append("\(Float(bitPattern: UInt32(truncatingIfNeeded: random.next()) & 0x7FFF_FFFF))")
                }
            }
            texts.removeAll { $0.contains("n") || strtod($0, nil).isInfinite }
            texts.removeAll { strtod($0, nil) == 0 }
            done += texts.count
            let data = Data("[\(texts.joined(separator: ","))]".utf8)
            guard let values = try? decoder.decode([Double].self, from: data) else {
                return (done, ["doubles are refused"])
            }
            for (text, value) in zip(texts, values) where strtod(text, nil).bitPattern != value.bitPattern {
                if wrong.count < 10 { wrong.append("\(text): \(value) for \(strtod(text, nil))") }
            }
            let small = texts.filter {
                let float = strtof($0, nil)
                return float.isFinite && float != 0
            }
            guard let floats = try? decoder.decode([Float].self, from: Data("[\(small.joined(separator: ","))]".utf8)) else {
                return (done, ["floats are refused"])
            }
            for (text, value) in zip(small, floats) where strtof(text, nil).bitPattern != value.bitPattern {
                if wrong.count < 10 { wrong.append("float \(text): \(value) for \(strtof(text, nil))") }
            }
        }
        return (done, wrong)
    }

    /// Encodes doubles and compares them with their descriptions.
    ///
    /// - Returns: How many numbers were compared, and descriptions of the first differences.
    static func encode(_ count: Int, seed: UInt64) -> (count: Int, wrong: [String]) {
        var random = Random(seed: seed)
        let encoder = TransferJSONEncoder()
        var wrong: [String] = []
        var done = 0
        while done < count {
            let values = (0..<min(count, 10_000)).map { i -> Double in
                switch i % 4 {
                case 0: return Double(bitPattern: random.next())
                case 1: return Double(random.next() >> UInt64(random.below(64))) / [1, 10, 100, 1000, 1e5, 1e9][random.below(6)]
                case 2: return Double(bitPattern: UInt64(random.below(2047)) << 52 | UInt64(random.below(3)))
                default: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
                }
            }.filter(\.isFinite)
            done += values.count
            let texts = String(decoding: try! encoder.encode(values), as: UTF8.self).dropFirst().dropLast().split(separator: ",")
            for (value, text) in zip(values, texts) {
                var expected = value.description
                if expected.hasSuffix(".0") { expected.removeLast(2) }
                if expected != text {
                    if wrong.count < 10 { wrong.append("\(expected): \(text)") }
                }
            }
        }
        return (done, wrong)
    }
}
