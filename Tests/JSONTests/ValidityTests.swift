import Foundation
import JSONDocuments
import NetworkJSON
import Testing

/// What is encoded is JSON, whatever the value and the strategies are.
@Suite struct ValidityTests {
    /// A random value of a type that encoders treat in their own way, or of one that contains others.
    private indirect enum Sample: Encodable {
        case bool, int(Int64), unsigned(UInt64), double(Double), float(Float), decimal(Decimal), date(Date), data(Data), url(URL),
            text(String), null, nothing, uuid
        case doubles([Double]), decimals([Decimal]), dates([String: Date]), array([Sample]), object([String: Sample]), optional(
            Sample?), parent(Sample), nested(Sample)

        init(_ random: inout Random, depth: Int = 0) {
            let doubles = [
                0, -0.0, 1e300, -1e-300, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1.5,
            ]
            let decimals = [
                Decimal.nan, 0, 1, Decimal(string: "-1e-100")!, .greatestFiniteMagnitude, .leastFiniteMagnitude,
                .leastNonzeroMagnitude, Decimal(string: "1.25")!,
            ]
            let texts = ["", "a", "\"\\/\u{0}\u{1F}\u{7F}", "é😀\u{2028}", "aB_c", "NaN", "\u{FFFD}\u{FEFF}"]
            let seconds = [0, -1, 1e9, .nan, .infinity, -.infinity, 1e300, -1e300, 252_423_993_600, -63_145_526_401, 1e12, 1e14]
            func next() -> Sample { Sample(&random, depth: depth + 1) }
            switch random.below(depth > 3 ? 16 : 21) {
            case 0: self = .bool
            case 1: self = .int([.min, .max, 0, -1][random.below(4)])
            case 2: self = .unsigned([.max, 0, 1 << 53][random.below(3)])
            case 3: self = .double(doubles[random.below(doubles.count)])
            case 4: self = .float(Float(doubles[random.below(doubles.count)]))
            case 5: self = .decimal(decimals[random.below(decimals.count)])
            case 6: self = .date(Date(timeIntervalSinceReferenceDate: seconds[random.below(seconds.count)]))
            case 7: self = .data(Data(repeating: 0xFF, count: random.below(4)))
            case 8: self = .url(URL(string: "https://a/b?c=\"d\"") ?? URL(fileURLWithPath: "/"))
            case 9: self = .text(random.pick(texts))
            case 10: self = .null
            case 11: self = .nothing
            case 12: self = .uuid
            case 13: self = .doubles([1, doubles[random.below(doubles.count)]])
            case 14: self = .decimals([1, decimals[random.below(decimals.count)]])
            case 15:
                self = .dates([random.pick(texts): Date(timeIntervalSinceReferenceDate: seconds[random.below(seconds.count)])])
            case 16: self = .array((0..<random.below(4)).map { _ in next() })
            case 17:
                self = .object(Dictionary((0..<random.below(4)).map { _ in (random.pick(texts), next()) }) { first, _ in first })
            case 18: self = .optional(random.below(2) == 0 ? nil : next())
            case 19: self = .parent(next())
            default: self = .nested(next())
            }
        }

        func encode(to encoder: any Encoder) throws {
            func single(_ value: some Encodable) throws {
                var container = encoder.singleValueContainer()
                try container.encode(value)
            }
            switch self {
            case .bool: try single(true)
            case .int(let value): try single(value)
            case .unsigned(let value): try single(value)
            case .double(let value): try single(value)
            case .float(let value): try single(value)
            case .decimal(let value): try single(value)
            case .date(let value): try single(value)
            case .data(let value): try single(value)
            case .url(let value): try single(value)
            case .text(let value): try single(value)
            case .null:
                var container = encoder.singleValueContainer()
                try container.encodeNil()
            case .nothing: break
            case .uuid: try single(UUID())
            case .doubles(let values): try single(values)
            case .decimals(let values): try single(values)
            case .dates(let values): try single(values)
            case .array(let values): try single(values)
            case .object(let values): try single(values)
            case .optional(let value): try single(value)
            case .parent(let value):
                var container = encoder.container(keyedBy: AnyCodingKey.self)
                try value.encode(to: container.superEncoder())
                try container.encode(value, forKey: "aB")
                // Written twice: Foundation's encoder encodes it.
                if case .double = value { try container.encode(value, forKey: "aB") }
            case .nested(let value):
                var container = encoder.unkeyedContainer()
                var inner = container.nestedContainer(keyedBy: AnyCodingKey.self)
                try inner.encode(value, forKey: "\"\n")
                try? container.encode(value)
            }
        }
    }

