import DataTransfer
import Foundation

/// What the layers above a session manager cost: from a typed endpoint to its value, without a network.
struct Stack {
    private let rounds: Int
    private let repetitions: Int

    init(isQuick: Bool) {
        rounds = isQuick ? 5 : 15
        repetitions = isQuick ? 10_000 : 50_000
    }

    func run() async throws {
        let configuration = try APIConfiguration("https://api.example.com/3", headers: ["Accept": "application/json"])
        let endpoint = Endpoint<Int>(path: "movie/popular", queryParameters: ["page": 1])
        let body = Data("42".utf8)
        let session = ImmediateSession(body: body)
        let service = DefaultDataTransferService(configuration: configuration, sessionManager: session)
        let request = try endpoint.networkRequest(with: configuration)
        let decoder = TransferJSONDecoder()

        let foundation = JSONDecoder()
        let document = Document.example

        var whole: [Double] = []
        var stub: [Double] = []
        var building: [Double] = []
        var decoding: [Double] = []
        var foundationDecoding: [Double] = []
        for _ in 0..<rounds {
            whole.append(try await microseconds { _ = try await service.request(endpoint) })
            stub.append(try await microseconds { _ = try await session.response(for: request) })
            building.append(try await microseconds { _ = try endpoint.networkRequest(with: configuration) })
            decoding.append(try await microseconds { _ = try decoder.decode(Int.self, from: body) })
            foundationDecoding.append(
                try await Usage.microseconds(repetitions / 10) { _ = try foundation.decode(Document.self, from: document) })
        }
        // What the layers add to the session manager.
        let overhead = zip(whole, stub).map { $0 - $1 }.median
        printFigure("stack.overhead_us", overhead, "us")
        printFigure("stack.overhead_vs_decode", overhead / foundationDecoding.median, "x")
        printFigure("stack.foundation_document_us", foundationDecoding.median, "us")
        printFigure("stack.json_decoder_us", decoding.median, "us")
        printFigure("stack.request_building_us", building.median, "us")
        printFigure("stack.stub_us", stub.median, "us")
    }

    private func microseconds(_ work: () async throws -> Void) async throws -> Double {
        try await Usage.microseconds(repetitions, of: work)
    }
}
