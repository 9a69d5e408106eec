import Foundation
import NetworkJSON
import Testing

/// Numbers, compared with Foundation.
@Suite struct `Numbers as with Foundation` {
    static let texts = [
        "0", "-0", "1", "-1", "127", "128", "-128", "-129", "255", "256", "65535", "65536", "2147483647", "2147483648",
        "4294967295",
        "4294967296", "9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
        "1e2", "1E2", "1.0", "100e-2", "1.5", "1.0000000000000000000001", "9007199254740993.0", "1e18", "1e19",
        "12345678901234567890e-1",
        "0.1", "1e-7", "1e23", "5e-324", "4e-324", "2.2250738585072014e-308", "1.7976931348623157e308", "0.0", "-0.0",
        "16777217", "16777217.5", "3.4028235e38", "1e-45", "1.00000017881393432617187500001", "0.30000000000000004",
        "170141183460469231731687303715884105727", "-170141183460469231731687303715884105728",
        "123456789012345678901234567890123456789", "0.000000000000000000000000000000000000001", "1e127", "1e-128",
    ]

    /// Compares, except for a number that does not fit, whose error is more precise than Foundation's.
    private func compare<T: Decodable & Equatable>(_ type: T.Type, _ text: String) {
        if (try? JSONDecoder().decode([T].self, from: Data("[\(text)]".utf8))) != nil {
            expectSame(T.self, text)
            expectSame([T].self, "[\(text),\(text)]")
            expectSame([String: T].self, "{\"a\":\(text)}")
            expectSame(T?.self, text)
        } else {
            #expect(throws: DecodingError.self, "\(text) as \(type)") {
                try TransferJSONDecoder().decode(type, from: Data(text.utf8))
            }
        }
    }

    @Test(arguments: texts)
    func `integers of every width`(text: String) {
        compare(Int.self, text)
        compare(Int8.self, text)
        compare(Int16.self, text)
        compare(Int32.self, text)
        compare(Int64.self, text)
        compare(UInt.self, text)
        compare(UInt8.self, text)
        compare(UInt16.self, text)
        compare(UInt32.self, text)
        compare(UInt64.self, text)
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            compare(Int128.self, text)
            compare(UInt128.self, text)
        }
    }

    @Test(arguments: texts)
    func `floating point and decimals`(text: String) {
        compare(Double.self, text)
        compare(Float.self, text)
        compare(Decimal.self, text)
    }

    @Test(arguments: [
        ("300", "Int8"), ("-1", "UInt8"), ("1.5", "Int"), ("1e400", "Double"), ("1e-400", "Double"), ("1e39", "Float"),
    ])
    func `a number that does not fit is named, with its path`(text: String, type: String) {
        func failure<T: Decodable>(_ type: T.Type) -> DecodingError.Context? {
            do {
                _ = try TransferJSONDecoder().decode([String: T].self, from: Data("{\"a\":\(text)}".utf8))
            } catch DecodingError.dataCorrupted(let context) {
                return context
            } catch {}
            return nil
        }
        let context =
            switch type {
            case "Int8": failure(Int8.self)
            case "UInt8": failure(UInt8.self)
            case "Int": failure(Int.self)
            case "Float": failure(Float.self)
            default: failure(Double.self)
            }
        #expect(context?.codingPath.map(\.stringValue) == ["a"])
        #expect(context?.debugDescription == "Number \(text) is not representable in Swift as \(type).")
    }

    @Test(arguments: ["inf", "-inf", "nan", "INF", "1", ""])
    func `strings for infinity and NaN`(text: String) {
        for type in ["[Double]", "[Float]"] {
            let configure: (JSONDecoder) -> Void = {
                $0.nonConformingFloatDecodingStrategy = .convertFromString(
                    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            }
            if type == "[Double]" {
                expectSame([Double].self, "[\"\(text)\"]", configure: configure)
                expectSame([Double].self, "[\"\(text)\"]")
            } else {
                expectSame([Float].self, "[\"\(text)\"]", configure: configure)
                expectSame([Float].self, "[\"\(text)\"]")
            }
        }
    }

    @Test func `zero with an exponent is zero`() throws {
        // A difference: Foundation refuses some of these.
        for text in ["0e1", "-0.0e10", "0.0E-5"] {
            #expect(try TransferJSONDecoder().decode(Double.self, from: Data(text.utf8)) == 0)
        }
    }
}
