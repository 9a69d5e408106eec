import Endpoints
import Foundation
import Testing
import TestSupport

enum Genre: String, Codable { case sciFi = "sci fi", noir }

@Suite struct QueryEncodingTests {
    @Test(
        .tags(.parameters),
        arguments: [
            (["q": "a+b"], "q=a%2Bb"),
            (["q": "a b"], "q=a%20b"),
            (
                ["q": "größe 日本 👩‍👩‍👧"],
                "q=gr%C3%B6%C3%9Fe%20%E6%97%A5%E6%9C%AC%20%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"
            ),
            // RFC 3986 §2.2: reserved characters in a value are data and are encoded.
            (["q": "!*'();:@&=+$,/?#[]%"], "q=%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%23%5B%5D%25"),
            (["q": "-._~"], "q=-._~"),
            (["q": "\r\n\0"], "q=%0D%0A%00"),
            (["a&b=c": "d"], "a%26b%3Dc=d"),
            (["q": ""], "q="),
            (["b": 1, "a": 2], "b=1&a=2"),
            (["a": 1, "a": 2], "a=1&a=2"),
            (["a": nil, "b": 1, "c": Int?.none, "d": Int?.some(2)], "b=1&d=2"),
            (["a": true, "b": false], "a=true&b=false"),
            (
                ["a": 1.5, "b": 2.0, "c": 1e21, "d": Float(0.1), "e": Float16(0.5), "f": CGFloat(2.5)],
                "a=1.5&b=2.0&c=1e%2B21&d=0.1&e=0.5&f=2.5"
            ),
            (
                ["a": Int8(-1), "b": UInt64.max, "c": Int128.min],
                "a=-1&b=18446744073709551615&c=-170141183460469231731687303715884105728"
            ),
            (["a": Decimal(string: "12345678901234567890.123"), "b": Decimal(0.1)], "a=12345678901234567890.123&b=0.1"),
            (["a": Data([0xFB, 0xFF, 0])], "a=%2B%2F8A"),
            (["a": URL(string: "https://h/?x=1")], "a=https%3A%2F%2Fh%2F%3Fx%3D1"),
            (["a": UUID(uuidString: "12345678-1234-1234-1234-123456789ABC")], "a=12345678-1234-1234-1234-123456789ABC"),
            (["a": Genre.sciFi, "b": [Genre.noir]], "a=sci%20fi&b=noir"),
            (["a": [Int?.some(1), nil, 3]], "a=1&a=3"),
            (["a": [Int]()], ""),
            (["r": ["from": 1, "to": "now", "x": nil] as ParameterList], "r%5Bfrom%5D=1&r%5Bto%5D=now"),
            (["r": ["s": ["t": 1] as ParameterList] as ParameterList], "r%5Bs%5D%5Bt%5D=1"),
        ] as [(ParameterList, String)]
    )
    func `values are converted to text and percent-encoded`(parameters: ParameterList, text: String) throws {
        #expect(try query(parameters) == text)
    }

    private static let nested: ParameterList = ["t": ["a", "b,c"], "f": ["y": [1, 2]] as ParameterList]

    @Test(
        arguments: [
            (QueryStyle(arrays: .repeated), "t=a&t=b,c&f[y]=1&f[y]=2"),
            (QueryStyle(arrays: .brackets), "t[]=a&t[]=b,c&f[y][]=1&f[y][]=2"),
            (QueryStyle(arrays: .indexed), "t[0]=a&t[1]=b,c&f[y][0]=1&f[y][1]=2"),
            (QueryStyle(arrays: .repeated, nested: .dots), "t=a&t=b,c&f.y=1&f.y=2"),
            (QueryStyle(arrays: .brackets, nested: .dots), "t[]=a&t[]=b,c&f.y[]=1&f.y[]=2"),
        ]
    )
    func `arrays and nested values are written in the chosen style`(style: QueryStyle, text: String) throws {
        #expect(try query(Self.nested, style).removingPercentEncoding == text)
    }

    @Test func `commas join values, and a comma in a value is encoded`() throws {
        #expect(try query(["t": ["a", "b,c"], "n": [Int?.none, 1]], QueryStyle(arrays: .commaSeparated)) == "t=a,b%2Cc&n=1")
    }

    @Test(
        arguments: [
            (0.0, "1970-01-01T00:00:00Z", "0", "0"),
            (1_770_091_506.75, "2026-02-03T04:05:06Z", "1770091506", "1770091506750"),
            (-0.5, "1969-12-31T23:59:59Z", "-1", "-500"),
            (951_782_400, "2000-02-29T00:00:00Z", "951782400", "951782400000"),
            (-2_203_891_200, "1900-03-01T00:00:00Z", "-2203891200", "-2203891200000"),
            (-62_167_219_200, "0000-01-01T00:00:00Z", "-62167219200", "-62167219200000"),
            (253_402_300_799, "9999-12-31T23:59:59Z", "253402300799", "253402300799000"),
        ]
    )
    func `dates are written in the chosen style`(seconds: Double, iso: String, unix: String, milliseconds: String) throws {
        let parameters: ParameterList = ["d": Date(timeIntervalSince1970: seconds)]
        #expect(try query(parameters).removingPercentEncoding == "d=" + iso)
        #expect(try query(parameters, QueryStyle(dates: .secondsSince1970)) == "d=" + unix)
        #expect(try query(parameters, QueryStyle(dates: .millisecondsSince1970)) == "d=" + milliseconds)
    }

    @Test func `booleans can be written as numbers`() throws {
        #expect(try query(["a": true, "b": [false]], QueryStyle(booleans: .numbers)) == "a=1&b=0")
    }
}
