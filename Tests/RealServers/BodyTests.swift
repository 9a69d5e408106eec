import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    /// Request bodies as parsed by an independent server.
    struct BodyTests {
        @Test(arguments: Engine.all) func `a server parses the fields of a URL-encoded form unchanged`(engine: Engine)
            async throws
        {
            let body = EndpointBody.form([
                "plain": "text", "signs": "a+b&c=d %41 ;", "unicode": "grüße 😀", "lines": "a\r\nb", "empty": "", "number": 7,
                "list": ["x", "y"],
            ])
            let echo = try await engine.service().request(Endpoint<Echo>(path: "anything", method: .post, body: body))
            #expect(echo.headers["Content-Type"] == "application/x-www-form-urlencoded")
            #expect(echo.form["plain"] == "text")
            #expect(echo.form["signs"] == "a+b&c=d %41 ;")
            #expect(echo.form["unicode"] == "grüße 😀")
            #expect(echo.form["lines"] == "a\r\nb")
            #expect(echo.form["empty"] == "")
            #expect(echo.form["number"] == "7")
            let list = echo.form.filter { $0.key.hasPrefix("list") }.sorted { $0.key < $1.key }.flatMap(\.value.all)
            #expect(list == ["x", "y"])
        }

        @Test(arguments: Engine.all) func `a server parses query parameters unchanged`(engine: Engine) async throws {
            let echo = try await engine.service().request(
                Endpoint<Echo>(path: "anything?kept=1", queryParameters: ["signs": "a+b&c=d %41", "unicode": "é", "empty": ""]))
            #expect(echo.args == ["kept": "1", "signs": "a+b&c=d %41", "unicode": "é", "empty": ""])
        }

        @Test(arguments: Engine.all) func `a server parses a JSON body unchanged`(engine: Engine) async throws {
            struct Value: Codable, Equatable {
                var text = "\"quoted\" \u{2028} grüße 😀"
                var flag = true
                var number = 12.5
                var list = [1, 2, 3]
                var nothing: String?
            }
            let value = try await engine.service().request(
                Endpoint<Value>(path: "anything", method: .put, body: .json(Value()), keyPath: "json"))
            #expect(value == Value())
        }

        @Test(arguments: Engine.all) func `a server parses the parts of a multipart form byte for byte`(engine: Engine)
            async throws
        {
            let everyByte = Data((0...255).map(UInt8.init) + Array("\r\n--boundary\r\n".utf8))
            var form = MultipartForm()
            form.append("text \r\n with grüße", name: "field")
            form.append("", name: "empty")
            form.append("one", name: "list")
            form.append("two", name: "list")
            form.append(.data(Data("plain\r\n\r\ntext\n".utf8)), name: "text", fileName: "a.txt", contentType: "text/plain")
            form.append(.data(everyByte), name: "binary", fileName: "grüße \"quoted\".bin")
            form.append(.data(Data()), name: "nothing", fileName: "empty.txt", contentType: "text/plain")
            let echo = try await engine.service().request(
                Endpoint<Echo>(path: "anything", method: .post, body: .multipart(form)))
            #expect(
                echo.form == ["field": "text \r\n with grüße", "empty": "", "list": ["one", "two"]])
            #expect(Set(echo.files.keys) == ["text", "binary", "nothing"])
            #expect(echo.files["text"] == "plain\r\n\r\ntext\n")
            #expect(echo.files["nothing"] == "")
            // httpbin returns content that is not text as a data URL.
            let binary = try #require(echo.files["binary"]?.all.first?.split(separator: ",").last)
            #expect(Data(base64Encoded: String(binary)) == everyByte)
        }

        @Test(arguments: Engine.all) func `a text body is sent with its charset`(engine: Engine) async throws {
            let echo = try await engine.service().request(
                Endpoint<Echo>(path: "anything", method: .patch, body: .text("grüße")))
            #expect(echo.data == "grüße")
            #expect(echo.headers["Content-Type"]?.lowercased() == "text/plain; charset=utf-8")
        }
    }
}