    @Test func `every value becomes JSON that another parser reads, or an error`() throws {
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyy\"MM"
        let dates: [JSONEncoder.DateEncodingStrategy?] = [
            nil, .deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601, .formatted(formatter), .custom { _, _ in },
            .custom { date, encoder in
                var container = encoder.unkeyedContainer()
                try container.encode(date.timeIntervalSince1970)
            },
        ]
        let datas: [JSONEncoder.DataEncodingStrategy] = [.base64, .deferredToData, .custom { _, _ in }]
        let floats: [JSONEncoder.NonConformingFloatEncodingStrategy] = [
            .throw, .convertToString(positiveInfinity: "\"", negativeInfinity: "\\", nan: "\n"),
        ]
        let keys: [JSONEncoder.KeyEncodingStrategy] = [
            .useDefaultKeys, .convertToSnakeCase, .custom { _ in AnyCodingKey(stringValue: "\"\\\u{1}") },
        ]
        let formats: [JSONEncoder.OutputFormatting] = [[], [.sortedKeys], [.prettyPrinted, .withoutEscapingSlashes]]
        var random = Random(seed: 11)
        var (written, refused) = (0, 0)
        for _ in 0..<1500 {
            let value = Sample(&random)
            let foundation = JSONEncoder()
            let date = dates[random.below(dates.count)]
            if let date { foundation.dateEncodingStrategy = date }
            foundation.dataEncodingStrategy = datas[random.below(datas.count)]
            foundation.nonConformingFloatEncodingStrategy = floats[random.below(floats.count)]
            foundation.keyEncodingStrategy = keys[random.below(keys.count)]
            foundation.outputFormatting = formats[random.below(formats.count)]
            let transfer = TransferJSONEncoder(foundation)
            if date == nil { transfer.dateEncodingStrategy = TransferJSONEncoder().dateEncodingStrategy }
            for encode in [{ try transfer.encode($0) }, { try foundation.encodeWithinLimits($0) }] as [(Sample) throws -> Data] {
                do {
                    let data = try encode(value)
                    let read = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
                    #expect(
                        read != nil && (try? TransferJSONDecoder().decode(Ignored.self, from: data)) != nil,
                        "\(value) \(String(decoding: data, as: UTF8.self))")
                    written += 1
                } catch is EncodingError { refused += 1 }
            }
        }
        #expect(written > 1000 && refused > 300, "\(written) \(refused)")
    }

    private struct Ignored: Decodable { init(from decoder: any Decoder) {} }

    /// The value in an object, an array, and as the only value of another one.
    private struct Everywhere<Value: Encodable>: Encodable {
        let (value, values, single): (Value, [Value], Single<Value>)
    }

    private struct Single<Value: Encodable>: Encodable {
        let value: Value
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    @Test func `numbers of every type are written by each encoder as by Foundation`() throws {
        func check(_ value: some Encodable) throws {
            try compare(Everywhere(value: value, values: [value], single: Single(value: value)), "\(type(of: value))")
        }
        func compare(_ every: some Encodable, _ type: String) throws {
            let (foundation, list) = (JSONEncoder(), PropertyListEncoder())
            foundation.outputFormatting = .sortedKeys
            list.outputFormat = .xml
            let expected = try foundation.encode(every)
            #expect(try foundation.encodeWithinLimits(every) == expected, "\(type)")
            #expect(try TransferJSONEncoder(foundation).encode(every) == expected, "\(type)")
            #expect(try list.encodeWithinLimits(every) == list.encode(every), "\(type)")
        }
        let values: [any Encodable] = [
            Int8.min, UInt8.max, Int16.min, UInt16.max, Int32.min, UInt32.max, Int64.min, UInt64.max, Int.min, UInt.max,
            Float(1.5),
            Double(2.5), true, "a", Date(timeIntervalSince1970: 0), Data([1]), URL(fileURLWithPath: "/a"), UUID(), Decimal(1),
            [1], [1.5],
            ["a"], [UInt8(1)], [Float(1)], ["k": Int16(1)], Float?.some(1),
        ]
        for value in values { try check(value) }
        if #available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) {
            // Property lists have none.
            for encode in [{ try JSONEncoder().encodeWithinLimits($0) }, { try TransferJSONEncoder().encode($0) }]
                as [([Single<Int128>]) throws -> Data]
            {
                #expect(try encode([Single(value: -1)]) == Data("[-1]".utf8))
            }
        }
    }

    @Test func `what JSON cannot represent is an error that says why`() {
        func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }
        let (iso, foundation) = (JSONEncoder(), JSONEncoder())
        iso.dateEncodingStrategy = .iso8601
        let rows: [(any Encodable, String)] = [
            (["d": Decimal.nan], "d: Unable to encode Decimal.nan directly in JSON."),
            ([Double.nan], "Index 0: Unable to encode Double.nan directly in JSON."),
            (["d": date(253_402_300_800)], "d: Unable to write the date: the year 10000 has more than four digits (RFC 3339)."),
            (["d": date(-62_167_219_201)], "d: Unable to write the date: the year -1 is before the year 0000 (RFC 3339)."),
            (
                date(.infinity),
                ": Unable to write the date: the date is inf seconds from 2001, which is no point in time (RFC 3339)."
            ),
            (
                Date(timeIntervalSinceReferenceDate: 1e18),
                ": Unable to write the date: the date is 1e+18 seconds from 2001, which is outside of the years 0000 to 9999 (RFC 3339)."
            ),
        ]
        for (value, expected) in rows { #expect(text { try TransferJSONEncoder().encode(value) } == expected) }
        for encode in [{ try TransferJSONEncoder(iso).encode($0) }, { try iso.encodeWithinLimits($0) }]
            as [([Date]) throws -> Data]
        {
            for seconds in [Double.nan, .infinity, -1e12, 1e18] {
                #expect(text { try encode([date(seconds)]) }.hasSuffix("which no calendar can write as text."))
            }
        }
        #expect(
            text { try foundation.encodeWithinLimits(["a": Decimal.nan]) } == "a: Unable to encode Decimal.nan directly in JSON.")
        #expect(text { try foundation.encodeWithinLimits(NoValue()) } == text { try JSONEncoder().encode(NoValue()) })
    }

    private func text(_ encode: () throws -> Data) -> String {
        do { return String(decoding: try encode(), as: UTF8.self) } catch EncodingError.invalidValue(_, let context) {
            return "\(context.codingPath.map(\.stringValue).joined(separator: ".")): \(context.debugDescription)"
        } catch { return "\(error)" }
    }

    /// Arrays in each other.
    private struct Nested: Encodable {
        let levels: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            if levels > 1 { try container.encode(Nested(levels: levels - 1)) }
        }
    }

    @Test func `each encoder writes as many levels as it can, and one more is an error with their number`() {
        let rows: [(Int, (Nested) throws -> Data)] = [
            (512, { try TransferJSONEncoder().encode($0) }), (511, { try JSONEncoder().encodeWithinLimits($0) }),
        ]
        for (limit, encode) in rows {
            #expect(text { try encode(Nested(levels: limit)) }.count == 2 * limit)
            let error = text { try encode(Nested(levels: limit + 1)) }
            #expect(error.hasSuffix(" is nested more than \(limit) levels deep, or contains itself."), "\(error)")
        }
    }

    private struct NoValue: Encodable { func encode(to encoder: any Encoder) {} }
}
