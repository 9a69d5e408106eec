import DataTransfer
import Foundation
import NetworkPipeline
import NetworkSupport
import Testing
import TransferTestSupport

extension RealServerTests {
    /// Trailers of requests (RFC 9110 §6.5), as h11 reads them.
    @Suite(.timeLimit(.minutes(10))) struct TrailerTests {
        private struct Receipt: Decodable {
            var headers: [[String]]
            var trailers: [[String]]
            var body: Data
            var decoded: Data?

            func values(_ name: String, in fields: [[String]]) -> [String] {
                fields.filter { $0[0].lowercased() == name }.map { $0[1] }
            }
        }

        private func receipt(_ body: NetworkBody, _ session: any NetworkSessionManager) async throws -> Receipt {
            let request = NetworkRequest(method: .post, url: try #require(URL(string: Servers.echo + "/a")), body: body)
            return try JSONDecoder().decode(Receipt.self, from: try await session.response(for: request).data)
        }

        @Test(arguments: Engine.ours(with: .trailers), [0, 1, 70_000, 1_000_000])
        func `h11 reads the trailers of every kind of body`(
            engine: Engine, count: Int
        ) async throws {
            let content = Data.pattern(count)
            let file = try TemporaryFile(content)
            let session = engine.session()
            let bodies: [NetworkBody] = [
                .data(content), .file(file.url), .stream(Pieces(of: content, size: 7001)),
                .stream(length: Int64(count)) { Pieces(of: content, size: 7001) },
            ]
            for body in bodies {
                let sent = body.withTrailers(["X-Count", "X-Note"]) {
                    ["X-Count": "\(count)", "X-Note": "grüße; a, b", "X-Empty": ""]
                }
                let receipt = try await receipt(sent, session)
                #expect(receipt.body == content)
                #expect(receipt.values("x-count", in: receipt.trailers) == ["\(count)"])
                #expect(receipt.values("x-empty", in: receipt.trailers) == [""])
                #expect(receipt.trailers.count == 3)
                #expect(receipt.values("trailer", in: receipt.headers) == ["X-Count, X-Note"])
                #expect(receipt.values("transfer-encoding", in: receipt.headers) == ["chunked"])
                #expect(receipt.values("content-length", in: receipt.headers) == [])
            }
        }

        @Test(arguments: Engine.ours(with: .trailers))
        func `a compressed body has the digest of the compressed bytes as its trailer`(
            engine: Engine
        )
            async throws
        {
            let content = Data(String(repeating: "a line of text\n", count: 20_000).utf8)
            for body in [EndpointBody.data(content, contentType: "text/plain"), .stream(Pieces(of: content, size: 777))] {
                let service = DefaultDataTransferService(
                    configuration: try APIConfiguration(Servers.echo), sessionManager: engine.session(),
                    interceptors: [.compression()])
                var endpoint = Endpoint<Receipt>(path: "a", method: .post, body: body.withDigestTrailer())
                endpoint.compression = .gzip
                let receipt = try await service.request(endpoint)
                #expect(receipt.decoded == content && receipt.body.count < 20_000)
                let digest = Data(SHA256.digest(of: receipt.body)).base64EncodedString()
                #expect(receipt.trailers == [["content-digest", "sha-256=:\(digest):"]])
            }
        }

        @Test(arguments: Engine.ours(with: .trailers), [0, 1, 70_000, 1_000_000])
        func `h2 reads the trailers of every kind of body`(engine: Engine, count: Int) async throws {
            let content = Data.pattern(count)
            let file = try TemporaryFile(content)
            let session = engine.trusting()
            let url = try #require(URL(string: Servers.streams + "/receipt"))
            let bodies: [NetworkBody] = [
                .data(content), .file(file.url), .stream(Pieces(of: content, size: 7001)),
                .stream(length: Int64(count)) { Pieces(of: content, size: 7001) },
            ]
            for body in bodies {
                let sent = body.withTrailers(["X-Count", "X-Note"]) {
                    ["X-Count": "\(count)", "X-Note": "grüße; a, b", "X-Empty": ""]
                }
                let response = try await session.response(for: NetworkRequest(method: .post, url: url, body: sent))
                #expect(response.timings.protocolName == "h2")
                let receipt = try JSONDecoder().decode(StreamReceipt.self, from: response.data)
                #expect(receipt.digest == Data(SHA256.digest(of: content)))
                #expect(receipt.trailers.contains(["x-count", "\(count)"]) && receipt.trailers.contains(["x-empty", ""]))
                #expect(receipt.trailers.count == 3 && receipt.headers.contains(["trailer", "X-Count, X-Note"]))
            }
            let plain = NetworkRequest(method: .post, url: url, body: .data(content))
            let receipt = try JSONDecoder().decode(StreamReceipt.self, from: try await session.response(for: plain).data)
            #expect(receipt.digest == Data(SHA256.digest(of: content)) && receipt.trailers.isEmpty)
        }

        /// What h2 has read.
        private struct StreamReceipt: Decodable {
            var headers: [[String]]
            var trailers: [[String]]
            var digest: Data
        }
    }
}
