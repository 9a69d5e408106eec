import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import Testing

@testable import NetworkTransport
@testable import NetworkAuthorization

@Suite(.timeLimit(.minutes(10))) struct MessageSignatureTests {
    /// The shared secret of RFC 9421 appendix B.1.5.
    private static let key = Data(
        base64Encoded: "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==")!

    private func signed(_ request: NetworkRequest, _ signature: MessageSignature) async throws -> NetworkRequest {
        let session = StubSessionManager(returning: .status(200))
        let service = InterceptedSession(interceptors: [SigningInterceptor(signature, origins: [request.url])], session: session)
        _ = try await service.response(for: request)
        return try #require(session.requests.first)
    }

    private func request(_ url: String, body: NetworkBody? = nil) throws -> NetworkRequest {
        NetworkRequest(method: body == nil ? .get : .post, url: try #require(URL(string: url)), body: body)
    }

    /// Appendix B.2.5 has no `alg` parameter; this one has it, so only the code over its signature base is compared.
    @Test func `the code of the signature base is that of RFC 9421 appendix B`() {
        let base = """
            "date": Tue, 20 Apr 2021 02:07:55 GMT
            "@authority": example.com
            "content-type": application/json
            "@signature-params": ("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"
            """
        let code = Data(HMAC<SHA256>.code(of: base.utf8, key: Self.key)).base64EncodedString()
        #expect(code == "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=")
    }

    // RFC 9421 §2.1 to §2.2.7, and RFC 9530 appendix D for the digest.
    @Test func `each component has its canonical value`() async throws {
        var request = try request(
            "https://WWW.Example.com:443/path?param=value&b=%20#part", body: .data(Data(#"{"hello": "world"}"#.utf8)))
        request.headers["Content-Type"] = "application/json"
        request.headers.add("  one ", for: "X-List")
        request.headers.add("two", for: "X-List")
        let signature = MessageSignature(
            keyID: "key \"1\"", key: Self.key,
            components: [
                .method, .targetURI, .authority, .scheme, .requestTarget, .path, .query, .field(.contentType),
                .field(HeaderName(rawValue: "X-List")), .contentDigest,
            ], label: "my-sig", lifetime: .seconds(300), tag: "app", now: { Date(timeIntervalSince1970: 1_618_884_473.9) })
        let sent = try await signed(request, signature)
        let parameters = """
            ("@method" "@target-uri" "@authority" "@scheme" "@request-target" "@path" "@query" "content-type" "x-list" \
            "content-digest");created=1618884473;expires=1618884773;keyid="key \\"1\\"";alg="hmac-sha256";tag="app"
            """
        #expect(sent.headers["Signature-Input"] == "my-sig=" + parameters)
        #expect(sent.headers["Content-Digest"] == "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:")
        let base = """
            "@method": POST
            "@target-uri": https://www.example.com/path?param=value&b=%20
            "@authority": www.example.com
            "@scheme": https
            "@request-target": /path?param=value&b=%20
            "@path": /path
            "@query": ?param=value&b=%20
            "content-type": application/json
            "x-list": one, two
            "content-digest": sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:
            "@signature-params": \(parameters)
            """
        let code = Data(HMAC<SHA256>.code(of: base.utf8, key: Self.key)).base64EncodedString()
        #expect(sent.headers["Signature"] == "my-sig=:\(code):")
    }

    @Test func `a request without body and query has its canonical values`() async throws {
        let signature = MessageSignature(
            keyID: "k", key: Self.key, components: [.query, .path, .contentDigest], now: { Date(timeIntervalSince1970: 0) })
        let sent = try await signed(try request("http://example.com:8080"), signature)
        #expect(sent.headers["Signature-Input"] == #"sig1=("@query" "@path");created=0;keyid="k";alg="hmac-sha256""#)
        #expect(!sent.headers.contains("Content-Digest"))
    }

    @Test func `a field that the request does not have is an error before anything is sent`() async throws {
        let signature = MessageSignature(keyID: "k", key: Self.key, components: [.field(.date)])
        let error = await #expect(throws: TransportError.self) { try await signed(try request("http://example.com"), signature) }
        #expect("\(try #require(error))".contains("the signature covers Date"))
    }

    @Test(arguments: [
        (MessageSignature(keyID: "é", key: key), "keyID"), (MessageSignature(keyID: "k\n", key: key), "keyID"),
        (MessageSignature(keyID: "k", key: key, label: "Sig"), "label"),
        (MessageSignature(keyID: "k", key: key, label: ""), "label"),
        (MessageSignature(keyID: "k", key: key, lifetime: .zero), "lifetime"),
        (MessageSignature(keyID: "k", key: key, lifetime: .seconds(Int64.max)), "lifetime"),
        (MessageSignature(keyID: "k", key: key, tag: "\u{7F}"), "tag"),
        (MessageSignature(keyID: "k", key: key, components: [.method, .path, .method]), "components"),
    ])
    func `a parameter that cannot be written is an error that names it`(signature: MessageSignature, name: String) async throws {
        let error = await #expect(throws: TransportError.self) { try await signed(try request("http://example.com"), signature) }
        #expect(error?.code == .invalidConfiguration)
        #expect("\(try #require(error))".contains("MessageSignature.\(name)"))
    }

    @Test func `the digest of the caller and signatures with other labels are kept`() async throws {
        var request = try request("http://example.com", body: .stream(AsyncStream<Data> { $0.finish() }))
        request.headers["Content-Digest"] = "sha-512=:AAAA:"
        request.headers["Signature-Input"] = #"gate=("@method" "a,b");keyid="x, y", sig1=("old");keyid="z""#
        request.headers["Signature"] = "gate=:AAAA:, sig1=:BBBB:"
        let signature = MessageSignature(
            keyID: "k", key: Self.key, components: [.contentDigest], now: { Date(timeIntervalSince1970: 0) })
        let sent = try await signed(request, signature)
        #expect(sent.headers["Content-Digest"] == "sha-512=:AAAA:")
        #expect(
            sent.headers["Signature-Input"]
                == #"gate=("@method" "a,b");keyid="x, y", sig1=("content-digest");created=0;keyid="k";alg="hmac-sha256""#)
        #expect(
            sent.headers["Signature"]?.hasPrefix("gate=:AAAA:, sig1=:") == true
                && sent.headers["Signature"]?.contains("BBBB") == false)
    }

    @Test func `nonces differ`() async throws {
        let signature = MessageSignature(keyID: "k", key: Self.key, addsNonce: true)
        var inputs: Set<String?> = []
        for _ in 0..<3 {
            inputs.insert(try await signed(try request("http://example.com"), signature).headers["Signature-Input"])
        }
        #expect(inputs.count == 3)
    }
}
