import DataTransfer
import Foundation
import NetworkPipeline
import Testing
import TransferTestSupport

extension RealServerTests {
    /// Compressed request bodies (RFC 9110 §8.4), as h11 and Python's gzip module read them.
    @Suite(.timeLimit(.minutes(10))) struct RequestCodingTests {
        private struct Receipt: Decodable {
            var body: Data
            var decoded: Data?
        }

        @Test(arguments: Engine.all, [100, 5000, 2_000_000]) func `another implementation decodes compressed bodies`(
            engine: Engine, count: Int
        ) async throws {
            let content = Data(String(repeating: "a line of text\n", count: count / 15 + 1).utf8)
            let file = try TemporaryFile(content)
            let service = DefaultDataTransferService(
                configuration: try APIConfiguration(Servers.echo), sessionManager: engine.session(),
                interceptors: [.compression()])
            let bodies: [EndpointBody] = [
                .data(content, contentType: "text/plain"), .file(file.url, contentType: "text/plain"),
                .stream(Pieces(of: content, size: 777), contentType: "text/plain"),
            ]
            for body in bodies {
                var endpoint = Endpoint<Receipt>(path: "a", method: .post, body: body)
                endpoint.compression = .gzip
                let receipt = try await service.request(endpoint)
                #expect(receipt.decoded == content)
                #expect(receipt.body.count < max(count / 3, 80))
            }
        }
    }
}
