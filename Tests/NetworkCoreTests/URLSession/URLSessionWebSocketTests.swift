import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import TransferTestSupport
import Testing

@testable import NetworkTransport
@testable import NetworkURLSession

extension URLSessionTests {
    /// The decisions on a WebSocket of `URLSession`, whose task is the test.
    @Suite(.timeLimit(.minutes(10))) final class URLSessionWebSocketTests {
        private let task = FakeWebSocketTask()
        private let receiver = RecordingReceiver()

        deinit { task.release() }

        private func started() throws -> URLSessionWebSocket {
            let socket = URLSessionWebSocket(task, request: try .webSocket())
            socket.start(receiver, maximumMessageBytes: 1000)
            return socket
        }

        // MARK: Messages

        @Test func `messages and pongs are passed on, one for each request`() throws {
            let socket = try started()
            let (sent, pongs) = (Locked(0), Locked(0))
            socket.requestMessage()
            task.deliver(.success(.text("a")))
            task.deliver(.success(.text("b")))
            socket.send(.binary(Data([1]))) { sent.withLock { $0 += 1 } }
            socket.ping { pongs.withLock { $0 += 1 } }
            #expect(receiver.state.withLock(\.messages) == [.text("a")])
            let (passed, pings) = task.state.withLock { ($0.sent, $0.pings) }
            #expect(passed.map(\.message) == [.binary(Data([1]))] && sent.withLock(\.self) == 0)
            passed[0].completion(nil)
            pings[0](nil)
            #expect(sent.withLock(\.self) == 1 && pongs.withLock(\.self) == 1)
            #expect(task.state.withLock(\.maximumBytes) == 1000)
        }

        @Test func `EMSGSIZE is a message that is too large, and ends nothing by itself`() throws {
            let socket = try started()
            socket.requestMessage()
            task.deliver(.failure(FakeWebSocketTask.posix(EMSGSIZE)))
            #expect(receiver.state.withLock(\.tooLarge) == 1 && receiver.ends.isEmpty && task.cancellations == 0)
        }

        // MARK: The end

        @Test func `a close frame is the end, whichever failure comes before it`() throws {
            let socket = try started()
            socket.requestMessage()
            socket.send(.text("x")) {}
            task.state.withLock(\.sent)[0].completion(FakeWebSocketTask.posix(ENOTCONN))
            task.deliver(.failure(FakeWebSocketTask.posix(ENOTCONN)))
            #expect(receiver.ends.isEmpty && task.cancellations == 2)
            socket.didClose(code: 4001, reason: Data("done".utf8))
            socket.didComplete(URLError(.cancelled))
            #expect(receiver.ends == ["closed 4001 done"])
            socket.didComplete(nil)
            #expect(receiver.ends.count == 1)
        }

        @Test func `a failure to receive after a close frame is the end, once`() throws {
            let socket = try started()
            socket.requestMessage()
            socket.didClose(code: 1001, reason: nil)
            #expect(receiver.ends.isEmpty)
            task.deliver(.failure(FakeWebSocketTask.posix(ENOTCONN)))
            socket.didComplete(nil)
            #expect(receiver.ends == ["closed 1001 "])
        }

        @Test(arguments: [(1005, "closed 1005 "), (1000, "closed 1000 "), (0, "lost "), (1006, "lost "), (1015, "lost ")])
        func `the task's close code is used if the delegate was not called`(code: Int, end: String) throws {
            let socket = try started()
            task.state.withLock { $0.frame = (code, nil) }
            socket.didComplete(nil)
            #expect(receiver.ends == [end])
        }

        @Test func `the task's close code is not that of the peer if this side has closed`() throws {
            let socket = try started()
            socket.close(code: 1000, reason: "")
            task.state.withLock { $0.frame = (1000, nil) }
            socket.didComplete(URLError(.cancelled))
            #expect(receiver.ends == ["lost cancelled"])
        }

        @Test func `the first failure is the reason, and not the cancellation that follows it`() throws {
            let socket = try started()
            socket.requestMessage()
            task.deliver(.failure(URLError(.networkConnectionLost)))
            #expect(task.cancellations == 1)
            socket.didComplete(URLError(.cancelled))
            #expect(receiver.ends == ["lost connectionLost"])
        }

        @Test func `after a close frame of this side, failures do not cancel the task`() throws {
            let socket = try started()
            socket.requestMessage()
            socket.close(code: 1000, reason: "bye")
            socket.close(code: 1001, reason: "again")
            task.deliver(.failure(FakeWebSocketTask.posix(ECANCELED)))
            #expect(task.closes == [1000] && task.cancellations == 0)
            socket.didClose(code: 1000, reason: nil)
            socket.didComplete(nil)
            #expect(receiver.ends == ["closed 1000 "])
        }

        @Test func `a receiver that starts after the end is notified of it`() throws {
            let socket = URLSessionWebSocket(task, request: try .webSocket())
            socket.sessionWillClose()
            socket.didComplete(nil)
            socket.start(receiver, maximumMessageBytes: 1000)
            #expect(receiver.ends == ["lost "] && receiver.state.withLock(\.closings) == 0)
        }

        @Test func `a WebSocket that nobody uses is cancelled`() throws {
            var messages: UpgradedMessages? = UpgradedMessages(
                URLSessionWebSocket(task, request: try .webSocket()), subprotocol: nil)
            #expect(messages?.subprotocol == nil && task.cancellations == 0)
            messages = nil
            #expect(task.closes == [1001] && task.cancellations == 1)
        }

        // MARK: Request and response

        @Test func `the task's request has the scheme of WebSockets and no fields of the handshake`() throws {
            let request = try NetworkRequest.webSocket().urlRequest.forWebSocketTask
            #expect(request.url?.absoluteString == "wss://host.invalid/live?room=7")
            #expect(request.value(forHTTPHeaderField: "Sec-WebSocket-Protocol") == "chat, other")
            #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer x")
            #expect(request.allHTTPHeaderFields?.count == 2)
            #expect(try NetworkRequest.webSocket("http://a/").urlRequest.forWebSocketTask.url?.absoluteString == "ws://a/")
        }

        @Test func `another Upgrade, and a request that is not streamed, is no WebSocket`() throws {
            var other = try NetworkRequest.webSocket()
            #expect(other.requestsWebSocket)
            other.headers.set("h2c", for: "Upgrade")
            #expect(!other.requestsWebSocket)
            var whole = try NetworkRequest.webSocket()
            whole.isStreamed = false
            #expect(!whole.requestsWebSocket)
        }

        @Test(arguments: [401, 403, 426, 503])
        func `a status other than 101 is a response without a body`(status: Int) throws {
            let driven = try DrivenExchange(.webSocket())
            driven.receive(status, ["WWW-Authenticate": "Basic"])
            let response = try driven.complete(.badServerResponse).get()
            #expect(response.statusCode == status && response.headers["WWW-Authenticate"] == "Basic" && response.data.isEmpty)
        }

        @Test func `an invalid handshake, and a request of another type, stay failures`() throws {
            let invalid = try DrivenExchange(.webSocket())
            invalid.receive(101)
            #expect(invalid.complete(.badServerResponse).code == .malformedResponse)
            let plain = try DrivenExchange(.unsent())
            plain.receive(401)
            #expect(plain.complete(.badServerResponse).code == .malformedResponse)
            let lost = try DrivenExchange(.webSocket())
            lost.receive(401)
            #expect(lost.complete(.networkConnectionLost).code == .connectionLost)
        }

        @Test func `a redirect of a WebSocket is a response, which the engine follows`() throws {
            let driven = try DrivenExchange(.webSocket())
            #expect(driven.redirect(302, to: "https://other.invalid/") == [nil])
            #expect(try driven.complete(.badServerResponse).get().statusCode == 302)
        }

        @Test func `trust is decided for a WebSocket as for a request`() async throws {
            let trust = try URLSessionTrust(
                SessionConfiguration { $0.trust = TrustPolicy(roots: .insecureWithoutVerification) }, support: .serverCertificates
            )
            let driven = try DrivenExchange(.webSocket(), trust: trust)
            #expect(driven.exchange.decision(on: .serverTrust(nil)) == .cancel)
            #expect(await driven.outcomes.wait(count: 1)[0].code == .trustUnavailable)
        }
    }
}
