import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkTransport
@testable import NetworkAuthorization

@Suite(.timeLimit(.minutes(10))) struct AWSSignatureTests {
    /// The keys of the examples in AWS's documentation.
    private static let suite = AWSCredentials(
        accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    private static let s3 = AWSCredentials(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    /// 20150830T123600Z and 20130524T000000Z.
    private static let suiteDate = Date(timeIntervalSince1970: 1_440_938_160)
    private static let s3Date = Date(timeIntervalSince1970: 1_369_353_600)

    /// Sends a request through the interceptor, and returns it as the session manager receives it.
    private func signed(
        _ request: NetworkRequest, _ signature: AWSSignature, with others: [any NetworkInterceptor] = []
    ) async throws -> NetworkRequest {
        let session = StubSessionManager(returning: .status(200))
        let interceptors: [any NetworkInterceptor] = [SigningInterceptor(signature, origins: [request.url])] + others
        let service = InterceptedSession(interceptors: interceptors, session: session)
        _ = try await service.response(for: request)
        return try #require(session.requests.first)
    }

    private func signature(_ request: NetworkRequest) -> String {
        String(request.headers["Authorization"]?.components(separatedBy: "Signature=").last ?? "")
    }

    // The test suite of Signature Version 4, and the example of the IAM User Guide.
    @Test(arguments: [
        ("GET", "https://example.amazonaws.com/", "", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        (
            "GET", "https://example.amazonaws.com/?Param2=value2&Param1=value1", "", "",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        ),
        ("POST", "https://example.amazonaws.com/", "", "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        (
            "POST", "https://example.amazonaws.com/", "application/x-www-form-urlencoded", "Param1=value1",
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
        ),
        (
            "GET", "https://example.amazonaws.com//./example/..//", "", "",
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        ),
    ])
    func `the signature is that of the test suite`(
        method: String, url: String, contentType: String, body: String, expected: String
    ) async throws {
        var request = NetworkRequest(method: RequestMethod(method), url: try #require(URL(string: url)))
        if !contentType.isEmpty { request.headers["Content-Type"] = contentType }
        if !body.isEmpty { request.body = .data(Data(body.utf8)) }
        let signature = AWSSignature(credentials: Self.suite, region: "us-east-1", service: "service", now: { Self.suiteDate })
        #expect(self.signature(try await signed(request, signature)) == expected)
    }

    // "Signature Calculations for the Authorization Header", Amazon S3 API Reference.
    @Test(arguments: [
        (
            "GET", "https://examplebucket.s3.amazonaws.com/test.txt", ["Range": "bytes=0-9"], "",
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        ),
        (
            "PUT", "https://examplebucket.s3.amazonaws.com/test$file.text",
            ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"], "Welcome to Amazon S3.",
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        (
            "GET", "https://examplebucket.s3.amazonaws.com/?lifecycle", [:], "",
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        (
            "GET", "https://examplebucket.s3.amazonaws.com/?prefix=J&max-keys=2", [:], "",
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ])
    func `the signature is that of the examples for S3`(
        method: String, url: String, headers: [String: String], body: String, expected: String
    ) async throws {
        var request = NetworkRequest(method: RequestMethod(method), url: try #require(URL(string: url)))
        for (name, value) in headers { request.headers[name] = value }
        if !body.isEmpty { request.body = .data(Data(body.utf8)) }
        let signature = AWSSignature(credentials: Self.s3, region: "us-east-1", service: "s3", now: { Self.s3Date })
        #expect(self.signature(try await signed(request, signature)) == expected)
    }

    // "Authenticating Requests: Using Query Parameters", Amazon S3 API Reference.
    @Test func `the presigned URL is that of the example for S3`() async throws {
        let signature = AWSSignature(credentials: Self.s3, region: "us-east-1", service: "s3", now: { Self.s3Date })
        let request = NetworkRequest(url: try #require(URL(string: "https://examplebucket.s3.amazonaws.com/test.txt")))
        #expect(
            try await signature.presignedURL(for: request, validFor: .seconds(86_400)).absoluteString == """
                https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256\
                &X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z\
                &X-Amz-Expires=86400&X-Amz-SignedHeaders=host\
                &X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404
                """)
        for duration in [Duration.zero, .seconds(604_801), .milliseconds(999)] {
            await #expect(throws: TransportError.self) { try await signature.presignedURL(for: request, validFor: duration) }
        }
    }

    /// The signature covers the request as it is sent: the fields that later interceptors add, and the date of each attempt.
    @Test func `each attempt is signed after all interceptors`() async throws {
        let session = StubSessionManager()
        session.enqueue(.status(503))
        session.enqueue(.status(200))
        let times = Locked(0)
        let signature = AWSSignature(
            credentials: Self.suite, region: "r", service: "s",
            now: {
                Date(
                    timeIntervalSince1970: Double(
                        times.withLock {
                            $0 += 1; return $0
                        }) * 86_400)
            })
        struct Mark: NetworkInterceptor {
            func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
                var request = request
                request.headers["X-Mark"] = "1"
                return try await next(request)
            }
        }
        let url = try #require(URL(string: "https://api.test/a"))
        let service = InterceptedSession(
            interceptors: [
                .retry(RetryOptions(backoff: Backoff(base: .milliseconds(1))), budget: nil),
                SigningInterceptor(signature, origins: [url]), Mark(),
            ], session: session)
        _ = try await service.response(for: NetworkRequest(url: url))
        let dates = session.requests.map { $0.headers["X-Amz-Date"] }
        #expect(dates == ["19700102T000000Z", "19700103T000000Z"])
        for request in session.requests {
            #expect(request.headers["Authorization"]?.contains("SignedHeaders=host;x-amz-date;x-mark,") == true)
        }
    }

    @Test func `other origins and endpoints without authentication are not signed`() async throws {
        let signature = AWSSignature(credentials: Self.suite, region: "r", service: "s")
        let session = StubSessionManager(returning: .status(200))
        let url = try #require(URL(string: "https://api.test/a"))
        let service = InterceptedSession(interceptors: [SigningInterceptor(signature, origins: [url])], session: session)
        for text in ["http://api.test/a", "https://other.test/a", "https://api.test:444/a"] {
            _ = try await service.response(for: NetworkRequest(url: try #require(URL(string: text))))
        }
        var open = NetworkRequest(url: url)
        open.requiresAuthentication = false
        _ = try await service.response(for: open)
        #expect(session.requests.count == 4 && session.requests.allSatisfy { !$0.headers.contains("Authorization") })
    }

    @Test func `a body that can be read only once needs an unsigned payload`() async throws {
        let url = try #require(URL(string: "https://api.test/a"))
        func request() -> NetworkRequest {
            NetworkRequest(method: .put, url: url, body: .stream(AsyncStream<Data> { $0.finish() }))
        }
        let signature = AWSSignature(credentials: Self.suite, region: "r", service: "s3")
        let error = await #expect(throws: TransportError.self) { try await signed(request(), signature) }
        #expect("\(try #require(error))".contains("AWSSignature.payload"))
        let unsigned = AWSSignature(credentials: Self.suite, region: "r", service: "s3", payload: .unsigned)
        #expect(try await signed(request(), unsigned).headers["X-Amz-Content-Sha256"] == "UNSIGNED-PAYLOAD")
    }

    /// The caller's field is sent and signed, and its value is what the signature says about the body.
    @Test(arguments: ["s3", "execute-api"], [AWSSignature.Payload.signed, .unsigned])
    func `the fields of the caller are sent and signed`(service: String, payload: AWSSignature.Payload) async throws {
        let url = try #require(URL(string: "https://api.test/a"))
        let signature = AWSSignature(
            credentials: Self.suite, region: "r", service: service, payload: payload, now: { Date(timeIntervalSince1970: 0) })
        for value in ["UNSIGNED-PAYLOAD", "STREAMING-UNSIGNED-PAYLOAD-TRAILER", SHA256.digest(of: "body".utf8).hexadecimal] {
            var request = NetworkRequest(method: .put, url: url, body: .stream(AsyncStream<Data> { $0.finish() }))
            for (name, value) in [("x-amz-content-sha256", value), ("X-Amz-Meta-A", "1"), ("X-Amz-Security-Token", "own token")] {
                request.headers[name] = value
            }
            let sent = try await signed(request, signature)
            for field in request.headers { #expect(sent.headers.values(for: field.name) == [field.value], "\(field.name)") }
            let names = "host;x-amz-content-sha256;x-amz-date;x-amz-meta-a;x-amz-security-token"
            var unsigned = sent
            unsigned.headers["Authorization"] = nil
            let canonical = AWSCanonicalRequest(unsigned, payload: value, isS3: service == "s3")
            let key = AWSSigningKey(Self.suite, signature, at: Date(timeIntervalSince1970: 0))
            #expect(canonical.signedNames == names)
            #expect(
                sent.headers["Authorization"]?.hasSuffix("SignedHeaders=\(names), Signature=\(key.signature(of: canonical))")
                    == true)
        }
    }

    @Test func `credentials are requested for each attempt, and their failure is an error`() async throws {
        struct Gone: Error {}
        let url = try #require(URL(string: "https://api.test/a"))
        let failing = AWSSignature(region: "r", service: "s") { throw Gone() }
        let error = await #expect(throws: TransportError.self) { try await signed(NetworkRequest(url: url), failing) }
        #expect(error?.code == .authenticationFailed)
        let temporary = AWSSignature(region: "r", service: "s") {
            AWSCredentials(accessKeyID: "ID", secretAccessKey: "very secret", sessionToken: "token of a session")
        }
        let request = try await signed(NetworkRequest(url: url), temporary)
        #expect(request.headers["X-Amz-Security-Token"] == "token of a session")
        #expect(!"\(request)".contains("token of a session"))
    }
}
