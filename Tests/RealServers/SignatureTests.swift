import DataTransfer
import Foundation
import NetworkAuthorization
import NetworkPipeline
import Testing
import TransferTestSupport

extension RealServerTests {
    /// Requests that are signed here are signed in the same way by botocore and by http-message-signatures, as they arrive at a server.
    @Suite(.timeLimit(.minutes(10))) struct SignatureTests {
        private static let secret = "secret of the server"
        private let keys = AWSCredentials(accessKeyID: "AKID", secretAccessKey: secret, sessionToken: "token/of+a=session")

        /// Sends a request through an interceptor, and returns the server's complaint, or an empty text.
        private func complaint(
            _ engine: Engine, _ endpoint: Endpoint<String>, _ interceptor: any NetworkInterceptor
        ) async throws -> String {
            var endpoint = endpoint
            endpoint.acceptedStatuses = .any
            let service = DefaultDataTransferService(
                configuration: try APIConfiguration(Servers.signatures), sessionManager: engine.session(),
                interceptors: [interceptor])
            let response = try await service.response(for: endpoint)
            return response.statusCode == 200 ? "" : "\(response.statusCode) \(response.value)"
        }

        /// An endpoint with a random path, query, fields and body.
        ///
        /// - Parameter hasDotSegments: Whether the path may contain `.` and `..`, which `URLSession` removes before it sends the path.
        private func endpoint(_ random: inout SeededGenerator, s3: Bool, hasDotSegments: Bool = true) -> Endpoint<String> {
            let pieces = ["a", "B", "%20", "%2F", "~", "-_.", "$&'()*+,;=:@", "%C3%A9", "%25", "!"]
            func text(_ count: Int, without: String = "") -> String {
                (0..<random.below(count)).map { _ in random.pick(pieces) }.joined().filter { !without.contains($0) }
            }
            var path = (s3 ? "/s3/" : "/other/") + text(6)
            for _ in 0..<random.below(3) {
                path += random.pick(hasDotSegments ? ["/", "//", "/./", "/x/../", "/"] : ["/", "//"]) + text(4)
            }
            if random.chance(60) {
                let items = (0..<random.below(5)).map { _ in
                    text(4, without: "&=") + random.pick(["", "=", "=" + text(4, without: "&")])
                }
                path += "?" + items.joined(separator: "&")
            }
            var endpoint = Endpoint<String>(
                path: Servers.signatures + path, isFullPath: true, method: random.pick([.get, .put, .post, .delete]),
                responseDecoder: .text)
            if random.chance(50) { endpoint.headerParameters["X-Amz-Meta-Note"] = "  two   words \t and,more " }
            if random.chance(30) { endpoint.headerParameters["Content-Language"] = "en" }
            if endpoint.method != .get, random.chance(60) {
                endpoint.body = .data(Data((0..<random.below(5000)).map { _ in UInt8(random.below(256)) }))
            }
            return endpoint
        }

        @Test(arguments: Engine.all, [false, true]) func `botocore signs random requests in the same way`(
            engine: Engine, isS3: Bool
        ) async throws {
            let api = try APIConfiguration(Servers.signatures)
            var random = SeededGenerator(seed: isS3 ? 4 : 5)
            for number in 0..<150 {
                let endpoint = endpoint(&random, s3: isS3, hasDotSegments: !isS3 || engine.isOurs)
                let signature = AWSSignature(
                    credentials: keys, region: "eu-central-1", service: isS3 ? "s3" : "execute-api",
                    payload: random.chance(20) && isS3 ? .unsigned : .signed)
                let complaint = try await complaint(engine, endpoint, .signing(signature, for: api))
                #expect(complaint == "", "request \(number)")
            }
        }

        @Test(arguments: Engine.all, [false, true]) func `botocore signs random URLs in the same way`(
            engine: Engine, isS3: Bool
        ) async throws {
            let api = try APIConfiguration(Servers.signatures)
            var random = SeededGenerator(seed: 6)
            let signature = AWSSignature(credentials: keys, region: "eu-central-1", service: isS3 ? "s3" : "execute-api")
            for number in 0..<50 {
                var endpoint = endpoint(&random, s3: isS3, hasDotSegments: !isS3 || engine.isOurs)
                endpoint.method = .get
                endpoint.headerParameters = [:]
                endpoint.body = nil
                let url = try await signature.presignedURL(for: try endpoint.networkRequest(with: api))
                let signed = Endpoint<String>(path: url.absoluteString, isFullPath: true, responseDecoder: .text)
                let complaint = try await complaint(engine, signed, .retry())
                #expect(complaint == "", "request \(number)")
            }
        }

        @Test(arguments: Engine.all) func `a signature with another secret is refused`(engine: Engine) async throws {
            let api = try APIConfiguration(Servers.signatures)
            let other = AWSSignature(
                credentials: AWSCredentials(accessKeyID: "AKID", secretAccessKey: "another secret"), region: "r", service: "s3")
            let get = Endpoint<String>(path: "s3/a", responseDecoder: .text)
            #expect(try await complaint(engine, get, .signing(other, for: api)).hasPrefix("403"))
            let message = MessageSignature(keyID: "key", key: Data("another secret".utf8))
            #expect(try await complaint(engine, get, .signing(message, for: api)).hasPrefix("403"))
        }

        @Test(arguments: Engine.all) func `http-message-signatures accepts random requests`(engine: Engine) async throws {
            let api = try APIConfiguration(Servers.signatures)
            var random = SeededGenerator(seed: 7)
            let all: [MessageSignature.Component] = [
                .method, .targetURI, .authority, .scheme, .requestTarget, .path, .query, .contentDigest,
            ]
            for number in 0..<100 {
                let endpoint = endpoint(&random, s3: false, hasDotSegments: engine.isOurs)
                var components = all.filter { _ in random.chance(60) }
                if endpoint.headerParameters.contains("Content-Language") {
                    components.append(.field(HeaderName(rawValue: "Content-Language")))
                }
                let signature = MessageSignature(
                    keyID: "key", key: Data(Self.secret.utf8), components: components,
                    lifetime: random.chance(50) ? .seconds(60) : nil,
                    tag: random.chance(50) ? "a \"tag\"" : nil, addsNonce: random.chance(50))
                let complaint = try await complaint(engine, endpoint, .signing(signature, for: api))
                #expect(complaint == "", "request \(number): \(components.count) components")
            }
        }
    }
}
