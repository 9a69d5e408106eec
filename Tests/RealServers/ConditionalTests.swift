import DataTransfer
import Testing

extension RealServerTests {
    struct ConditionalTests {
        /// RFC 9110 §13.1.2, §13.1.3.
        @Test(arguments: Engine.all, [("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")])
        func `a conditional request for an unchanged file returns a 304 without a body`(
            engine: Engine, names: (validator: String, condition: String)
        ) async throws {
            let session = engine.session()
            let url = "\(Servers.nginx)/files/hello.txt"
            let first = try await session.send(.get, url)
            let validator = try #require(first.headers[names.validator])
            let second = try await session.send(.get, url, headers: [names.condition: validator])
            #expect(second.statusCode == 304)
            #expect(second.data.isEmpty)
            #expect(second.headers["ETag"] == first.headers["ETag"])
            #expect(try await session.send(.get, url).text == "hello, world\n")
        }

        @Test(arguments: Engine.all) func `a conditional request with another tag returns the whole file`(engine: Engine)
            async throws
        {
            let response = try await engine.session().send(
                .get, "\(Servers.nginx)/files/hello.txt", headers: ["If-None-Match": "\"other\""])
            #expect(response.statusCode == 200)
            #expect(response.text == "hello, world\n")
        }

        @Test(
            arguments: Engine.all,
            [
                ("If-None-Match", "abc", 304), ("If-None-Match", "other", 200), ("If-Match", "abc", 200),
                ("If-Match", "other", 412),
            ])
        func `httpbin evaluates If-Match and If-None-Match`(
            engine: Engine, row: (condition: String, tag: String, status: Int)
        ) async throws {
            let response = try await engine.session().send(
                .get, "\(Servers.httpbin)/etag/abc", headers: [row.condition: row.tag])
            #expect(response.statusCode == row.status)
        }

        /// RFC 9110 §13.1.5: the server sends the range if the file is unchanged, and otherwise the whole file.
        @Test(arguments: Engine.all) func `a request for a range of another version returns the whole file`(engine: Engine)
            async throws
        {
            let session = engine.session()
            let url = "\(Servers.nginx)/files/hello.txt"
            let tag = try #require(try await session.send(.head, url).headers["ETag"])
            let same = try await session.send(.get, url, headers: ["Range": "bytes=7-", "If-Range": tag])
            #expect(same.statusCode == 206)
            #expect(same.text == "world\n")
            let other = try await session.send(.get, url, headers: ["Range": "bytes=7-", "If-Range": "\"other\""])
            #expect(other.statusCode == 200)
            #expect(other.text == "hello, world\n")
        }
    }
}
