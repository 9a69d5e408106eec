import Endpoints
import Foundation
import Testing
import TestSupport

@Suite struct PathParametersTests {
    @Test(
        arguments: [
            ("users/{id}", ["id": "42"], "users/42"),
            ("{a}/{b}", ["a": "1", "b": "2"], "1/2"),
            ("{a}{a}-{a}", ["a": "x"], "xx-x"),
            ("users/{id}", ["id": "a/../b?x"], "users/a%2F..%2Fb%3Fx"),
            ("users/{id}", ["id": "a#b%41;c:d@e&f=g+h i"], "users/a%23b%2541%3Bc%3Ad%40e%26f%3Dg%2Bh%20i"),
            ("users/{id}", ["id": "%2e%2e"], "users/%252e%252e"),
            ("users/{id}", ["id": "..."], "users/..."),
            ("users/{id}", ["id": "{id}"], "users/%7Bid%7D"),
            ("users/{id}", ["id": "\r\n"], "users/%0D%0A"),
            ("{größe}/x", ["größe": "日本"], "%E6%97%A5%E6%9C%AC/x"),
            // A brace is a separate byte even if a combining character follows it.
            ("{id}\u{301}/x", ["id": "1"], "1%CC%81/x"),
            ("search?q={q}", ["q": "a&b"], "search?q=a%26b"),
            ("%7Bid%7D", [:], "%7Bid%7D"),
        ] as [(String, [String: String], String)]
    )
    func `a value is encoded as one path segment`(template: String, values: [String: String], path: String) throws {
        let endpoint = Endpoint.make(template, pathParameters: PathParameters(values))
        #expect(try endpoint.url() == "https://api.example.com/" + path)
    }

    @Test func `a literal accepts any value with a description`() throws {
        let endpoint = Endpoint.make("{a}/{b}/{c}", pathParameters: ["a": 1, "b": true, "c": "x" as Substring])
        #expect(try endpoint.url() == "https://api.example.com/1/true/x")
    }

    @Test(arguments: ["", ".", "..", "a\0b"])
    func `a value that would not remain a segment is an error`(value: String) throws {
        let error = try Endpoint.make("users/{id}/x", pathParameters: ["id": value]).generationError()
        #expect(error.field == .pathParameter("id"))
    }

    @Test(
        arguments: [
            ("users/{id}", [:], "id"), ("users/{id}", ["ID": "1"], "id"), ("users", ["id": "1"], "id"),
            ("users/{}", [:], ""), ("users/{a}", ["a": "1", "b": "2"], "b"),
        ] as [(String, [String: String], String)]
    )
    func `a name without a value and a value without a name are errors`(
        template: String, values: [String: String], name: String
    ) throws {
        let error = try Endpoint.make(template, pathParameters: PathParameters(values)).generationError()
        #expect(error.field == .pathParameter(name))
        // A name that is misspelled is shown.
        if template.contains("{id}") { #expect(values.keys.allSatisfy { error.reason.contains("\"\($0)\"") }) }
    }

    @Test(arguments: ["users/{id", "users/id}", "{{id}}", "{id}}", "}{", "{", "a?b={"])
    func `unbalanced braces are an error`(template: String) throws {
        let error = try Endpoint.make(template, pathParameters: ["id": 1]).generationError()
        #expect(error.field == .path)
    }
}
