import Foundation
import JSONDocuments
import NetworkJSON
import NetworkSupport
import Testing

/// JSON5 (https://spec.json5.org), with the cases of its test suite, and texts with the same structure.
@Suite struct JSON5Tests {
    private static let decoder: TransferJSONDecoder = {
        let decoder = TransferJSONDecoder()
        decoder.allowsJSON5 = true
        decoder.dateDecodingStrategy = .deferredToDate
        return decoder
    }()

    /// A document whose numbers are compared as texts, as `NaN` is not equal to itself.
    indirect enum Value: Decodable, Equatable {
        case null, bool(Bool), number(String), string(String), array([Value]), object([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number("\(value)")
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let values = try? container.decode([Value].self) {
                self = .array(values)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }
    }

    private func value(_ text: String) -> Value? { try? Self.decoder.decode(Value.self, from: Data(text.utf8)) }

    @Test func `texts of JSON5 have the value of the same JSON`() throws {
        let rows: [(String, String)] = [
            ("[]", "[]"), ("[true,false,null,]", "[true,false,null]"), ("{}", "{}"), ("{\"a\":true,}", #"{"a":true}"#),
            ("{a:true}", #"{"a":true}"#), ("{hello:\"w\",_:'x',$:1,a$_9:[]}", #"{"hello":"w","_":"x","$":1,"a$_9":[]}"#),
            ("{while:1,true:2,null:3,Infinity:4,NaN:5}", #"{"while":1,"true":2,"null":3,"Infinity":4,"NaN":5}"#),
            ("{'a':'it\\'s \"x\"'}", #"{"a":"it's \"x\""}"#), ("{sig\\u03A3ma:1}", #"{"sigΣma":1}"#),
            ("{ümlåût:1}", #"{"ümlåût":1}"#),
            ("{\"a\":1,'a':2}", #"{"a":1,"a":2}"#), ("'hello\\\nworld'", #""helloworld""#),
            ("'a\\\r\nb\\\rc\\\u{2028}d\\\u{2029}e'", #""abcde""#),
            ("\"\\x41\\u0042\\v\\0\\a\\é\\/\\'\"", #""AB\u000b\u0000aé/'""#), ("'\t\u{2028}'", #""\t\u2028""#),
            ("'\\uD83D\\uDE00'", #""😀""#), ("// x\n1 // y", "1"), ("/* * / ** */1/**/", "1"), ("[/**/1,//\r2,]", "[1,2]"),
            ("\u{FEFF}\u{A0}\u{2003}\u{3000}\u{B}\u{C}1\u{2028}", "1"), ("\"/* no comment */\"", #""/* no comment */""#),
            (".5", "0.5"), ("-.5", "-0.5"), ("+.5", "0.5"), ("5.", "5"), ("-5.", "-5"), ("5.e4", "5e4"), ("+1.2E+3", "1200"),
            ("0xC8", "200"),
            ("0Xc8", "200"), ("-0xC8", "-200"), ("+0x0", "0"), ("0x1e4", "484"), ("-0", "-0"), ("-0x0", "-0"), ("0.", "0"),
            ("0e0", "0"),
            ("0xFFFFFFFFFFFFFFFF", "18446744073709551615"), ("0x0000000000000000000000001", "1"),
            ("0x8000000000000400000000000000000000000000001", "2993155353253689841095144429860884076158879988187136"),
            ("2e-00000000000000000000001", "0.2"),
        ]
        for (text, json) in rows { #expect(value(text) == value(json) && value(json) != nil, "\(text)") }
        let numbers: [(String, Double)] = [
            ("Infinity", .infinity), ("+Infinity", .infinity), ("-Infinity", -.infinity), ("NaN", .nan), ("-NaN", .nan),
            ("[NaN]", .nan),
        ]
        for (text, number) in numbers {
            let found =
                try text.first == "["
                ? Self.decoder.decode([Double].self, from: Data(text.utf8))[0]
                : Self.decoder.decode(Double.self, from: Data(text.utf8))
            #expect("\(found)" == "\(number)", "\(text)")
            #expect(throws: DecodingError.self) { try Self.decoder.decode(Int.self, from: Data(text.utf8)) }
            #expect(throws: DecodingError.self) { try Self.decoder.decode(Decimal.self, from: Data(text.utf8)) }
            #expect(throws: DecodingError.self) { try TransferJSONDecoder().decode(Double.self, from: Data(text.utf8)) }
        }
        #expect(try Self.decoder.decode(Float.self, from: Data("-Infinity".utf8)) == -.infinity)
        #expect(try Self.decoder.decode([UInt8].self, from: Data("[0xFF,+1,2.,.3e1]".utf8)) == [255, 1, 2, 3])
    }

    @Test func `texts that are not JSON5 are errors with their place`() throws {
        let rows: [String] = [
            "", " ", "//", "/*", "/* *", "/", "[1e+]", "[1e]", "[1e-]", "1e1.5", "1e0x1", "0x", "0xG", "0x1.5", ".", "-", "+",
            "-.", "+-1", "- 1", "--1",
            "010", "-010", "+00", "00.1", "098", "1a", "1.2.3", "1.+1", "0x1+1", "Infinity+1", "NaN1", "[.5.5]", "[1'a']", "1 2",
            "1,", ",", "[,]", "{,}", "[,1]",
            "[1,,2]", "[1,,]", "{a:1,,}", "{a:,}", "{a}", "{a,}", "{a:1 b:2}", "[1 2]", "{1:1}", "{10twenty:1}", "{multi-word:1}",
            "{a:b}", "[a]", "undefined",
            "infinity", "nan", "TRUE", "tru\\u0065", "{\\u0031a:1}", "{a\\u002Db:1}", "{a\\x41:1}", "'", "'a", "\"a'", "'\n'",
            "'a\rb'", "'\\", "'\\'", "'\\1'", "'\\01'", "'\\x4'",
            "'\\u12g4'", "'\\uD800'", "'\\uDC00x'", "[}", "{]", "]", "[1", "{a:1", "{a:", "{\"a\"", "\u{0}", "[\u{0}]", "'a'b",
            "true/", "#", "\u{200D}a", "{\u{200D}:1}",
        ]
        for text in rows {
            let error = #expect(throws: DecodingError.self, "\(text)") {
                try Self.decoder.decode(Value.self, from: Data(text.utf8))
            }
            guard case .dataCorrupted(let context)? = error, let details = context.underlyingError as? JSONErrorDetails else {
                continue
            }
            #expect(details.problem != nil && details.byteOffset <= text.utf8.count, "\(text)")
        }
        for bytes: [UInt8] in [
            [0x27, 0xFF, 0x27], [0xC3], [0x7B, 0xE2, 0x80], [0x7B, 0xC3, 0x3A, 0x31, 0x7D], [0x2F, 0x2A, 0xFF],
        ] {
            #expect(throws: DecodingError.self) { try Self.decoder.decode(Value.self, from: Data(bytes)) }
        }
    }

    @Test func `errors state the place in the text as it was received`() throws {
        let text = "// é\n{\n  'a': +.5, /* x */ b: 'text', }"
        struct Model: Decodable { var a: Double, b: Int }
        let error = #expect(throws: DecodingError.self) { try Self.decoder.decode(Model.self, from: Data(text.utf8)) }
        guard case .typeMismatch(_, let context)? = error, let details = context.underlyingError as? JSONErrorDetails else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect((details.line, details.column) == (3, 24) && details.byteOffset == 31, "\(details)")
        #expect(context.codingPath.map(\.stringValue) == ["b"])
        let syntax = #expect(throws: DecodingError.self) {
            try Self.decoder.decode(Model.self, from: Data("{a:+1,\n b:[1e+]}".utf8))
        }
        guard case .dataCorrupted(let corrupted)? = syntax else { return #expect(Bool(false)) }
        #expect(
            (corrupted.underlyingError as? JSONErrorDetails)?.description
                == "Invalid number at line 2, column 8, byte 14: found ']'.")
    }

    @Test func `a value at a path in JSON5 is decoded`() throws {
        let found = try Self.decoder.scan(PaddedBytes(Data("{a:[1,{b:0x10,},],}".utf8))) {
            try $0.decode(Int.self, under: "a[1].b")
        }
        #expect(found == 16)
    }

    /// A random value as JSON, and the same in JSON5.
    private func pair(_ random: inout Random, depth: Int = 0) -> (json: String, json5: String) {
        func space() -> String { ["", "", " ", "\n", "/**/", "//x\n", "\u{A0}", "\t"][random.below(8)] }
        func string() -> (String, String) {
            var (json, json5) = ("", "")
            for _ in 0..<random.below(6) {
                let rows = [
                    ("a", "a"), ("a", "\\x61"), ("\\\"", "\\\""), ("'", "\\'"), ("é", "\\é"), ("", "\\\n"), ("\\u000b", "\\v"),
                    ("😀", "\\uD83D\\uDE00"), ("\\\\", "\\\\"), ("1", "1"),
                ]
                let row = rows[random.below(rows.count)]
                json += row.0
                json5 += row.1
            }
            return ("\"\(json)\"", random.below(2) == 0 ? "'\(json5)'" : "\"\(json5)\"")
        }
        let (before, after) = (space(), space())
        let core: (String, String)
        switch random.below(depth > 4 ? 4 : 6) {
        case 0: core = string()
        case 1:
            let number = random.below(1000)
            core =
                [
                    ("\(number)", "0x\(String(number, radix: 16))"), ("\(number)", "+\(number)."), ("0.\(number)", ".\(number)"),
                    ("-\(number)e2", "-\(number).e+2"),
                ][random.below(4)]
        case 2: core = ["true", "false", "null"].map { ($0, $0) }[random.below(3)]
        case 3: core = ("\(random.below(9))", "")
        case 4:
            let items = (0..<random.below(4)).map { _ in pair(&random, depth: depth + 1) }
            core = (
                "[" + items.map(\.json).joined(separator: ",") + "]",
                "[" + items.map(\.json5).joined(separator: ",") + (items.isEmpty ? "" : [",", ""][random.below(2)]) + "]"
            )
        default:
            let items = (0..<random.below(4)).map { i in (i, pair(&random, depth: depth + 1)) }
            core = (
                "{" + items.map { "\"k\($0)\":\($1.json)" }.joined(separator: ",") + "}",
                "{"
                    + items.map { "\(space())\(random.below(2) == 0 ? "k\($0)" : "'k\($0)'")\(space()):\($1.json5)" }.joined(
                        separator: ",") + "}"
            )
        }
        let json5 = core.1.isEmpty ? core.0 : core.1
        return (core.0, before + json5 + after)
    }

    @Test func `random values are equal in both forms, and random changes of them are decoded or errors`() throws {
        var random = Random(seed: 5)
        let pieces = [
            "+", "-", ".", "e", "0x", "/", "*", "\\", "'", "\"", ",", ":", "[", "]", "{", "}", "\n", "\u{2028}", "é", "\0", "u",
            "1", "Infinity", "NaN",
        ]
        for _ in 0..<100 {
            let (json, json5) = pair(&random)
            #expect(value(json5) == value(json) && value(json) != nil, "\(json) \(json5)")
            var scalars = Array(json5.unicodeScalars)
            for _ in 0..<3 { scalars.insert(contentsOf: random.pick(pieces).unicodeScalars, at: random.below(scalars.count + 1)) }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            _ = value(String(text))
        }
    }

    /// The processor time of this thread, in seconds.
    private func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test func `the time of JSON5 is proportional to its size`() {
        let parts: [String] = [
            "+1,", "'\\x41',", "/**/", "//\n", "a", "\\u0061", "0x1", "'\\\n", "[", "{a:", "1e+", ".", ",", "\u{2028}", "/*",
            "1,//",
        ]
        for part in parts {
            func time(_ count: Int) -> Double {
                let text = Data(("[" + String(repeating: part, count: count)).utf8)
                return (0..<3).map { _ in
                    let start = processorTime()
                    _ = try? Self.decoder.decode([Double].self, from: text)
                    return processorTime() - start
                }.min()!
            }
            let (small, large) = (time(20_000), time(160_000))
            #expect(large < 0.02 || large < 24 * small, "\(part): \(small) s, \(large) s")
        }
    }
}
