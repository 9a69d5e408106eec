import Endpoints
import Foundation
import Testing
import TestSupport

@Suite struct PrecedenceTests {
    @Test(
        .tags(.sharedValues),
        arguments: [
            // RFC 9110 §5.1: names are case-insensitive; §5.3: several lines can have the same name.
            (["X-A": "1", "B": "2"], ["x-a": "3"], ["B: 2", "x-a: 3"]),
            (["A": "1", "a": "2", "C": "3"], ["A": "4", "a": "5"], ["C: 3", "A: 4", "a: 5"]),
            (["A": "1"], [:], ["A: 1"]),
            ([:], ["A": "1"], ["A: 1"]),
            (["A": "1"], ["B": ""], ["A: 1", "B: "]),
        ] as [(HeaderFields, HeaderFields, [String])]
    )
    func `an endpoint's header replaces the configuration's headers of the same name`(
        shared: HeaderFields, own: HeaderFields, lines: [String]
    ) throws {
        let request = try Endpoint.make(headers: own).networkRequest(with: APIConfiguration.make(headers: shared))
        #expect(request.headers.map { "\($0.name): \($0.value)" } == lines)
    }

    @Test(
        .tags(.sharedValues),
        arguments: [
            (["a": 1, "b": 2], "x", ["a": 3], "b=2&a=3"),
            (["a": [1, 2], "b": 2], "x", ["a": [3]], "b=2&a=3"),
            (["a[]": 1, "b": 2], "x", ["a": 3], "b=2&a=3"),
            (["a": 1, "b": 2], "x", ["a[]": 3], "b=2&a%5B%5D=3"),
            (["f": ["x": 1]], "x", ["f[y]": 2], "f%5By%5D=2"),
            (["a": 1, "b": 2], "x?a=3", [:], "b=2&a=3"),
            (["a": 1, "b": 2], "x?a[]=3&a[]=4", [:], "b=2&a%5B%5D=3&a%5B%5D=4"),
            (["a": 1, "b": 2], "x?a%5B0%5D=3", [:], "b=2&a%5B0%5D=3"),
            (["ä": 1], "x?%C3%A4=3", [:], "%C3%A4=3"),
            (["a": 1], "x?a", [:], "a"),
            (["a": 1], "x?A=3", [:], "a=1&A=3"),
            (["ab": 1], "x?a=3", [:], "ab=1&a=3"),
            (["[a]": 1], "x", ["[b]": 2], "%5Ba%5D=1&%5Bb%5D=2"),
            // The query of the path and the items both belong to the endpoint: both are kept.
            (["a": 1], "x?a=2", ["a": 3], "a=2&a=3"),
            // A value that is `nil` replaces nothing; an empty array replaces the item.
            (["a": 1], "x", ["a": nil], "a=1"),
            (["a": 1, "b": 2], "x", ["a": [Int]()], "b=2"),
        ] as [(ParameterList, String, ParameterList, String)]
    )
    func `an endpoint's query item replaces the configuration's items of the same name`(
        shared: ParameterList, path: String, own: ParameterList, query: String
    ) throws {
        let url = try Endpoint.make(path, query: own).url(.make(query: shared))
        #expect(url == "https://api.example.com/x?" + query)
    }

    @Test func `properties of an encoded value replace the configuration's items of the same name`() throws {
        struct Page: Encodable {
            var page: Int
            var size: Int?
        }
        let configuration = try APIConfiguration.make(query: ParameterList(["page": 0, "size": 10, "key": 7] as [String: Int]))
        #expect(
            try Endpoint.make("x", query: ParameterList(Page(page: 2))).url(configuration)
                == "https://api.example.com/x?key=7&size=10&page=2")
    }

    @Test(arguments: [nil, "text/csv"], ["application/xml", nil])
    func `the body's media type is sent unless the endpoint sets Content-Type`(own: String?, shared: String?) throws {
        let configuration = try APIConfiguration.make(headers: shared.map { ["content-type": $0] } ?? [:])
        let endpoint = Endpoint.make(
            method: .post, headers: own.map { ["CONTENT-TYPE": $0] } ?? [:], body: .json(["a": 1]))
        let request = try endpoint.networkRequest(with: configuration)
        #expect(request.headers.values(for: "Content-Type") == [own ?? "application/json"])
    }

    @Test func `a body without a media type keeps the configuration's Content-Type`() throws {
        let configuration = try APIConfiguration.make(headers: ["Content-Type": "text/x"])
        let endpoint = Endpoint.make(method: .post, body: EndpointBody(contentType: nil) { Data("x".utf8) })
        #expect(try endpoint.networkRequest(with: configuration).headers["content-type"] == "text/x")
    }
}
