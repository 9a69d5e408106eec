import EndpointAPIs
import Foundation
import Testing
import TransferTestSupport

@Suite struct EnvelopeResponseDecoderTests {
    private func decoded<Value: Decodable>(
        _ type: Value.Type, _ json: String, _ decoder: StandardResponseDecoder = .envelope()
    ) throws -> Value {
        try decoder.decode(type, from: ResponseData(Data(json.utf8), contentType: "application/json"))
    }

    @Test(arguments: [#""success""#, #""ok""#, "true", "200"])
    func `a common success status returns the data of the envelope`(status: String) throws {
        #expect(try decoded([Int].self, #"{"status": \#(status), "data": [1, 2]}"#) == [1, 2])
    }

    @Test(
        .tags(.envelopes),
        arguments: [
            (#""error""#, "error"), ("false", false), ("0", 0), ("500", 500), (#""200""#, "200"), (#""SUCCESS""#, "SUCCESS"),
            (#""""#, ""), ("1", 1), ("-1", -1),
        ] as [(String, EnvelopeStatus)])
    func `any other status is an error with the server's message`(status: String, expected: EnvelopeStatus) {
        let json = #"{"status": \#(status), "message": "no such user", "data": [1]}"#
        #expect(throws: EnvelopeError(status: expected, message: "no such user")) { try decoded([Int].self, json) }
    }

    @Test(arguments: ["", #", "message": null"#, #", "message": {"text": "a"}"#, #", "message": 5"#])
    func `an error status without a text message is an error without a message`(message: String) {
        #expect(throws: EnvelopeError(status: "error")) { try decoded([Int].self, #"{"status": "error"\#(message)}"#) }
    }

    @Test func `the member names and the success statuses can be configured`() throws {
        let decoder: StandardResponseDecoder = .envelope(
            status: "meta.code", message: "/meta/hints/0", data: "result.rows[0]", success: [0, "fine"])
        #expect(try decoded(Int.self, #"{"meta": {"code": 0}, "result": {"rows": [7]}}"#, decoder) == 7)
        #expect(try decoded(Int.self, #"{"meta": {"code": "fine"}, "result": {"rows": [7]}}"#, decoder) == 7)
        #expect(throws: EnvelopeError(status: "success", message: "why")) {
            try decoded(Int.self, #"{"meta": {"code": "success", "hints": ["why"]}}"#, decoder)
        }
    }

    @Test func `an empty data path decodes the envelope itself`() throws {
        let value = try decoded([String: String].self, #"{"status": "ok", "id": "7"}"#, .envelope(data: ""))
        #expect(value == ["status": "ok", "id": "7"])
    }

    @Test func `a custom decoder decodes the value`() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let date = try decoded(Date.self, #"{"status": true, "data": 5}"#, .envelope(decoder: decoder))
        #expect(date == Date(timeIntervalSince1970: 5))
    }

    @Test(arguments: [#"{"status": "ok", "data": null}"#, #"{"status": "ok"}"#])
    func `missing or null data decodes only as nil or NoContent`(json: String) throws {
        #expect(try decoded(Int?.self, json) == nil)
        #expect(try decoded(NoContent.self, json) == NoContent())
        #expect(throws: (any Error).self) { try decoded(Int.self, json) }
        #expect(throws: (any Error).self) { try decoded([Int].self, json) }
    }

    @Test func `an empty body decodes as NoContent and is otherwise an error`() throws {
        #expect(try decoded(NoContent.self, "") == NoContent())
        let error = #expect(throws: ResponseDecodingError.self) { try decoded(Int.self, "") }
        guard case .emptyBody = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["{}", #"{"Status": "ok"}"#, "[]", "5"])
    func `a document without a status is an error, even if no value is expected`(json: String) {
        #expect(throws: ResponseDecodingError.self) { try decoded(Int.self, json) }
        #expect(throws: ResponseDecodingError.self) { try decoded(NoContent.self, json) }
    }

    @Test(arguments: ["null", "[]", "{}", "1.5"])
    func `a status of an unsupported type is an error that names the status`(status: String) {
        let error = #expect(throws: DecodingError.self) { try decoded(Int.self, #"{"status": \#(status), "data": 1}"#) }
        #expect(error.map { "\($0)".contains("status") } == true)
    }

    @Test(arguments: [
        #"{"status": "error", "message": "a", "data": 1"#, #"{"status": "ok", "data": 1,}"#, #"{"status": "ok", "data": 1}]"#,
    ])
    func `a malformed document is a decoding error, even if its status is an error`(json: String) {
        #expect(throws: ResponseDecodingError.self) { try decoded(Int.self, json) }
    }

    @Test func `a decoding error contains the coding path from the root of the document`() {
        let error = #expect(throws: DecodingError.self) { try decoded([Int].self, #"{"status": "ok", "data": [1, "a"]}"#) }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue).first == "data")
        #expect(context.codingPath.last?.intValue == 1)
    }

    @Test func `no description of an envelope error contains the server's message`() {
        let error = EnvelopeError(status: .text(String(repeating: "s", count: 500) + "\n"), message: "token=canary")
        var dumped = ""
        dump(error, to: &dumped)
        for text in [error.description, error.debugDescription, "\(error)", dumped] {
            #expect(!text.contains("canary"))
            #expect(!text.contains("token"))
            #expect(text.count < 300)
        }
    }

    @Test func `an envelope error can be decoded from a document with the default member names`() throws {
        let json = Data(#"{"status": 422, "message": "taken", "data": null}"#.utf8)
        #expect(try JSONDecoder().decode(EnvelopeError.self, from: json) == EnvelopeError(status: 422, message: "taken"))
    }

    @Test func `the media type of an envelope is JSON`() {
        #expect((.envelope() as StandardResponseDecoder).acceptedMediaTypes == .json)
    }

    @Test func `an envelope in JSON5 is decoded`() throws {
        let foundation = JSONDecoder()
        foundation.allowsJSON5 = true
        for decoder in [foundation, TransferJSONDecoder(foundation)] as [any JSONDataDecoder] {
            let valid = ResponseData(Data("{status:'ok',data:[1,0x10,],/**/}".utf8))
            #expect(try StandardResponseDecoder.envelope(decoder: decoder).decode([Int].self, from: valid) == [1, 16])
        }
    }
}
