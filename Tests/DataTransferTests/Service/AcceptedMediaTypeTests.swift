import DataTransfer
import Foundation
import NetworkTesting
import TransferTestSupport
import Testing

/// What is sent as `Accept`, and which responses are refused because of their media type.
@Suite struct AcceptedMediaTypeTests {
    private let session = StubSessionManager()
    private let html = "<html><body>Sign in to the network, token=abcdef1234567890</body></html>"

    private func service() throws -> DefaultDataTransferService {
        DefaultDataTransferService(configuration: try APIConfiguration("http://api.example"), sessionManager: session)
    }

    private func endpoint<Response: Decodable & Sendable>(
        _ types: AcceptedMediaTypes, _ type: Response.Type, decoder: any ResponseDecoder = .json
    ) -> Endpoint<Response> {
        var endpoint = Endpoint<Response>(path: "a", responseDecoder: decoder)
        endpoint.acceptedMediaTypes = types
        return endpoint
    }

    private func endpoint(_ types: AcceptedMediaTypes, decoder: any ResponseDecoder = .json) -> Endpoint<[Int]> {
        endpoint(types, [Int].self, decoder: decoder)
    }

    private var accept: String? { session.requests.last?.headers["Accept"] }

    private func refusal<Value>(_ call: () async throws -> Value) async -> ParsingFailure? {
        do {
            _ = try await call()
        } catch DataTransferError.parsing(let failure) {
            return failure
        } catch {
            Issue.record(error)
        }
        return nil
    }

    @Test func `by default nothing is sent or checked`() async throws {
        session.route { _ in .data(Data("[1]".utf8), contentType: "text/html") }
        #expect(try await service().request(Endpoint<[Int]>(path: "a")) == [1])
        #expect(accept == nil)
    }

    @Test func `the types of the decoder are sent, and a response of one of them is decoded`() async throws {
        for type in [
            "application/json", "Application/JSON; charset=utf-8", "application/vnd.api+json", "application/problem+json",
        ] {
            session.enqueue(.data(Data("[1]".utf8), contentType: type))
            #expect(try await service().request(endpoint(.ofDecoder)) == [1])
            #expect(accept == "application/json")
        }
        session.enqueue(.data(Data("a".utf8), contentType: "text/csv"))
        #expect(try await service().request(endpoint(.ofDecoder, String.self, decoder: .text)) == "a")
        #expect(accept == "text/*")
        session.enqueue(.data(Data("a".utf8), contentType: "image/png"))
        #expect(try await service().request(endpoint(.ofDecoder, Data.self, decoder: .rawData)) == Data("a".utf8))
        #expect(accept == nil)
    }

    @Test func `a response of another type is an error that names both, with a redacted beginning of the body`() async throws {
        session.route { [html] _ in .data(Data(html.utf8), contentType: "text/html; charset=utf-8") }
        let service = try service()
        let lists: [AcceptedMediaTypes] = [.ofDecoder, .json, ["application/json", "application/*+json"]]
        for types in lists {
            let endpoint = self.endpoint(types)
            let failure = try #require(await refusal { try await service.request(endpoint) })
            #expect(failure.hasUnacceptedMediaType && failure.contentType == "text/html; charset=utf-8")
            #expect(failure.reason.contains("text/html") && failure.reason.contains("application/json, application/*+json"))
            #expect("\(failure)".contains("Sign in to the network") && !"\(failure)".contains("abcdef1234567890"))
            let completed: Result<[Int], DataTransferError> = await withCheckedContinuation { done in
                _ = service.request(endpoint) { result in done.resume(returning: result) }
            }
            guard case .failure(.parsing(let other)) = completed else {
                Issue.record("\(completed)")
                return
            }
            #expect(other.hasUnacceptedMediaType)
        }
        let decoding = try #require(await refusal { try await service.request(Endpoint<[Int]>(path: "a")) })
        #expect(!decoding.hasUnacceptedMediaType)
    }

    @Test func `the types are checked in streams and downloads as soon as the head was received`() async throws {
        session.route { [html] _ in .data(Data(html.utf8), contentType: "text/html") }
        let service = try service()
        let endpoint = self.endpoint(.json)
        let ofDecoder = self.endpoint(.ofDecoder)
        let lines = await refusal { try await service.stream(endpoint, as: .lines()) }
        #expect(lines?.hasUnacceptedMediaType == true && accept == "application/json")
        #expect(await refusal { try await service.stream(for: endpoint) }?.hasUnacceptedMediaType == true)
        #expect(await refusal { try await service.download(ofDecoder) }?.hasUnacceptedMediaType == true)
        #expect(accept == "application/json")
        var bytes = Data()
        for try await chunk in try await service.stream(for: ofDecoder) { bytes.append(chunk) }
        #expect(bytes == Data(html.utf8) && accept == nil)
    }

    @Test func `a response without a media type or without a body is accepted`() async throws {
        session.enqueue(StubResponse(body: Data("[1]".utf8)))
        #expect(try await service().request(endpoint(.ofDecoder)) == [1])
        session.enqueue(StubResponse(headers: ["Content-Type": " "], body: Data("[1]".utf8)))
        #expect(try await service().request(endpoint(.ofDecoder)) == [1])
        session.enqueue(StubResponse(status: 204, headers: ["Content-Type": "text/html"]))
        #expect(try await service().request(endpoint(.ofDecoder, [Int]?.self)) == nil)
    }

    @Test func `a status that is not accepted is a status error, whatever its media type`() async throws {
        session.enqueue(.data(Data(html.utf8), contentType: "text/html", status: 502))
        let error = await #expect(throws: DataTransferError.self) { try await service().request(endpoint(.ofDecoder)) }
        #expect(error?.statusCode == 502 && error?.networkError != nil)
    }

    @Test func `a custom decoder can name its types`() async throws {
        struct CSVDecoder: ResponseDecoder {
            var acceptedMediaTypes: AcceptedMediaTypes { ["text/csv", "application/*+csv"] }
            func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
                try JSONDecoder().decode(type, from: Data("[7]".utf8))
            }
        }
        session.enqueue(.data(Data("7".utf8), contentType: "application/x+csv"))
        #expect(try await service().request(endpoint(.ofDecoder, decoder: CSVDecoder())) == [7])
        #expect(accept == "text/csv")
    }
}
