import DataTransfer
import Testing

extension RealServerTests {
    struct HeaderTests {
        @Test(arguments: Engine.all) func `several header fields with the same name are sent in order`(engine: Engine)
            async throws
        {
            var headers: HeaderFields = ["X-Several": "one"]
            headers.add("two", for: "x-several")
            headers.add("three", for: "X-SEVERAL")
            let echo = try await engine.session().send(.get, "\(Servers.httpbin)/anything", headers: headers).echo
            #expect(parts(of: echo.headers["X-Several"]) == ["one", "two", "three"])
        }

        @Test(
            arguments: Engine.all,
            [
                "plain", "two words", "a;b,c=\"d\"", "tab\there", "gr\u{FC}\u{DF}e \u{1F600}",
                String(repeating: "long", count: 1500),
            ])
        func `a header value is sent byte for byte`(engine: Engine, value: String) async throws {
            let response = try await engine.session().send(.get, "\(Servers.nginx)/header", headers: ["X-Value": value])
            #expect(response.text == value)
        }

        @Test(arguments: Engine.all) func `an empty header value is sent`(engine: Engine) async throws {
            let echo = try await engine.session().send(
                .get, "\(Servers.httpbin)/anything", headers: ["X-Empty": "", "X-Full": "1"]
            ).echo
            #expect(echo.headers["X-Empty"] == "")
            #expect(echo.headers["X-Full"] == "1")
        }

        @Test(arguments: Engine.all) func `Host and User-Agent have defaults that a request can override`(engine: Engine)
            async throws
        {
            let session = engine.session()
            let own = try await session.send(.get, "\(Servers.nginx)/host").text.split(
                separator: "|", omittingEmptySubsequences: false)
            #expect("http://\(own[0])" == Servers.nginx)
            #expect(own[2] == "swift-data-transfer")
            let given = try await session.send(
                .get, "\(Servers.nginx)/host", headers: ["Host": "example.com", "User-Agent": "tester/1"])
            #expect(given.text.hasPrefix("example.com|"))
            #expect(given.text.contains("|tester/1|"))
        }

        @Test(arguments: Engine.all) func `response header fields are found without regard to case`(engine: Engine) async throws {
            let response = try await engine.session().send(
                .get, "\(Servers.httpbin)/response-headers?X-cAmEl=hump&X-Empty=&X-Two=a&X-Two=b")
            for name in ["X-cAmEl", "x-camel", "X-CAMEL"] { #expect(response.headers[name] == "hump") }
            #expect(response.headers["x-empty"] == "")
            #expect(parts(of: response.headers["x-two"]) == ["a", "b"])
            if engine.keepsHeaderLines {
                #expect(response.headers.values(for: "X-Two") == ["a", "b"])
                #expect(response.headers.fields.contains { $0.name == (Engine.requiredVersion != nil ? "x-camel" : "X-cAmEl") })
            }
        }

        private func parts(of value: String?) -> [String]? {
            value?.split(separator: ",").map { $0.trimmingPrefix { $0 == " " } }.map(String.init)
        }
    }
}
