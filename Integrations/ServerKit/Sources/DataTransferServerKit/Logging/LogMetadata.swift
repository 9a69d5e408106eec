import DataTransfer
import Foundation
import Logging

/// Facts about a request, with the names of OpenTelemetry's semantic conventions.
struct LogMetadata {
    private(set) var values: Logger.Metadata = [:]

    /// Creates metadata of a request; none if there is no request.
    init(_ request: LoggedRequest? = nil) {
        guard let request else { return }
        values[Convention.method] = .string(Convention.known(method: request.method))
        values[Convention.url] = .string(Redaction.default.redacted(url: request.url))
        if let host = request.url.host(percentEncoded: true) { values[Convention.serverAddress] = .string(host) }
        let isSecure = request.url.scheme?.lowercased() == "https"
        values[Convention.serverPort] = .stringConvertible(request.url.port ?? (isSecure ? 443 : 80))
        if let name = request.endpointName { values[Convention.urlTemplate] = .string(name) }
        if request.attempt > 1 { values[Convention.resendCount] = .stringConvertible(request.attempt - 1) }
        values["http.client.call.id"] = .stringConvertible(request.identifier)
    }

    /// Returns metadata with the status, the size and the time of a response.
    func adding(_ response: LoggedResponse) -> LogMetadata {
        var copy = self
        copy.values[Convention.status] = .stringConvertible(response.statusCode)
        copy.values["http.client.request.duration"] = .stringConvertible(Self.seconds(response.duration))
        if let size = response.bytesReceived { copy.values["http.response.body.size"] = .stringConvertible(size) }
        if let name = response.protocolName { copy.values[Convention.protocolVersion] = .string(Convention.version(of: name)) }
        return copy
    }

    /// Returns metadata with the status, the source, the attempts and the time of a call.
    func adding(_ outcome: LoggedOutcome) -> LogMetadata {
        var copy = self
        if let status = outcome.statusCode { copy.values[Convention.status] = .stringConvertible(status) }
        copy.values[Convention.resendCount] = outcome.attempts > 1 ? .stringConvertible(outcome.attempts - 1) : nil
        copy.values["http.client.call.duration"] = .stringConvertible(Self.seconds(outcome.duration))
        if outcome.source != .attempt { copy.values["http.client.call.source"] = .string(outcome.source.rawValue) }
        return copy
    }

    /// Returns metadata with the type and the redacted description of an error.
    func adding(_ error: any Error) -> LogMetadata {
        var copy = self
        copy.values[Convention.errorType] = .string(Self.type(of: error))
        copy.values["error.message"] = .string(Redaction.default.redacted(text: "\(error)"))
        return copy
    }

    private static func type(of error: any Error) -> String {
        switch error {
        case let error as TransportError: error.code.rawValue
        case let error as NetworkError: type(of: error)
        case let error as DataTransferError:
            error.networkError.map(type(of:)) ?? "\(Swift.type(of: error)).\(caseName(of: error))"
        default: "\(Swift.type(of: error))"
        }
    }

    private static func type(of error: NetworkError) -> String {
        error.statusCode.map(String.init) ?? error.transportError?.code.rawValue ?? TransportError.Code.invalidRequest.rawValue
    }

    private static func caseName(of error: DataTransferError) -> String {
        switch error {
        case .noResponse: "noResponse"
        case .parsing: "parsing"
        case .networkFailure, .resolvedNetworkFailure: "networkFailure"
        case .file: "file"
        case .operation: "operation"
        }
    }

    static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
