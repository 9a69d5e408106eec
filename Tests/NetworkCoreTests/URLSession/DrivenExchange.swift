import Endpoints
import Foundation

@_spi(SessionManagers) @testable import NetworkTransport
@testable import NetworkURLSession
import NetworkSupport

/// An exchange whose delegate a test calls in place of `URLSession`, which never starts the task.
///
/// So a test decides on the order and the values of the events, also on those that `URLSession` only has on Apple platforms.
final class DrivenExchange: Sendable {
    let session: URLSession
    let task: URLSessionDataTask
    let transfer: URLSessionTransfer
    let exchange: URLSessionExchange
    let bridge: URLSessionDelegateBridge
    /// The outcomes of the transfer that do not come from the engine: limits, failed checks, cancellations.
    let outcomes: Outcomes
    private let endings: Locked<Int>
    private let engine = IdleEngine()
    private let ends = Locked(0)
    private let calls = OpenCalls()

    init(
        _ request: NetworkRequest, limits: SessionConfiguration = SessionConfiguration(), trust: URLSessionTrust? = nil,
        backlog: BodyBacklog = BodyBacklog()
    ) throws {
        let (endings, outcomes) = (Locked(0), Outcomes())
        bridge = URLSessionDelegateBridge { _, _ in endings.withLock { $0 += 1 } }
        let configuration = URLSessionConfiguration.isolated
        configuration.protocolClasses = [SilentProtocol.self]
        session = URLSession(configuration: configuration, delegate: bridge, delegateQueue: nil)
        task = session.dataTask(with: request.urlRequest)
        transfer = URLSessionTransfer(
            request, upload: (request.body?.data).map { .inMemory($0) }, rules: try CallRules(limits), engine: engine)
        transfer.driver.start(over: transfer, completion: outcomes.completion)
        calls.add(transfer.driver)
        transfer.activity.withLock { $0.launch(at: URLSessionClock.now) }
        exchange = URLSessionExchange(task, transfer: transfer, limits: limits, trust: trust, backlog: backlog)
        bridge.add(exchange)
        (self.endings, self.outcomes) = (endings, outcomes)
    }

    deinit {
        session.invalidateAndCancel()
    }

    /// How often the bridge has reported the end of the exchange.
    var endingCount: Int { endings.withLock { $0 } }

    func receive(_ status: Int, _ fields: [String: String] = [:]) {
        if let response = response(status, fields) { receive(response) }
    }

    func receive(_ response: URLResponse) {
        bridge.urlSession(session, dataTask: task, didReceive: response) { _ in }
    }

    func receive(_ text: String) {
        receive(Data(text.utf8))
    }

    func receive(_ data: Data) {
        bridge.urlSession(session, dataTask: task, didReceive: data)
    }

    func send(_ count: Int64, of total: Int64) {
        bridge.urlSession(
            session, task: task, didSendBodyData: count, totalBytesSent: count, totalBytesExpectedToSend: total)
    }

    /// Proposes to follow a redirect. Returns the requests with which the completion handler was called.
    func redirect(_ status: Int, to location: String) -> [URLRequest?] {
        let chosen = Locked<[URLRequest?]>([])
        guard let response = response(status, ["Location": location]), let url = URL(string: location) else { return [] }
        bridge.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: URLRequest(url: url)) {
            request in
            chosen.withLock { $0.append(request) }
        }
        return chosen.withLock { $0 }
    }

    /// How often the engine was to discard the transfer.
    var discardCount: Int { engine.discards.withLock { $0 } }

    /// How often the end of the task was delivered.
    var endCount: Int { ends.withLock { $0 } }

    /// Ends the task of a streamed response, as the engine does.
    func end(_ code: URLError.Code? = nil) {
        let error = code.map { NSError(domain: NSURLErrorDomain, code: $0.rawValue, userInfo: [:]) }
        bridge.urlSession(session, task: task, didCompleteWithError: error)
        exchange.end { [self] in
            ends.withLock { $0 += 1 }
            transfer.driver.end(Result { () throws(TransportError) in try exchange.outcome(error) })
        }
    }

    /// Ends the task, and returns the response or the error that the engine takes from the exchange.
    func complete(_ code: URLError.Code? = nil) -> Result<NetworkResponse, TransportError> {
        let error = code.map { NSError(domain: NSURLErrorDomain, code: $0.rawValue, userInfo: [:]) }
        bridge.urlSession(session, task: task, didCompleteWithError: error)
        do throws(TransportError) {
            return .success(try exchange.outcome(error).response)
        } catch {
            return .failure(error)
        }
    }

    func response(_ status: Int, _ fields: [String: String]) -> HTTPURLResponse? {
        HTTPURLResponse(url: exchange.request.url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
    }
}

/// Sends nothing.
private final class IdleEngine: URLSessionTransferOwner {
    let discards = Locked(0)

    func start(_ transfer: URLSessionTransfer) {}
    func follow(_ transfer: URLSessionTransfer, _ next: NetworkRequest, cookies: String?) {}
    func discard(_ transfer: URLSessionTransfer) { discards.withLock { $0 += 1 } }
}

extension NetworkRequest {
    /// A request to a host that does not exist.
    static func unsent(
        _ url: String = "https://host.invalid/", method: RequestMethod = .get, body: NetworkBody? = nil
    ) throws -> NetworkRequest {
        guard let url = URL(string: url) else { throw URLError(.badURL) }
        return NetworkRequest(method: method, url: url, body: body)
    }
}

/// Never responds.
private final class SilentProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {}
    override func stopLoading() {}
}
