import Endpoints
import Foundation
import Testing
import TestSupport

/// No description or error contains a secret, whichever field it is in.
@Suite struct CanaryTests {
    private static let canary = "CANARY"

    private static func values() throws -> [Any] {
        let configuration = APIConfiguration(
            baseURL: try #require(URL(string: "https://CANARY:CANARY@h.example/v1?key=CANARY#CANARY")),
            headers: ["Authorization": "CANARY", "X-Custom": "CANARY"], queryParameters: ["key": "CANARY"])
        let form = MultipartForm([.init(name: "n", fileName: "CANARY", data: Data("CANARY".utf8))])
        let endpoint = Endpoint.make(
            "x/{id}?token=CANARY#CANARY", method: .post, pathParameters: ["id": "CANARY"], headers: ["Cookie": "CANARY"],
            query: ["q": "CANARY"], body: .json(["password": "CANARY"]))
        let full = Endpoint.make("https://CANARY:CANARY@h.example/x?CANARY", isFullPath: true)
        var request = try Endpoint.make(method: .post, query: ["q": "CANARY"], body: .text("CANARY"))
            .networkRequest(with: configuration)
        request.headers.add("CANARY", for: "Set-Cookie")
        let odd = try #require(URL(string: "user:CANARY@h.example"))
        return [
            configuration, form, form.parts, endpoint, full, endpoint.as(Int.self), full.as(Int.self), request, request.headers,
            endpoint.pathParameters, endpoint.queryParameters, try #require(endpoint.body), EndpointBody.multipart(form),
            ResponseData(Data("CANARY".utf8)), ParameterList(["k": "CANARY"]), APIConfiguration(baseURL: odd),
            Endpoint.make("https://me:p/CANARY@h/x", isFullPath: true), Endpoint.make("https://me:p?CANARY@h/x"),
        ]
    }

    @Test func `no public type shows a secret`() throws {
        for value in try Self.values() {
            #expect(!everyText(of: value).contains(Self.canary), "\(type(of: value))")
        }
    }

    private struct Failing: Encodable {
        var password = "CANARY"
        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: password))
        }
    }

    private static let bad: [Endpoint<Data>] = [
        .make(headers: ["Authorization": "CANARY\r\n"]),
        .make(method: .get, body: .text("CANARY")),
        .make(method: .post, body: .json(Failing())),
        .make(method: .post, body: .form(["a": Failing()])),
        .make(method: .post, body: .text("CANARY日", encoding: .ascii)),
        .make(
            method: .post, body: .multipart(MultipartForm([.init(name: "a", data: Data("CANARY--b".utf8))], boundary: "b"))),
        .make(query: ["a": Failing()]),
        .make(query: ParameterList("CANARY")),
        .make("x/{id}", pathParameters: ["id": "CANARY\0"]),
        .make("x?token=CANARY{"), .make("x?token=CANARY%"), .make("x?token=CANARY\n"), .make("x#CANARY\n"),
        .make("x?token=CANARY", pathParameters: ["id": 1]),
        .make("https://me:CANARY@h.example/x?\n", isFullPath: true),
        .make("https://me:CANARY@h.example/{x", isFullPath: true),
        .make("https://me:CANARY@h ost/", isFullPath: true),
        .make("https://me:p/CANARY@h ost/", isFullPath: true),
        .make("https://me:p?CANARY@h ost/", isFullPath: true),
        .make("https://me:p#CANARY@h ost/", isFullPath: true),
        .make("https:/me:CANARY@h.example/", isFullPath: true),
        .make("https:me:CANARY@h.example/", isFullPath: true),
        .make("CANARY@h.example/", isFullPath: true),
        .make("CANARY:x@h.example/", isFullPath: true),
        .make("ftp://me:CANARY@h.example/", isFullPath: true),
        .make("https://CANARY:CANARY@/x", isFullPath: true),
        .make("https://CANARY:CANARY@h:99999/x?CANARY", isFullPath: true),
    ]

    @Test(arguments: bad.indices)
    func `no error shows a secret`(index: Int) throws {
        let error = try Self.bad[index].generationError()
        let text = everyText(of: error)
        #expect(!text.lowercased().contains("canary"), "\(text)")
    }

    @Test(
        arguments: [
            "CANARY@h", "https:/CANARY@h", "https://a:CANARY@h h/", "CANARY:b@h", "ftp://CANARY@h/", "https://CANARY@:1/?CANARY",
            "https://a:b/CANARY@h/",
        ]
    )
    func `no refused base URL shows a secret`(text: String) throws {
        let error = try #require(throws: RequestGenerationError.self) { try APIConfiguration(text) }
        #expect(!everyText(of: error).lowercased().contains("canary"))
    }
}
