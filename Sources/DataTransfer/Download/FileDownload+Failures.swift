import Endpoints
import Foundation
import NetworkCore

// Failures of calls to the system become those of the service, each logged once.
extension FileDownload {
    func reporting<Value>(
        _ stream: DataTransferStream? = nil, _ work: () async throws(FileFailure) -> Value
    ) async throws(DataTransferError) -> Value {
        try reporting(stream, await Self.result(work))
    }

    func reporting<Value>(
        _ stream: DataTransferStream?, _ result: Result<Value, FileFailure>
    ) throws(DataTransferError) -> Value {
        do throws(FileFailure) {
            return try result.get()
        } catch {
            if let stream { throw failed(error, stream) }
            throw failed(error, nil)
        }
    }

    /// Logs a failure, which says of which request it is.
    func failed(_ failure: FileFailure, _ stream: DataTransferStream?) -> DataTransferError {
        var failure = failure
        failure.request = stream?.request(endpoint.method) ?? RequestGenerationError.text(of: endpoint)
        return stream?.report(.file(failure)) ?? service.report(.file(failure))
    }

    static func result<Value>(_ work: () async throws(FileFailure) -> Value) async -> Result<Value, FileFailure> {
        do throws(FileFailure) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
}
