import DataTransfer
import Foundation
import NetworkPipeline
import NetworkTesting
import TrackerClient

/// A tracker in the process of the tests: three issues, two on each page, and access tokens that a refresh token renews.
final class TrackerServer: Sendable {
    static let refreshToken = "refresh-s3cr3t"

    let loopback: LoopbackServer
    /// The faults of the next responses, in order; `nil` for a response without one.
    let faults: Guarded<[LoopbackFault?]>

    init(port: UInt16 = 0, faults: [LoopbackFault?] = []) throws {
        let faults = Guarded(faults)
        let access = Guarded(0)
        func route(
            _ method: RequestMethod, _ path: String, _ respond: @escaping @Sendable (LoopbackRequest) -> LoopbackResponse
        ) -> LoopbackRoute {
            LoopbackRoute(method, path) { request in
                let current = access.change { "Bearer access-\($0)" }
                if path != "/token", request.headers["Authorization"] != current { return .status(401) }
                let fault = faults.change { $0.isEmpty ? nil : $0.removeFirst() }
                return fault.map { respond(request).fault($0) } ?? respond(request)
            }
        }
        loopback = try LoopbackServer(port: port) {
            route(.post, "/token") { request in
                guard request.text.contains(Self.refreshToken) else { return .status(400) }
                let number = access.change { count in
                    count += 1
                    return count
                }
                return .json(#"{"access_token": "access-\#(number)", "refresh_token": "\#(Self.refreshToken)"}"#)
            }
            route(.get, "/me") { _ in .json(#"{"login": "maria", "name": "Maria"}"#) }
            route(.get, "/issues") { request in
                if request.queryItems.contains(where: { $0.name == "page" }) { return .json(#"{"items": [\#(Self.issue(3))]}"#) }
                return .json(#"{"items": [\#(Self.issue(1)), \#(Self.issue(2))]}"#)
                    .header("</issues?per_page=2&page=2>; rel=\"next\"", for: "Link")
            }
            route(.post, "/issues") { request in
                if request.text.contains(#""title":"""#) {
                    return .json(#"{"code": "title_missing", "message": "An issue needs a title."}"#, status: 422)
                }
                return .json(Self.issue(4), status: 201)
            }
            route(.get, "/issues/{id}") { request in
                request.pathParameters["id"] == "9"
                    ? .status(404) : .json(Self.issue(Int(request.pathParameters["id"] ?? "") ?? 0))
            }
            route(.patch, "/issues/{id}") { request in
                .json(Self.issue(1, state: request.text.contains("closed") ? "closed" : "open"))
            }
        }
        self.faults = faults
    }

    static func issue(_ id: Int, state: String = "open") -> String {
        #"{"id": \#(id), "title": "Issue \#(id)", "state": "\#(state)", "labels": ["bug"], "created": "2026-11-01T08:00:00Z"}"#
    }

    func client(refreshToken: String = refreshToken) -> TrackerClient {
        TrackerClient(
            url: loopback.url, refreshToken: refreshToken, retry: RetryOptions(backoff: Backoff(base: .milliseconds(1))),
            session: DefaultSessionManager())
    }
}

/// A value that several threads change.
// `@unchecked Sendable`: the value is only accessed while the lock is held.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func change<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
