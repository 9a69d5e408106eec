import EndpointAPIs
import Endpoints
import Foundation
import NetworkCore
import Testing

@testable import NetworkCache

struct CacheKeyTests {
    @Test(arguments: [
        ("https://api.example.com/a?b=c", "https://api.example.com/a?b=c"),
        ("HTTPS://API.Example.com/A?B=C", "https://api.example.com/A?B=C"),
        ("https://api.example.com", "https://api.example.com/"),
        ("https://api.example.com?x", "https://api.example.com/?x"),
        ("https://api.example.com:443/a", "https://api.example.com/a"),
        ("http://api.example.com:80/a", "http://api.example.com/a"),
        ("http://api.example.com:/a", "http://api.example.com/a"),
        ("http://api.example.com:443/a", "http://api.example.com:443/a"),
        ("http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a"),
        ("https://user:pass@api.example.com/a", "https://api.example.com/a"),
        ("https://api.example.com/a#part", "https://api.example.com/a"),
        ("https://api.example.com/%7euser/%2f%c3%A4", "https://api.example.com/~user/%2F%C3%A4"),
        ("http://[::1]:80/a", "http://[::1]/a"),
    ])
    func `equivalent URLs have the same key (RFC 9110 §4.2.3)`(text: String, normal: String) throws {
        let key = CacheKey(url: try #require(URL(string: text)))
        #expect(key.url == normal)
        #expect(CacheKey(method: .get, url: key.url, partition: "") == key)
    }

    private struct PinnedAPI: API, TrustingAPI {
        var host: String { "api.test" }
        var endpoint: String { "a" }
        var trust: TrustPolicy { TrustPolicy(pins: [.publicKey(sha256: Data(count: 32))]) }
    }

    private struct PlainAPI: API {
        var host: String { "api.test" }
        var endpoint: String { "a" }
    }

    @Test
    func `APIs with different trust policies have separate keys, which the selection of their partition includes`() throws {
        let pinned = try PinnedAPI().networkRequest(with: .composed), plain = try PlainAPI().networkRequest(with: .composed)
        #expect(
            CacheKey(pinned, in: CachePartition(credentialsOf: pinned))
                != CacheKey(plain, in: CachePartition(credentialsOf: plain)))
        #expect(
            CacheKey(pinned, in: CachePartition(credentialsOf: pinned))
                == CacheKey(pinned, in: CachePartition(credentialsOf: pinned)))
        let ada = CachePartition(named: "ada")
        let key = CacheKey(pinned, in: ada)
        #expect(CacheSelection.partition(ada).contains(key, storedAt: Date()))
        #expect(!CacheSelection.partition(CachePartition(named: "ad")).contains(key, storedAt: Date()))
    }

    @Test
    func `a URL that is not in its normal form is not a valid key`() {
        #expect(CacheKey(method: .get, url: "https://API.example.com/", partition: "") == nil)
        #expect(CacheKey(method: .get, url: "", partition: "") == nil)
        #expect(CacheKey(method: .get, url: "/a", partition: "") == nil)
    }

    @Test(arguments: [
        ("https://API.example.com:8443/", "api.example.com"), ("http://[::1]:8080/", "::1"), ("http://127.0.0.1/", "127.0.0.1"),
    ])
    func `a key contains the host of its URL`(url: String, host: String) throws {
        #expect(CacheKey(url: try #require(URL(string: url))).host == host)
    }

    @Test(arguments: ["Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "X-Session-ID", "x-amz-security-token"])
    func `each credential has a separate partition`(name: String) throws {
        let url = try #require(URL(string: "https://api.example.com/"))
        let partitions = ["Bearer one", "Bearer two"].map {
            CachePartition(credentialsOf: NetworkRequest(url: url, headers: [name: $0]))
        }
        #expect(Set(partitions + [.withoutCredentials]).count == 3)
        #expect(!partitions.contains { $0.text.contains("one") || $0.text.contains("two") })
        #expect(
            partitions[0] == CachePartition(credentialsOf: NetworkRequest(url: url, headers: [name.uppercased(): "Bearer one"])))
    }

    @Test
    func `user information in the URL counts as a credential, and is not part of the key`() throws {
        let partitions = try ["https://a:one@api.example.com/", "https://a:two@api.example.com/", "https://api.example.com/"].map
        {
            CachePartition(credentialsOf: NetworkRequest(url: try #require(URL(string: $0))))
        }
        #expect(Set(partitions).count == 3)
        #expect(partitions[2] == .withoutCredentials)
    }

    @Test(arguments: ["Accept", "User-Agent", "X-Request-ID", "traceparent", "Idempotency-Key", "If-Range"])
    func `fields without credentials do not select a partition`(name: String) {
        let request = NetworkRequest(url: URL(filePath: "/"), headers: [name: "1"])
        #expect(CachePartition(credentialsOf: request) == .withoutCredentials)
    }

    @Test
    func `the boundaries between credential values distinguish partitions`() {
        let requests = [["Cookie": "ab", "Authorization": "c"], ["Cookie": "a", "Authorization": "bc"]].map {
            NetworkRequest(url: URL(filePath: "/"), headers: HeaderFields($0))
        }
        #expect(CachePartition(credentialsOf: requests[0]) != CachePartition(credentialsOf: requests[1]))
    }

    @Test
    func `a named partition never equals one derived from credentials`() {
        #expect(CachePartition(named: "").text != CachePartition.withoutCredentials.text)
        #expect(CachePartition(named: "sha256:00").text.hasPrefix("name:"))
    }

    @Test
    func `different keys have different digests, and descriptions contain no query`() throws {
        let url = try #require(URL(string: "https://api.example.com/a?token=canary"))
        let keys = [
            CacheKey(url: url), CacheKey(method: .head, url: url), CacheKey(url: url, partition: CachePartition(named: "x")),
            CacheKey(url: try #require(URL(string: "https://api.example.com/a"))),
        ]
        #expect(Set(keys.map(\.digest)).count == 4)
        #expect(keys[0].digest.utf8.count == 64 && keys[0].digest == CacheKey(url: url).digest)
        var dumped = ""
        dump(keys, to: &dumped)
        #expect(!(dumped + "\(keys)" + String(reflecting: keys)).contains("canary"))
    }
}
