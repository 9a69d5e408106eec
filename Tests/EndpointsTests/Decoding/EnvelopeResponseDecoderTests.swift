import Endpoints
import Foundation
import Testing

@Suite struct EnvelopeResponseDecoderTests {
    private func opened<Value: Decodable>(
        _ type: Value.Type, _ json: String, _ decoder: EnvelopeResponseDecoder = .envelope()
    ) throws -> Value {
        try decoder.decode(type, from: ResponseBody(Data(json.utf8), contentType: "application/json"))
    }

    @Test(arguments: [#""success""#, #""ok""#, "true", "200"])
    func `the usual successes open the envelope`(status: String) throws {
        #expect(try opened([Int].self, #"{"status": \#(status), "data": [1, 2]}"#) == [1, 2])
    }

    @Test(
        arguments: [
            (#""error""#, "error"), ("false", false), ("0", 0), ("500", 500), (#""200""#, "200"), (#""SUCCESS""#, "SUCCESS"),
            (#""""#, ""), ("1", 1), ("-1", -1),
        ] as [(String, EnvelopeStatus)])
    func `any other status is the server's refusal with its message`(status: String, expected: EnvelopeStatus) {
        let json = #"{"status": \#(status), "message": "no such user", "data": [1]}"#
        #expect(throws: EnvelopeError(status: expected, message: "no such user")) { try opened([Int].self, json) }
    }

    @Test(arguments: ["", #", "message": null"#, #", "message": {"text": "a"}"#, #", "message": 5"#])
    func `a refusal stands without a message that is text`(message: String) {
        #expect(throws: EnvelopeError(status: "error")) { try opened([Int].self, #"{"status": "error"\#(message)}"#) }
    }

    @Test func `members and successes are the caller's to name`() throws {
        let decoder: EnvelopeResponseDecoder = .envelope(
            status: "meta.code", message: "/meta/hints/0", data: "result.rows[0]", success: [0, "fine"])
        #expect(try opened(Int.self, #"{"meta": {"code": 0}, "result": {"rows": [7]}}"#, decoder) == 7)
        #expect(try opened(Int.self, #"{"meta": {"code": "fine"}, "result": {"rows": [7]}}"#, decoder) == 7)
        #expect(throws: EnvelopeError(status: "success", message: "why")) {
            try opened(Int.self, #"{"meta": {"code": "success", "hints": ["why"]}}"#, decoder)
        }
    }

    @Test func `with the empty path the envelope itself is the value`() throws {
        let value = try opened([String: String].self, #"{"status": "ok", "id": "7"}"#, .envelope(data: ""))
        #expect(value == ["status": "ok", "id": "7"])
    }

    @Test func `the decoder given decodes the value`() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let date = try opened(Date.self, #"{"status": true, "data": 5}"#, .envelope(decoder: decoder))
        #expect(date == Date(timeIntervalSince1970: 5))
    }

    @Test(arguments: [#"{"status": "ok", "data": null}"#, #"{"status": "ok"}"#])
    func `data that is absent or null makes nil and Empty, and nothing else`(json: String) throws {
        #expect(try opened(Int?.self, json) == nil)
        #expect(try opened(Empty.self, json) == Empty())
        #expect(throws: (any Error).self) { try opened(Int.self, json) }
        #expect(throws: (any Error).self) { try opened([Int].self, json) }
    }

    @Test func `an empty body is no envelope, but Empty takes it`() throws {
        #expect(try opened(Empty.self, "") == Empty())
        let error = #expect(throws: ResponseDecodingError.self) { try opened(Int.self, "") }
        guard case .emptyBody = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["{}", #"{"Status": "ok"}"#, "[]", "5"])
    func `a document without a status is no envelope, also where nothing is expected in it`(json: String) {
        #expect(throws: ResponseDecodingError.self) { try opened(Int.self, json) }
        #expect(throws: ResponseDecodingError.self) { try opened(Empty.self, json) }
    }

    @Test(arguments: ["null", "[]", "{}", "1.5"])
    func `a status of another shape is an error that says where`(status: String) {
        let error = #expect(throws: DecodingError.self) { try opened(Int.self, #"{"status": \#(status), "data": 1}"#) }
        #expect(error.map { "\($0)".contains("status") } == true)
    }

    @Test(arguments: [
        #"{"status": "error", "message": "a", "data": 1"#, #"{"status": "ok", "data": 1,}"#, #"{"status": "ok", "data": 1}]"#,
    ])
    func `a document that is malformed anywhere is no envelope, refusal or not`(json: String) {
        #expect(throws: ResponseDecodingError.self) { try opened(Int.self, json) }
    }

    @Test func `an error in the value carries the path from the root`() {
        let error = #expect(throws: DecodingError.self) { try opened([Int].self, #"{"status": "ok", "data": [1, "a"]}"#) }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue).first == "data")
        #expect(context.codingPath.last?.intValue == 1)
    }

    @Test func `no description of a refusal repeats the server's message`() {
        let error = EnvelopeError(status: .text(String(repeating: "s", count: 500) + "\n"), message: "token=canary")
        var dumped = ""
        dump(error, to: &dumped)
        for text in [error.description, error.debugDescription, "\(error)", dumped] {
            #expect(!text.contains("canary"))
            #expect(!text.contains("token"))
            #expect(text.count < 300)
        }
    }

    @Test func `a refusal decodes from an envelope of the usual names`() throws {
        let json = Data(#"{"status": 422, "message": "taken", "data": null}"#.utf8)
        #expect(try JSONDecoder().decode(EnvelopeError.self, from: json) == EnvelopeError(status: 422, message: "taken"))
    }
}
