import Endpoints
import Foundation
import NetworkCore
import NetworkURLSession
import TransferTestSupport
import Testing

extension URLSessionTests {
    /// Whole calls over `https`, whose events come from a `URLProtocol`.
    @Suite(.timeLimit(.minutes(10))) struct URLSessionProtocolTests {
        private let manager = ScriptedProtocol.manager()

        /// RFC 9110 §15.4.
        @Test(arguments: [
            (301, "POST", "GET"), (302, "PUT", "PUT"), (303, "DELETE", "GET"), (307, "POST", "POST"), (308, "PATCH", "PATCH"),
            (302, "HEAD", "HEAD"),
        ])
        func `a redirect is followed with the method and fields that its status requires`(
            status: Int, method: String, after: String
        ) async throws {
            let script = Script { request in
                request.url?.path == "/end"
                    ? [.response(200), .data("end"), .finish]
                    : [.response(status, ["Location": "/end"]), .data("moved"), .finish]
            }
            var request = NetworkRequest(method: RequestMethod(method), url: try script.url("/start"))
            request.headers["Authorization"] = "Bearer one"
            if request.method.allowsBody {
                request.body = .data(Data("content".utf8))
                request.headers["Content-Type"] = "text/plain"
            }
            let response = try await manager.response(for: request)
            #expect(response.text == "end" && response.timings.redirects == 1)
            #expect(response.url == (try script.url("/end")))
            let last = try #require(script.requests.last)
            let keepsBody = request.body != nil && after == method
            #expect(last.httpMethod == after && last.httpBody == (keepsBody ? Data("content".utf8) : nil))
            #expect(last.value(forHTTPHeaderField: "Content-Type") == (keepsBody ? "text/plain" : nil))
            #expect(last.value(forHTTPHeaderField: "Authorization") == "Bearer one")
        }

        @Test func `a redirect to another host is followed without credentials`() async throws {
            let other = Script { _ in [.response(200), .finish] }
            let target = try other.url("/there").absoluteString
            let script = Script { _ in [.response(307, ["Location": target]), .finish] }
            var request = NetworkRequest(url: try script.url())
            request.headers = ["Authorization": "Bearer one", "Cookie": "a=1", "X-Api-Key": "k", "Accept": "text/plain"]
            #expect(try await manager.response(for: request).statusCode == 200)
            let fields = try #require(other.requests.first?.allHTTPHeaderFields)
            #expect(fields["Accept"] == "text/plain")
            for name in ["Authorization", "Cookie", "X-Api-Key"] { #expect(fields[name] == nil, "\(name)") }
        }

        @Test func `a redirect from https to http is refused, and one too many is an error`() async throws {
            let script = Script { request in
                let target = request.url?.path == "/http" ? "http://\(request.url?.host ?? "")/" : "/again"
                return [.response(302, ["Location": target]), .finish]
            }
            #expect(await manager.error(for: NetworkRequest(url: try script.url("/http")))?.code == .redirectRefused)
            #expect(script.requests.count == 1)
            let limited = ScriptedProtocol.manager { $0.maximumRedirects = 3 }
            #expect(await limited.error(for: NetworkRequest(url: try script.url()))?.code == .tooManyRedirects)
            #expect(script.requests.count == 5)
        }

        @Test func `the pieces of a body are received in their order`() async throws {
            let script = Script { _ in [.response(200)] + (0..<100).map { .data("\($0),") } + [.finish] }
            let expected = (0..<100).map { "\($0)," }.joined()
            #expect(try await manager.response(for: NetworkRequest(url: script.url())).text == expected)
        }

        @Test(
            arguments: [
                (URLError.Code.cannotFindHost, TransportError.Code.nameLookupFailed, TransportError.Phase.nameLookup),
                (.cannotConnectToHost, .cannotConnect, .connect), (.networkConnectionLost, .connectionLost, nil),
                (.serverCertificateHasBadDate, .tlsFailed, .tls), (.timedOut, .timedOut, nil), (.cancelled, .cancelled, nil),
            ] as [(URLError.Code, TransportError.Code, TransportError.Phase?)])
        func `an error of URLSession is the error of the call`(
            code: URLError.Code, meaning: TransportError.Code, phase: TransportError.Phase?
        ) async throws {
            let script = Script { _ in [.fail(code)] }
            let error = await manager.error(for: NetworkRequest(url: try script.url()))
            #expect(error?.code == meaning && error?.phase == phase)
        }

        @Test func `an error after a part of the body is the error of the call`() async throws {
            let script = Script { _ in [.response(200), .data("hel"), .fail(.networkConnectionLost)] }
            let error = await manager.error(for: NetworkRequest(url: try script.url()))
            #expect(error?.code == .connectionLost && error?.phase == .receive)
        }

        @Test(arguments: [[], [.response(200)], [.response(200), .data("hel")]] as [[Script.Event]])
        func `cancelling a call stops its protocol`(events: [Script.Event]) async throws {
            let script = Script { _ in events }
            let request = NetworkRequest(url: try script.url())
            let task = Task { await manager.error(for: request) }
            await script.log.wait { $0.requests.count == 1 }
            #expect(script.log.withLock { $0.stops } == 0)
            task.cancel()
            #expect(await task.value?.isCancelled == true)
            await script.log.wait { $0.stops == 1 }
        }

        @Test func `a call that is cancelled before it starts causes no request`() async throws {
            let script = Script { _ in [.response(200), .finish] }
            let request = NetworkRequest(url: try script.url())
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return await manager.error(for: request)
            }
            task.cancel()
            #expect(await task.value?.isCancelled == true)
            #expect(script.requests.isEmpty)
        }

        @Test func `cancelling a call that has ended has no effect`() async throws {
            let script = Script { _ in [.response(200), .data("ok"), .finish] }
            let outcomes = Outcomes()
            let handle = manager.response(for: NetworkRequest(url: try script.url()), completion: outcomes.completion)
            #expect(try await outcomes.wait(count: 1)[0].get().text == "ok")
            handle.cancel()
            #expect(try await manager.response(for: NetworkRequest(url: script.url())).text == "ok")
            #expect(await outcomes.all.count == 1)
        }

        @Test func `a body that stalls ends by the idle timeout, and stops its protocol`() async throws {
            // On a busy machine, the timeout may expire before the response is received.
            let phase = try await withTimeouts { idle -> TransportError.Phase? in
                let script = Script { _ in [.response(200), .data("hel")] }
                let manager = ScriptedProtocol.manager { $0.idleTimeout = idle }
                let error = await manager.error(for: NetworkRequest(url: try script.url()))
                #expect(error?.code == .timedOut)
                guard error?.phase == .receive else { return nil }
                await script.log.wait { $0.stops == 1 }
                return .receive
            }
            #expect(phase == .receive)
        }

        #if os(Linux)
            @Test(arguments: [(401, NSURLAuthenticationMethodHTTPBasic), (401, NSURLAuthenticationMethodHTTPDigest), (407, "x")])
            func `a challenge is cancelled, and its response is returned`(status: Int, method: String) async throws {
                let script = Script { _ in [.challenge(status, method)] }
                let response = try await manager.response(for: NetworkRequest(url: script.url()))
                #expect(response.statusCode == status && response.text == "name?")
                await script.log.wait { $0.stops == 1 }
            }
        #endif
    }
}
