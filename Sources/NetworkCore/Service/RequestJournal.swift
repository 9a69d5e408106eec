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

    /// - Returns: What hears of the call; `nil` when nobody listens.
    func open(_ request: NetworkRequest) -> CallJournal? {
        guard let logger, logger.isEnabled else { return nil }
        let identifier = Self.lastIdentifier.withLock { last in
            last += 1
            return last
        }
        return CallJournal(request, identifier: identifier, logger: logger)
    }

    /// No request could be built.
    func refuse(_ error: NetworkError) {
        guard let logger, logger.isEnabled else { return }
        logger.log(error: error, for: nil)
        logger.log(outcome: LoggedOutcome(error: error, source: .none, attempts: 0), for: nil)
    }
}

extension HTTPHeaders {
    /// Without secrets: a logger of the program's own may write them anywhere.
    fileprivate var logged: [LoggedField] {
        fields.map { LoggedField(name: $0.name, value: Redaction.default.redacted(headerValue: $0.value, for: $0.name)) }
    }
}

extension NetworkRequest {
    /// What a logger, or ``NetworkLogging/CurlCommand``, is told of this request. The values of header fields that are secret are replaced.
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
    var logged: LoggedResponse {
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
