import Endpoints
import Foundation
import NetworkLogging

/// Tells a logger what happens to a request. Without one, or while it is disabled, nothing is built for it.
struct RequestJournal: Sendable {
    let logger: (any NetworkErrorLogger)?

    private static let lastIdentifier = Locked<UInt64>(0)

    /// One that tells nobody, for a request that is not to be logged.
    func hearing(of context: RequestContext) -> RequestJournal {
        context.isLogged ? self : RequestJournal(logger: nil)
    }

    /// - Returns: The record that later events refer to; `nil` when nobody listens.
    func open(_ request: NetworkRequest) -> LoggedRequest? {
        guard let logger, logger.isEnabled else { return nil }
        let identifier = Self.lastIdentifier.withLock { last in
            last += 1
            return last
        }
        let record = LoggedRequest(
            method: request.method.rawValue, url: request.url, headers: request.headers.logged,
            body: request.body?.logged, identifier: identifier)
        logger.log(request: record)
        return record
    }

    func note(_ response: NetworkResponse, _ entry: LoggedRequest?) {
        guard let entry, let logger, logger.isEnabled else { return }
        logger.log(response: response.logged, for: entry)
    }

    /// Each failure is told once.
    func close(_ entry: LoggedRequest?, _ error: NetworkError) {
        guard let logger, logger.isEnabled else { return }
        logger.log(error: error, for: entry)
    }
}

extension HTTPHeaders {
    fileprivate var logged: [LoggedField] { fields.map { LoggedField(name: $0.name, value: $0.value) } }
}

extension NetworkRequest {
    /// What a logger, or ``NetworkLogging/CurlCommand``, is told of this request.
    public var logged: LoggedRequest {
        LoggedRequest(
            method: method.rawValue, url: url, headers: headers.logged, body: body?.logged)
    }
}

extension RequestContent {
    fileprivate var logged: LoggedBody {
        switch source {
        case .data(let data): .data(data)
        case .file(let url): .file(url, bytes: nil)
        case .stream, .sequence: .stream(bytes: knownLength)
        }
    }
}

extension NetworkResponse {
    fileprivate var logged: LoggedResponse {
        let measured = [
            ("queued", timings.queued), ("dns", timings.nameLookup), ("connect", timings.connect), ("tls", timings.tls),
            ("send", timings.send), ("first byte", timings.wait),
        ]
        return LoggedResponse(
            statusCode: statusCode, url: url, headers: headers.logged, body: stream == nil ? body : nil, duration: timings.total,
            protocolName: timings.protocolName, isReusedConnection: timings.isReusedConnection,
            bytesSent: timings.bytesSent, bytesReceived: stream == nil ? timings.bytesReceived : nil, attempt: timings.attempt,
            phases: measured.compactMap { name, duration in duration.map { LoggedPhase(name: name, duration: $0) } })
    }
}
