import Endpoints
import Foundation
import Testing
import TestSupport

@Suite struct EndpointBodyTests {
    private struct Movie: Codable {
        var id = 1
        var title: String?
        var isSeen = true
        var price = Decimal(string: "0.1")
        var released = Date(timeIntervalSinceReferenceDate: 0)
        var link = URL(string: "https://h/a")
    }

    @Test(
        .tags(.bodies),
        arguments: [
            (.json(Movie()), #"{"id":1,"isSeen":true,"link":"https://h/a","price":0.1,"released":"2001-01-01T00:00:00Z"}"#),
            (.json([1, 2]), "[1,2]"),
            (.json([Movie?.none]), "[null]"),
            (.json("text"), #""text""#),
            (.json(true), "true"),
            (.json(["b": 1, "a": true, "c": ["x": [1]], "d": nil]), #"{"a":true,"b":1,"c":{"x":[1]}}"#),
            // In a literal, `nil` removes a member even if all values have the same type. In a dictionary it is encoded as null.
            (.json(["b": 1, "a": nil]), #"{"b":1}"#),
            (.json(["b": 1, "a": nil] as [String: Int?]), #"{"a":null,"b":1}"#),
            (.json([:]), "{}"),
            (
                .json(["a": ["b": nil, "c": Date(timeIntervalSinceReferenceDate: 1)] as ParameterList]),
                #"{"a":{"c":"2001-01-01T00:00:01Z"}}"#
            ),
            (
                .json(ParameterList(Movie(id: 2, price: nil))),
                #"{"id":2,"isSeen":true,"link":"https://h/a","released":"2001-01-01T00:00:00Z"}"#
            ),
        ] as [(EndpointBody, String)]
    )
    func `any Encodable value can be a JSON body`(body: EndpointBody, text: String) throws {
        #expect(String(decoding: try body.encoded(), as: UTF8.self) == text)
        #expect(body.contentType == "application/json")
    }

    @Test func `a custom encoder is used`() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        let date = Date(timeIntervalSince1970: 5)
        #expect(try EndpointBody.json([date], encoder: encoder).encoded() == Data("[5]".utf8))
        #expect(try EndpointBody.json(["a": date, "b": "x"], encoder: encoder).encoded().count == 15)

        struct Shouting: DataEncoder {
            func encode<Value: Encodable>(_ value: Value) throws -> Data { Data("\(value)!".utf8) }
        }
        let body = EndpointBody.encoded("hey", by: Shouting(), contentType: "text/loud")
        #expect(try body.encoded() == Data("hey!".utf8))
        let list = EndpointBody.encoded([1], by: PropertyListEncoder(), contentType: "application/x-plist")
        #expect(try PropertyListDecoder().decode([Int].self, from: list.encoded()) == [1])
    }

    @Test(
        arguments: [
            // WHATWG URL §5.2 and §1.3
            (["a": "b c", "d+e": "1+1=2&x"], "a=b+c&d%2Be=1%2B1%3D2%26x"),
            (["a": "*-._~'()"], "a=*-._%7E%27%28%29"),
            (["a": "größe", "b": "x\r\ny"], "a=gr%C3%B6%C3%9Fe&b=x%0D%0Ay"),
            (["z": 1, "a": 2], "z=1&a=2"),
            (["z": 1, "a": nil], "z=1"),
            (["t": [1, 2], "f": ["y": true] as ParameterList], "t=1&t=2&f%5By%5D=true"),
            ([:], ""),
        ] as [(ParameterList, String)]
    )
    func `a form is encoded as browsers encode it`(parameters: ParameterList, text: String) throws {
        let body = EndpointBody.form(parameters)
        #expect(String(decoding: try body.encoded(), as: UTF8.self) == text)
        #expect(body.contentType == "application/x-www-form-urlencoded")
    }

    @Test func `a form keeps all items of a literal in their order`() throws {
        #expect(try EndpointBody.form(["z": "1", "a": "2"]).encoded() == Data("z=1&a=2".utf8))
        #expect(try EndpointBody.form(["z": "1", "a": "2"] as [String: String]).encoded() == Data("a=2&z=1".utf8))
        let text = String(String.UnicodeScalarView((1..<0x250).compactMap(Unicode.Scalar.init)))
        let form = String(decoding: try EndpointBody.form(["a": text]).encoded(), as: UTF8.self)
        #expect(form.dropFirst(2).replacing("+", with: "%20").removingPercentEncoding == text)
    }

    @Test(
        arguments: [
            (.utf8, "é日", "utf-8", [0xC3, 0xA9, 0xE6, 0x97, 0xA5]), (.isoLatin1, "é", "iso-8859-1", [0xE9]),
            (.ascii, "e", "us-ascii", [0x65]), (.utf16, "é", "utf-16", [0xFF, 0xFE, 0xE9, 0]),
        ] as [(String.Encoding, String, String, [UInt8])]
    )
    func `text is encoded in the chosen encoding`(encoding: String.Encoding, text: String, name: String, bytes: [UInt8]) throws {
        let body = EndpointBody.text(text, encoding: encoding, contentType: "text/csv")
        #expect(try body.encoded() == Data(bytes))
        #expect(body.contentType == "text/csv; charset=\(name)")
        #expect(EndpointBody.text(text, encoding: encoding).contentType == "text/plain; charset=\(name)")
    }

    @Test(.tags(.bodies), arguments: [String.Encoding.ascii, .isoLatin1, .windowsCP1252], ["日", "a\u{1F600}"])
    func `a character that the encoding cannot represent is an error`(encoding: String.Encoding, text: String) throws {
        let body = EndpointBody.text(text, encoding: encoding)
        #expect(try Endpoint.make(method: .post, body: body).generationError().field == .body)
    }

    @Test func `an encoding that no charset names is an error`() throws {
        let body = EndpointBody.text("a", encoding: .nextstep)
        #expect(try Endpoint.make(method: .post, body: body).generationError().field == .body)
    }

    @Test(.tags(.bodies)) func `bytes are sent unchanged`() throws {
        #expect(try EndpointBody.data(Data([0, 255])).encoded() == Data([0, 255]))
        #expect(EndpointBody.data(Data()).contentType == "application/octet-stream")
        #expect(EndpointBody.data(Data(), contentType: "image/png").contentType == "image/png")
    }

    @Test func `a body that cannot be encoded is an error that contains the encoder's error`() throws {
        let bad: [EndpointBody] = [
            .json(["secret": Double.nan]), .json([1, .infinity]), .form(["x": Double.nan]), .form([1, 2]),
            .encoded(Double.nan, by: .json, contentType: "x/y"),
        ]
        for body in bad {
            let error = try Endpoint.make(method: .post, body: body).generationError()
            #expect(error.field == .body)
            #expect(error.underlying is EncodingError || error.reason.contains("names"))
        }
    }
}
