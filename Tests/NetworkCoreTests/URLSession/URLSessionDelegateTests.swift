import Endpoints
import Foundation
import NetworkSupport
import Testing

@testable import NetworkEngine
@_spi(SessionManagers) @testable import NetworkTransport
@testable import NetworkURLSession

extension URLSessionTests {
    /// The events of a task in the orders that `URLSession` documents, caused by the test.
    @Suite(.timeLimit(.minutes(10))) struct URLSessionDelegateTests {
        @Test func `the events of an upload in their order make up a response`() throws {
            let trust = try URLSessionTrust(SessionConfiguration(), support: .serverCertificates)
            let driven = try DrivenExchange(
                try .unsent(method: .post, body: .data(Data("0123456789".utf8))), trust: trust)
            func phase() -> TransportError.Phase? { driven.transfer.activity.withLock { $0.phase } }
            #expect(driven.exchange.decision(on: .serverTrust(nil)) == .defaultHandling)
            #expect(phase() == nil)
            driven.send(4, of: 10)
            #expect(phase() == .send)
            driven.send(10, of: 10)
            #expect(phase() == .firstByte)
            driven.receive(201, ["ETag": "\"x\""])
            #expect(phase() == .receive)
            driven.receive("hel")
            driven.receive("lo")
            driven.exchange.receive([FakeMetrics.make()])
            let response = try driven.complete().get()
            #expect(response.statusCode == 201 && response.text == "hello" && response.headers["ETag"] == "\"x\"")
            #expect(response.timings.bytesSent == 10 && response.timings.bytesReceived == 5)
            #expect(response.timings.firstByte == .milliseconds(18) && response.timings.protocolName == "h2")
            #expect(driven.endingCount == 1)
        }

        @Test(arguments: [301, 302, 303, 307, 308])
        func `URLSession follows no redirect, and its response is received`(status: Int) throws {
            let driven = try DrivenExchange(.unsent())
            #expect(driven.redirect(status, to: "https://other.invalid/") == [nil])
            // Apple platforms deliver the response and its body after that.
            driven.receive(status, ["Location": "https://other.invalid/"])
            driven.receive("moved")
            let response = try driven.complete().get()
            #expect(response.statusCode == status && response.headers["Location"] == "https://other.invalid/")
            #expect(response.text == "moved")
        }

        @Test func `a redirect is followed even if its body is cut or too large, unless it may be returned`() throws {
            let location = "https://other.invalid/"
            for policy in [RedirectPolicy.follow, .keepMethod] {
                var request = try NetworkRequest.unsent()
                request.redirects = policy
                let driven = try DrivenExchange(request, limits: SessionConfiguration { $0.maximumBodyBytes = 10 })
                driven.receive(302, ["Location": location, "Content-Length": "100"])
                driven.receive("more than ten bytes")
                #expect(try driven.complete(.networkConnectionLost).get().statusCode == 302)
            }
            var request = try NetworkRequest.unsent()
            request.redirects = .decide { _ in .doNotFollow }
            let driven = try DrivenExchange(request)
            driven.receive(302, ["Location": location, "Content-Length": "100"])
            driven.receive("cut")
            let error = #expect(throws: TransportError.self) { try driven.complete(.networkConnectionLost).get() }
            #expect(error?.code == .connectionLost)
        }

        @Test func `a redirect is received even if no other event follows`() throws {
            let driven = try DrivenExchange(.unsent())
            #expect(driven.redirect(302, to: "https://other.invalid/") == [nil])
            #expect(try driven.complete().get().statusCode == 302)
        }

        /// RFC 9110 §15.2.
        @Test(arguments: [100, 102, 103]) func `an interim response is ignored`(status: Int) throws {
            let driven = try DrivenExchange(.unsent())
            driven.receive(status, ["Link": "</a.css>"])
            driven.receive(200)
            let response = try driven.complete().get()
            #expect(response.statusCode == 200 && !response.headers.contains("Link"))
            let without = try DrivenExchange(.unsent())
            without.receive(status)
            #expect(throws: TransportError.self) { try without.complete().get() }
        }

        @Test func `a response with status 101 is final`() throws {
            let driven = try DrivenExchange(.unsent())
            driven.receive(101)
            #expect(try driven.complete().get().statusCode == 101)
        }

        @Test func `a response that is not HTTP, and none at all, are malformed`() throws {
            let foreign = try DrivenExchange(.unsent())
            foreign.receive(
                URLResponse(url: foreign.exchange.request.url, mimeType: nil, expectedContentLength: 1, textEncodingName: nil))
            for driven in [foreign, try DrivenExchange(.unsent())] {
                let error = #expect(throws: TransportError.self) { try driven.complete().get() }
                #expect(error?.code == .malformedResponse && error?.message.contains("HTTP") == (driven === foreign))
            }
        }

        @Test func `events after the end of a task have no effect`() throws {
            let driven = try DrivenExchange(.unsent())
            driven.receive(200)
            driven.receive("a")
            driven.bridge.urlSession(driven.session, task: driven.task, didCompleteWithError: nil)
            driven.receive(500)
            driven.receive("b")
            #expect(driven.redirect(302, to: "https://other.invalid/").isEmpty)
            #expect(driven.bridge.exchange(of: driven.task) == nil)
            driven.bridge.urlSession(driven.session, task: driven.task, didCompleteWithError: nil)
            #expect(driven.endingCount == 1)
            let received = driven.exchange.take()
            #expect(received.parts.response?.statusCode == 200 && received.body == Data("a".utf8))
        }

        @Test func `after a cancellation data is dropped, and no completion handler of URLSession is called`() throws {
            let driven = try DrivenExchange(.unsent())
            driven.receive(200)
            driven.receive("a")
            driven.exchange.tearDown()
            driven.receive("b")
            #expect(driven.exchange.take().body.isEmpty)
            #expect(driven.redirect(302, to: "https://other.invalid/").isEmpty)
            let calls = Locked(0)
            driven.exchange.unlessCancelled { calls.withLock { $0 += 1 } }
            #expect(calls.withLock { $0 } == 0)
        }

        @Test func `a transfer that was cancelled stays cancelled when its task ends`() async throws {
            let driven = try DrivenExchange(.unsent())
            driven.receive(200)
            driven.transfer.cancel()
            driven.transfer.cancel()
            driven.transfer.driver.end(
                .success(
                    ExchangeResponse(
                        status: 200, headers: [:], body: .empty, of: driven.exchange.request, timings: TransferTimings(),
                        isVerified: false, mayBeFollowed: false)))
            #expect(await driven.outcomes.wait(count: 1)[0].isCancelled)
            guard case .failure(let error) = driven.complete(.cancelled) else { return }
            #expect(error.isCancelled)
            #expect(await driven.outcomes.all.count == 1)
        }

        @Test func `a head or a body over its limit fails the transfer while it is received`() async throws {
            let limits = SessionConfiguration {
                $0.maximumHeaderBytes = 1024
                $0.maximumBodyBytes = 4
            }
            let body = try DrivenExchange(.unsent(), limits: limits)
            body.receive(200)
            body.receive("1234")
            #expect(body.transfer.driver.isAwaited)
            body.receive("5")
            #expect(await body.outcomes.wait(count: 1)[0].code == .bodyTooLarge)
            let head = try DrivenExchange(.unsent(), limits: limits)
            head.receive(200, ["X-Long": String(repeating: "x", count: 1100)])
            #expect(await head.outcomes.wait(count: 1)[0].code == .headersTooLarge)
        }

        @Test func `a challenge that is cancelled as on Linux leaves its response`() throws {
            let driven = try DrivenExchange(.unsent())
            #expect(driven.exchange.cancelChallenge(in: driven.response(401, [:])) == .cancel)
            driven.receive("name?")
            let response = try driven.complete(.cancelled).get()
            #expect(response.statusCode == 401 && response.text == "name?")
            // Without its response, and with any other error, it is a failure.
            let without = try DrivenExchange(.unsent())
            #expect(without.exchange.cancelChallenge(in: nil) == .cancel)
            #expect(without.complete(.cancelled).code == .cancelled)
            let lost = try DrivenExchange(.unsent())
            #expect(lost.exchange.cancelChallenge(in: lost.response(401, [:])) == .cancel)
            #expect(lost.complete(.networkConnectionLost).code == .connectionLost)
        }
    }
}

extension Result where Success == NetworkResponse, Failure == TransportError {
    /// The code of the error; `nil` for a response.
    var code: TransportError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}
