import Foundation
import Testing
import TestSupport

@testable import Endpoints

/// The media types that an endpoint accepts (RFC 9110 §12.5.1, RFC 6839).
@Suite struct AcceptedMediaTypesTests {
    private static let configuration = APIConfiguration(baseURL: URL(string: "https://api.example/")!)

    private func accept(_ types: AcceptedMediaTypes, own: HeaderFields = [:], shared: HeaderFields = [:]) throws -> [String] {
        var endpoint = Endpoint<Int>(path: "a", headerParameters: own)
        endpoint.acceptedMediaTypes = types
        var configuration = Self.configuration
        configuration.headers = shared
        return try endpoint.networkRequest(with: configuration).headers.values(for: "Accept")
    }

    @Test func `the accepted types are sent as Accept, without those that the field cannot express`() throws {
        for types in [AcceptedMediaTypes.any, .ofDecoder, AcceptedMediaTypes([])] { #expect(try accept(types) == []) }
        #expect(try accept(.json) == ["application/json"])
        #expect(try accept(["Text/HTML", "image/*", "*/*"]) == ["text/html, image/*, */*"])
        #expect(try accept(["application/*+xml"]) == [])
    }

    @Test func `an Accept of the endpoint or of the configuration is kept`() throws {
        #expect(try accept(.json, own: ["accept": "a/b"]) == ["a/b"])
        #expect(try accept(.json, shared: ["ACCEPT": "a/b"]) == ["a/b"])
    }

    @Test(arguments: [
        "", "json", "/", "a/", "/a", "a/b/c", "a/b;q=1", "a/b, c/d", "*/json", "a*/b", "a/b*", "a/*b", "a/*+", "a/*+x*", "a b/c",
        "a/b\r\nX: y", "é/a", "**/*", " a/b",
    ])
    func `a text that is not a media type is an error that names the field`(text: String) throws {
        let error = #expect(throws: RequestGenerationError.self) { try accept(["a/b", text]) }
        #expect(error?.field == .headerValue("Accept"))
        #expect(error?.description.contains("RFC 9110 §12.5.1") == true)
    }

    @Test func `more than 64 types are an error that names the limit`() throws {
        #expect(try accept(AcceptedMediaTypes((0..<64).map { "a/t\($0)" })).count == 1)
        let error = #expect(throws: RequestGenerationError.self) {
            try accept(AcceptedMediaTypes((0..<65).map { "a/t\($0)" }))
        }
        #expect(error?.reason.contains("at most 64") == true)
    }

    @Test(arguments: [
        ("application/json", true), ("APPLICATION/JSON; charset=utf-8", true), ("application/problem+json", true),
        ("application/vnd.a.b+json;version=2", true), ("application/+json", false), ("text/json", false),
        ("application/jsonp", false), ("application/json-seq", false), ("text/html", false), ("", false), ("json", false),
        ("application/json, text/html", false), ("application /json", false), ("application/json+xml", false),
    ])
    func `JSON types are application json and those with the suffix`(contentType: String, isAccepted: Bool) {
        #expect(AcceptedMediaTypes.json.contains(contentType) == isAccepted)
        #expect(AcceptedMediaTypes.any.contains(contentType) && AcceptedMediaTypes(["*/*"]).contains(contentType))
    }

    @Test func `types match as in a model that splits them`() {
        var random = SeededGenerator(seed: 7)
        func word(_ words: [String]) -> String { words.randomElement(using: &random)! }
        for _ in 0..<20_000 {
            let subtype = word(["json", "x", "x+json", "y+xml", "+json", "*"])
            let kind = word(["text", "application"])
            let types = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                word(["text", "application"]) + "/" + word(["json", "x", "*", "*+json", "*+xml", "x+json"])
            }
            let parameters = word(["", ";a=b", " ; q=0", ";"])
            let expected = types.contains { type in
                let parts = type.split(separator: "/")
                guard parts[0] == kind else { return false }
                if parts[1] == "*" || parts[1] == subtype { return true }
                return parts[1].hasPrefix("*+") && subtype.hasSuffix(parts[1].dropFirst()) && subtype.count > parts[1].count - 1
            }
            let received = (Bool.random(using: &random) ? kind.uppercased() : kind) + "/" + subtype + parameters
            #expect(AcceptedMediaTypes(types).contains(received) == expected, "\(received) in \(types)")
        }
    }

    @Test func `decoders name the media types that they support`() {
        #expect(JSONResponseDecoder.json.acceptedMediaTypes == .json)
        #expect((.keyPath("a") as JSONResponseDecoder).acceptedMediaTypes == .json)
        #expect((.text as StandardResponseDecoder).acceptedMediaTypes == ["text/*"])
        #expect((.propertyList as StandardResponseDecoder).acceptedMediaTypes.contains("application/x-plist"))
        for decoder in [StandardResponseDecoder.rawData, .empty] { #expect(decoder.acceptedMediaTypes == .any) }
    }
}
