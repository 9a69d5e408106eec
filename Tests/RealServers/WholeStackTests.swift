import DataTransfer
import Foundation
import Testing
import TransferTestSupport

extension RealServerTests {
    /// Requests from an endpoint to its decoded value.
    struct WholeStackTests {
        @Test(
            arguments: Engine.all,
            ["slideshow.slides[0].title", "/slideshow/slides/0/title"])
        func `a value is decoded at a key path`(engine: Engine, keyPath: String) async throws {
            let title = try await engine.service().request(Endpoint<String>(path: "json", keyPath: JSONKeyPath(keyPath)))
            #expect(title == "Wake up to WonderWidgets!")
        }

        @Test(arguments: Engine.all) func `a response contains the value, status, headers and timings`(engine: Engine)
            async throws
        {
            struct Slide: Decodable, Sendable {
                var title: String
                var items: [String]?
            }
            let response = try await engine.service().response(
                for: Endpoint<[Slide]>(path: "json", keyPath: "slideshow.slides"))
            #expect(response.value.map(\.title) == ["Wake up to WonderWidgets!", "Overview"])
            #expect(response.value[1].items?.count == 2)
            #expect(response.statusCode == 200)
            #expect(response.headers["content-type"] == "application/json")
            #expect(response.url.absoluteString == "\(Servers.httpbin)/json")
            #expect(response.timings.total > .zero)
        }

        @Test(arguments: Engine.all) func `shared headers are sent unless the endpoint replaces them`(engine: Engine) async throws
        {
            let service = try engine.service(headers: ["X-Shared": "shared", "X-Replaced": "shared"])
            let headers = try await service.request(
                Endpoint<[String: String]>(
                    path: "anything/{id}", pathParameters: ["id": "a/../b?x"], headerParameters: ["x-replaced": "own"],
                    keyPath: "headers"))
            #expect(headers["X-Shared"] == "shared")
            #expect(headers["X-Replaced"] == "own")
        }

        @Test(arguments: Engine.all) func `a path parameter is encoded as one path segment`(engine: Engine) async throws {
            let echo = try await engine.service().request(
                Endpoint<Echo>(path: "anything/{id}", pathParameters: ["id": "a/../b?x"]))
            #expect(echo.args.isEmpty)
            #expect(echo.url.contains("/anything/"))
        }

        @Test(arguments: Engine.all) func `a 204 is a response without a value, and an error if a value is expected`(
            engine: Engine
        ) async throws {
            let service = try engine.service()
            try await service.request(Endpoint<Void>(path: "status/204", method: .delete))
            let error = await #expect(throws: DataTransferError.self) {
                _ = try await service.request(Endpoint<Echo>(path: "status/204"))
            }
            guard case .noResponse = error else { return #expect(Bool(false), "\(String(describing: error))") }
        }

        @Test(arguments: Engine.all, [400, 401, 403, 404, 409, 422, 429, 500, 503])
        func `an error status is thrown as an error with that status`(engine: Engine, status: Int) async throws {
            let service = try engine.service()
            let error = await #expect(throws: DataTransferError.self) {
                _ = try await service.request(Endpoint<Echo>(path: "status/\(status)"))
            }
            #expect(error?.statusCode == status)
            guard case .networkFailure(.status) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        }

        @Test(arguments: Engine.all) func `an accepted status is not an error`(engine: Engine) async throws {
            let text = try await engine.service().request(
                Endpoint<String>(path: "status/418", acceptedStatuses: [418], responseDecoder: .text))
            #expect(text.contains("teapot"))
        }

        @Test(arguments: Engine.all) func `an error body that cannot be decoded is not resolved to the caller's error`(
            engine: Engine
        ) async throws {
            struct Refusal: Error, Decodable { var authenticated: Bool }
            struct Body: Decodable, Sendable { var authenticated: Bool }
            let service = try engine.service(errorResolver: ErrorBodyResolver<Refusal>())
            let error = await #expect(throws: DataTransferError.self) {
                _ = try await service.request(Endpoint<Body>(path: "status/402"))
            }
            // The body of httpbin's 402 is not JSON, so the error is not resolved.
            #expect(error?.resolved(as: Refusal.self) == nil)
            #expect(error?.statusCode == 402)
        }

        @Test(arguments: Engine.all, ["html", "xml", "robots.txt"])
        func `a body that is not JSON is a parsing error`(engine: Engine, path: String) async throws {
            let service = try engine.service()
            let error = await #expect(throws: DataTransferError.self) {
                _ = try await service.request(Endpoint<Echo>(path: path))
            }
            guard case .parsing(let failure) = error else { return #expect(Bool(false), "\(String(describing: error))") }
            #expect(failure.statusCode == 200)
        }

        @Test(.tags(.decoders), arguments: Engine.all, ["image/png", "image/jpeg"])
        func `raw data is returned unchanged`(engine: Engine, path: String) async throws {
            let data = try await engine.service().request(Endpoint<Data>(path: path, responseDecoder: .rawData))
            #expect(data.count > 1000)
            #expect(data.first == (path == "image/png" ? 0x89 : 0xFF))
        }

        @Test(arguments: Engine.all) func `a completion handler receives the decoded value`(engine: Engine) async throws {
            let service = try engine.service()
            let result = await withCheckedContinuation { continuation in
                service.request(Endpoint<Echo>(path: "anything")) { continuation.resume(returning: $0) }
            }
            #expect(try result.get().method == "GET")
        }

        @Test(arguments: Engine.all) func `a cancelled request throws a cancellation error`(engine: Engine) async throws {
            let service = try engine.service()
            let request = Task { try await service.request(Endpoint<Echo>(path: "delay/10")) }
            request.cancel()
            let error = await #expect(throws: DataTransferError.self) { _ = try await request.value }
            #expect(error?.isCancelled == true)
        }
    }
}
