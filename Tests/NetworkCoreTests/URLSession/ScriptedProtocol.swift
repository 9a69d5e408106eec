import Foundation
import NetworkCore
import NetworkSupport
import TransferTestSupport

@testable import NetworkURLSession

/// The events of requests to one host, in place of a server.
final class Script: Sendable {
    enum Event: Sendable {
        case response(Int, [String: String] = [:])
        case data(String)
        case finish
        case fail(URLError.Code)
        /// The 401 or 407 with its body, then a challenge of this method.
        case challenge(Int, String)
    }

    struct Log: Sendable {
        var requests: [URLRequest] = []
        /// How often `stopLoading` was called.
        var stops = 0
    }

    let host = "\(UUID().uuidString.lowercased()).invalid"
    let log = Watched(Log())
    private let events: @Sendable (URLRequest) -> [Event]

    /// - Parameter events: Returns the events of a request. Without a last event, it never ends by itself.
    init(_ events: @escaping @Sendable (URLRequest) -> [Event]) {
        self.events = events
        ScriptedProtocol.scripts.withLock { $0[host] = self }
    }

    func url(_ path: String = "/", scheme: String = "https") throws -> URL {
        guard let url = URL(string: "\(scheme)://\(host)\(path)") else { throw URLError(.badURL) }
        return url
    }

    var requests: [URLRequest] { log.withLock { $0.requests } }

    fileprivate func begin(_ request: URLRequest) -> [Event] {
        log.withLock { $0.requests.append(request) }
        return events(request)
    }
}

/// Passes the events of a ``Script`` to `URLSession`.
final class ScriptedProtocol: URLProtocol {
    fileprivate static let scripts = Locked<[String: Script]>([:])

    override class func canInit(with request: URLRequest) -> Bool { script(of: request) != nil }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    private static func script(of request: URLRequest) -> Script? {
        request.url?.host.flatMap { host in scripts.withLock { $0[host] } }
    }

    static func manager(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> URLSessionManager {
        let configuration = URLSessionConfiguration.isolated
        configuration.protocolClasses = [ScriptedProtocol.self]
        return URLSessionManager(configuration: SessionConfiguration(change), sessionConfiguration: configuration)
    }

    override func startLoading() {
        guard let client, let url = request.url, let script = Self.script(of: request) else { return }
        func receive(_ status: Int, _ fields: [String: String]) -> HTTPURLResponse? {
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
            if let response { client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed) }
            return response
        }
        for event in script.begin(request) {
            switch event {
            case .response(let status, let fields): _ = receive(status, fields)
            case .data(let text): client.urlProtocol(self, didLoad: Data(text.utf8))
            case .finish: client.urlProtocolDidFinishLoading(self)
            case .fail(let code):
                client.urlProtocol(self, didFailWithError: NSError(domain: NSURLErrorDomain, code: code.rawValue, userInfo: [:]))
            case .challenge(let status, let method):
                let response = receive(status, [:])
                client.urlProtocol(self, didLoad: Data("name?".utf8))
                let space = URLProtectionSpace(
                    host: url.host ?? "", port: 443, protocol: "https", realm: "x", authenticationMethod: method)
                client.urlProtocol(
                    self,
                    didReceive: URLAuthenticationChallenge(
                        protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: response,
                        error: nil, sender: NoSender()))
            }
        }
    }

    override func stopLoading() {
        Self.script(of: request)?.log.withLock { $0.stops += 1 }
    }
}

/// The sender of a challenge, which `URLSession` does not use: it has a completion handler.
private final class NoSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
