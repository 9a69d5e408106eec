import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

/// What can be asked about an error whose type is not known, and results whose type is not lost.
@Suite struct AnyErrorTests {
    private struct Other: Error {}
    private let session = StubSessionManager()

    /// The properties of an error that are true, after its status.
    private func facts(_ error: any Error) -> String {
        let flags: [(String, Bool)] = [
            ("cancelled", error.isCancelled), ("timeout", error.isTimeout), ("connectivity", error.isConnectivity),
            ("retryable", error.isRetryable),
        ]
        return ([error.statusCode.map(String.init)] + flags.map { $1 ? $0 : nil }).compactMap(\.self).joined(separator: " ")
    }

    @Test func `an error of any layer has the same properties without its type`() throws {
        let response = NetworkResponse(statusCode: 503, url: URL(string: "https://a.example")!)
        let timeout = TransportError(.timedOut, "", phase: .connect)
        let file = URL(fileURLWithPath: "/a")
        let rows: [(any Error, String)] = [
            (DataTransferError.networkFailure(.status(response)), "503 retryable"),
            (NetworkError.status(response), "503 retryable"),
            (DataTransferError.resolvedNetworkFailure(Other(), cause: .status(response)), "503 retryable"),
            (timeout, "timeout connectivity retryable"), (NetworkError.timedOut(timeout), "timeout connectivity retryable"),
            (TransportError(.cancelled, ""), "cancelled"), (CancellationError(), "cancelled"),
            (TransportError(.connectionLost, ""), "connectivity retryable"), (RequestGenerationError(.path, "a"), ""),
            (FileFailure(.busy, "a", url: file), "retryable"),
            (DataTransferError.file(FileFailure(.busy, "a", url: file)), "retryable"),
            (Other(), ""), (URLError(.timedOut), ""),
        ]
        for (error, expected) in rows {
            #expect(facts(error) == expected, "\(error)")
            #expect((error.dataTransferError == nil) == (error is Other || error is URLError))
            let known = error.dataTransferError
            // The properties of the type itself have the same values.
            if let known {
                #expect(
                    known.statusCode == error.statusCode && known.isCancelled == error.isCancelled
                        && known.isTimeout == error.isTimeout)
                #expect(known.isConnectivity == error.isConnectivity && known.isRetryable == error.isRetryable)
            }
        }
    }

    @Test func `the error of the application is found in the cause of failed authentication`() {
        let refused = DataTransferError.resolvedNetworkFailure(
            Other(), cause: .status(NetworkResponse(statusCode: 401, url: URL(string: "https://a.example")!)))
        func nested(_ cause: any Error, _ code: TransportError.Code = .authenticationFailed, levels: Int = 1) -> DataTransferError
        {
            let inner: any Error = levels > 1 ? nested(cause, code, levels: levels - 1) : cause
            return .networkFailure(NetworkError(TransportError(code, "", underlying: inner)))
        }
        let rows: [(DataTransferError, Bool)] = [
            (refused, true), (nested(refused), true), (nested(Other()), true), (nested(refused, levels: 3), true),
            (
                .resolvedNetworkFailure(
                    URLError(.badURL), cause: NetworkError(TransportError(.authenticationFailed, "", underlying: refused))), true
            ),
            (nested(refused, levels: 100), false), (nested(refused, .connectionLost), false), (nested(URLError(.badURL)), false),
        ]
        for (error, isFound) in rows {
            #expect((error.resolved(as: Other.self) != nil) == isFound, "\(error)")
            #expect(((error as any Error).resolved(as: Other.self) != nil) == isFound, "\(error)")
        }
    }

    @Test func `a result has the value or the typed error, and a whole URL is requested in one line`() async throws {
        session.route { request in
            request.url.path == "/3/missing"
                ? .status(404) : .json(#"{"id": 7, "title": "\#(request.headers["Authorization"] ?? "none")"}"#)
        }
        let api = try APIConfiguration("https://api.example/3", headers: ["Authorization": "t"])
        let service = DefaultDataTransferService(configuration: api, sessionManager: session)
        let endpoint = Endpoint<Movie>(path: "movie/7")
        #expect(try await service.result(for: endpoint).get() == Movie(id: 7, title: "t"))
        #expect(try await service.result(for: RequestDescription.get("movie/7").as(Movie.self)).get().id == 7)
        let missing = await service.result(for: Endpoint<Movie>(path: "missing"))
        #expect(throws: DataTransferError.self) { try missing.get() }
        let task = Task { try await service.request(Endpoint<Movie>(path: "missing")) }
        await #expect { try await task.value } throws: { $0.statusCode == .notFound }
        for (url, title) in [("https://api.example/3/movie/7", "t"), ("https://other.example/3/movie/7", "none")] {
            let url = try #require(URL(string: url))
            #expect(try await service.request(url, as: Movie.self).title == title)
            #expect(try await service.request(url, as: String.self, decoder: .keyPath("title")) == title)
            #expect(try await DefaultDataTransferService(sessionManager: session).request(url.as(Movie.self)).title == "none")
        }
        for try await line in try await service.stream(URL(string: "https://other.example/x")!, as: .lines()) {
            #expect(line.contains("none"))
        }
        guard case .failure(.parsing(let failure)) = await service.result(for: Endpoint<[Int]>(path: "movie/7")) else {
            Issue.record("an object is no array")
            return
        }
        #expect((failure as any Error).statusCode == .ok && failure.dataTransferError != nil)
        let failed = await DefaultDataTransferService(sessionManager: session).result(for: endpoint)
        #expect(throws: DataTransferError.self) { try failed.get() }
    }
}
