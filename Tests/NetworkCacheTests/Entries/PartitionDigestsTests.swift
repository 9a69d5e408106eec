import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
import Testing

@testable import NetworkCache

struct PartitionDigestsTests {
    private static func request(_ lines: String...) throws -> NetworkRequest {
        NetworkRequest(url: try #require(URL(string: "https://api.example.com/a")), headers: HeaderFields(lines: lines))
    }

    @Test func `the hash is SipHash-2-4 with 128 bits`() {
        // The first two vectors of the reference implementation: no byte, and the byte 0, with the key 00 01 … 0f.
        let key = KeyedHash.Key(low: 0x0706_0504_0302_0100, high: 0x0f0e_0d0c_0b0a_0908)
        var empty = KeyedHash(key)
        empty.add(UInt64(0))
        #expect(empty.finished() == KeyedHash.Value(low: 0xe6a8_25ba_047f_81a3, high: 0x9302_55c7_1472_f66d))
        var zero = KeyedHash(key)
        zero.add(UInt64(1) << 56)
        #expect(zero.finished() == KeyedHash.Value(low: 0x44af_996b_d8c1_87da, high: 0x45fc_229b_1159_7634))
    }

    @Test func `the hash depends on the key, on each text and on where it ends`() {
        let key = KeyedHash.Key.random
        func hash(_ texts: [String], _ key: KeyedHash.Key) -> KeyedHash.Value {
            var hash = KeyedHash(key)
            for text in texts { hash.add(text) }
            return hash.finished()
        }
        let lists = [
            [], [""], ["", ""], ["a"], ["a", ""], ["", "a"], ["ab"], ["a", "b"], ["b", "a"], ["12345678"], ["1234567", "8"],
            ["123456789"], ["12345678", "9"], ["a\u{0}"], ["é"], [String(repeating: "x", count: 100)],
            [String(repeating: "x", count: 101)],
        ]
        for (first, left) in lists.enumerated() {
            for (second, right) in lists.enumerated() {
                #expect((hash(left, key) == hash(right, key)) == (first == second), "\(left) \(right)")
            }
            #expect(hash(left, key) != hash(left, .random))
        }
    }

    @Test func `a partition is the same when its digest is remembered`() throws {
        let digests = PartitionDigests()
        let requests = try [
            Self.request(), Self.request("Accept: a"), Self.request("Authorization: a"), Self.request("Authorization: b"),
            Self.request("Cookie: a"), Self.request("Cookie: a", "Authorization: a"),
            Self.request("Authorization: a", "Cookie: a"),
            Self.request("X-Tenant: a"), Self.request("X-Tenant: a", "X-Tenant: b"), Self.request("X-Tenant: b", "X-Tenant: a"),
        ]
        for _ in 0..<2 {
            for request in requests {
                let remembered = CachePartition(request, traits: FieldTraits(request.headers), digests: digests)
                #expect(remembered == CachePartition(credentialsOf: request))
            }
        }
        #expect(Set(requests.map { CachePartition(credentialsOf: $0) }).count == 8)
    }

    @Test func `user information and marked fields separate partitions, also without other fields`() throws {
        var marked = try Self.request("Accept: a")
        marked.setCredential("value-of-this-test", for: "Accept")
        let user = NetworkRequest(url: try #require(URL(string: "https://user:password@api.example.com/a")))
        for request in [marked, user] {
            let partition = CachePartition(request, traits: FieldTraits(request.headers), digests: PartitionDigests())
            #expect(partition != .withoutCredentials)
            #expect(partition == CachePartition(credentialsOf: request))
        }
    }

    @Test func `any number of credentials takes the same memory, and each has its partition`() throws {
        let digests = PartitionDigests()
        for round in 0..<2 {
            for number in stride(from: round, to: 4 * PartitionDigests.maximumRows, by: 1) {
                let request = try Self.request("Authorization: Bearer \(number)")
                let partition = CachePartition(request, digests: digests)
                if number % 50 == 0 { #expect(partition == CachePartition(credentialsOf: request)) }
            }
        }
        #expect(digests.count <= PartitionDigests.maximumRows)
    }

    @Test func `no description contains a credential`() throws {
        let digests = PartitionDigests()
        let request = try Self.request("Authorization: Bearer very-secret")
        _ = CachePartition(request, digests: digests)
        var text = ""
        dump(digests, to: &text)
        #expect(!text.contains("very-secret"))
    }
}
