import Endpoints
import Foundation
import Testing
import TestSupport

/// The formats of names, `nil`, dates and `Data`, in queries and in forms.
@Suite struct QueryStyleTests {
    private struct Filter: Encodable {
        struct Range: Encodable { var lowestYear = 1990, highestYear: Int? }
        var sortBy: String? = "year"
        var myURLProperty = true
        var yearRange = Range()
        var nextCursor: String?
        var labels: [String: Int] = ["firstLabel": 1]
    }

    @Test(
        .tags(.parameters),
        arguments: [
            (.unchanged, "sortBy=year&myURLProperty=true&yearRange.lowestYear=1990&labels.firstLabel=1"),
            (.snakeCase, "sort_by=year&my_url_property=true&year_range.lowest_year=1990&labels.firstLabel=1"),
            (.kebabCase, "sort-by=year&my-url-property=true&year-range.lowest-year=1990&labels.firstLabel=1"),
            (
                .custom { $0.uppercased() },
                "SORTBY=year&MYURLPROPERTY=true&YEARRANGE.LOWESTYEAR=1990&LABELS.firstLabel=1"
            ),
        ] as [(QueryStyle.Keys, String)]
    )
    func `names of properties are converted, and keys of dictionaries are not`(keys: QueryStyle.Keys, text: String) throws {
        let style = QueryStyle(nested: .dots, keys: keys)
        #expect(try query(ParameterList(Filter()), style) == text)
        #expect(String(decoding: try EndpointBody.form(Filter(), style: style).encoded(), as: UTF8.self) == text)
    }

    @Test func `names of a literal are converted, and two that become equal are both written`() throws {
        let style = QueryStyle(nested: .dots, keys: .snakeCase)
        #expect(try query(["pageSize": 1, "f": ["lastYear": 2] as ParameterList], style) == "page_size=1&f.last_year=2")
        struct Both: Encodable { var pageSize = 1, page_size = 2 }
        #expect(try query(ParameterList(Both()), style) == "page_size=1&page_size=2")
    }

    @Test func `a converted name of an endpoint replaces the shared item of that name`() throws {
        let api = try APIConfiguration("https://api.example.com", queryParameters: ["page_size": 1, "other": 2])
        let endpoint = Endpoint.make("", query: ["pageSize": 3], style: QueryStyle(keys: .snakeCase))
        #expect(try endpoint.networkRequest(with: api).url.query == "other=2&page_size=3")
    }

    @Test func `a secret is recognized by its name before and after the conversion`() throws {
        let (first, second) = ("s3cr3t-\(UUID())", "s3cr3t-\(UUID())")
        struct Login: Encodable { var password: String }
        let style = QueryStyle(keys: .custom { String($0.reversed()) })
        _ = try query(["password": first], style)
        _ = try query(["login": ParameterList(Login(password: second))], style)
        for secret in [first, second] { #expect(!"the value \(secret)".printable.contains(secret)) }
    }

    private struct Optionals: Encodable {
        var a: String?, b: Int?, c: [Int?] = [1, nil], d: Bool? = true, e: Date?, f: Genre?, g: Double?, h: UInt8?
    }

    @Test(
        arguments: [
            (.dropped, "c=1&d=true"), (.empty, "a=&b=&c=1&c=&d=true&e=&f=&g=&h="),
            (.null, "a=null&b=null&c=1&c=null&d=true&e=null&f=null&g=null&h=null"),
        ] as [(QueryStyle.Nils, String)])
    func `optional properties and elements that are nil are written in the chosen style`(nils: QueryStyle.Nils, text: String)
        throws
    {
        #expect(try query(ParameterList(Optionals()), QueryStyle(nils: nils)) == text)
    }

    @Test func `nil in a literal, a dictionary and a joined array is written in the chosen style`() throws {
        let parameters: ParameterList = [
            "a": nil, "b": ["c": nil, "d": 1] as ParameterList, "e": ["f": Int?.none], "g": [Int?.none, 1],
        ]
        #expect(try query(parameters, QueryStyle(arrays: .commaSeparated, nested: .dots)) == "b.d=1&g=1")
        #expect(
            try query(parameters, QueryStyle(arrays: .commaSeparated, nested: .dots, nils: .null))
                == "a=null&b.c=null&b.d=1&e.f=null&g=null,1")
        #expect(try EndpointBody.json(parameters).encoded() == Data(#"{"b":{"d":1},"e":{"f":null},"g":[null,1]}"#.utf8))
    }

    @Test func `dates and data can be written by closures`() throws {
        let style = QueryStyle(
            dates: .custom { String(Int($0.timeIntervalSince1970) / 86_400) },
            bytes: .custom { $0.map { String($0, radix: 16) }.joined() })
        let parameters: ParameterList = ["d": [Date(timeIntervalSince1970: 172_800)], "b": Data([0xAB, 0xCD])]
        #expect(try query(parameters, style) == "d=2&b=abcd")
    }

    @Test func `an error of a closure names the value and is the underlying error`() throws {
        struct NoFormat: Error {}
        let style = QueryStyle(dates: .custom { _ in throw NoFormat() }, bytes: .custom { _ in throw NoFormat() })
        for parameters: ParameterList in [["a": [Date()]], ["a": [Data()]]] {
            let error = try Endpoint.make(query: parameters, style: style).generationError()
            #expect(error.field == .query("a.0"))
            #expect(error.underlying is NoFormat)
        }
    }
}
