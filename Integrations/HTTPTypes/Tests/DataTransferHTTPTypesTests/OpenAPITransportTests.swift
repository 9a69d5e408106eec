import DataTransferHTTPTypes
import Foundation
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct OpenAPITransportTests {
    private static func body(_ slices: [ArraySlice<UInt8>], _ behavior: HTTPBody.IterationBehavior) -> HTTPBody {
        let length = Int64(slices.reduce(0) { $0 + $1.count })
        return HTTPBody(
            AsyncStream { continuation in
                for slice in slices { continuation.yield(slice) }
                continuation.finish()
            }, length: .known(length), iterationBehavior: behavior)
    }

    @Test func `an operation of a generated client is sent below the server's URL`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.post, "/v1/movies/{id}") { request in
                .json("\(request.pathParameters["id"] ?? "") \(request.text)", status: 201)
            }
        }
        defer { server.stop() }
        let transport: any ClientTransport = DataTransferTransport()
        let request = HTTPRequest(
            method: .post, scheme: nil, authority: nil, path: "/movies/7?dry=true", headerFields: [.contentType: "text/plain"])
        let (response, body) = try await transport.send(
            request, body: Self.body([[0x61], [0x62, 0x63]], .single), baseURL: server.url("v1"), operationID: "addMovie")
        #expect(response.status == .created)
        #expect(response.headerFields[.contentType] == "application/json")
        var received: [UInt8] = []
        for try await slice in try #require(body) { received += slice }
        #expect(String(decoding: received, as: UTF8.self) == "7 abc")
        let sent = try #require(server.requests.first)
        #expect(sent.target == "/v1/movies/7?dry=true")
        #expect(sent.headers["Content-Length"] == "3")
        #expect(sent.headers["Content-Type"] == "text/plain")
    }

    @Test func `a body that can be iterated once is not sent again after a redirect`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.post, "/old") { _ in .status(307, headers: ["Location": "/new"]) }
            LoopbackRoute(.post, "/new") { .data($0.body) }
        }
        defer { server.stop() }
        let request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/old")
        let error = await #expect(throws: TransportError.self) {
            _ = try await DataTransferTransport().send(
                request, body: Self.body([[0x61]], .single), baseURL: server.url, operationID: "")
        }
        #expect(error?.code == .bodyNotReplayable)
    }
}
