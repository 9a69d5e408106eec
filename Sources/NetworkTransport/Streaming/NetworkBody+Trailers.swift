import Endpoints
import Foundation
import NetworkSupport

// The trailers of a request (RFC 9110 §6.5), which are made after the last byte of its body, once per attempt.
extension NetworkBody {
    /// The maximum size of the names and values of all trailer fields together, in bytes.
    static let maximumTrailerBytes = 64 << 10

    /// Passes all bytes to `sink`, which returns when there is room for more, and then makes the trailers.
    ///
    /// - Returns: The trailer fields, validated.
    /// - Throws: ``TransportError/Code/bodyFailed``, also for a field that cannot be sent, or ``TransportError/Code/bodyNotReplayable``.
    func sendWithTrailers(to sink: (Data) async throws -> Void) async throws(TransportError) -> HeaderFields {
        guard let trailers else {
            try await send(to: sink)
            return [:]
        }
        guard trailers.needsDigest else {
            try await send(to: sink)
            return try await trailers.fields(digest: [])
        }
        var hash = SHA256()
        try await send { chunk in
            chunk.withUnsafeBytes { hash.update($0) }
            try await sink(chunk)
        }
        return try await trailers.fields(digest: hash.finalized())
    }
}

extension BodyTrailers {
    /// Makes and validates the fields.
    ///
    /// - Parameter digest: The SHA-256 digest of the bytes that were sent, if it is needed.
    fileprivate func fields(digest: [UInt8]) async throws(TransportError) -> HeaderFields {
        var fields: [HeaderFields.Field] = []
        for part in parts {
            switch part {
            case .digest:
                fields.append(.init(name: "Content-Digest", value: "sha-256=:\(Data(digest).base64EncodedString()):"))
            case .fields(_, let make):
                do {
                    fields += try await make().fields
                } catch {
                    throw TransportError(.bodyFailed, "the closure that makes the trailers failed", causedBy: error)
                }
            }
        }
        let trailers = HeaderFields(fields)
        try trailers.validateAsTrailers()
        trailers.rememberSecrets()
        return trailers
    }
}

extension HeaderFields {
    fileprivate func validateAsTrailers() throws(TransportError) {
        var bytes = 0
        for field in fields {
            do throws(RequestGenerationError) {
                try field.validateAsTrailer()
                bytes += field.name.utf8.count + field.value.utf8.count
                guard bytes <= NetworkBody.maximumTrailerBytes else {
                    throw RequestGenerationError(
                        .headerValue(field.name),
                        "with it, the trailer fields are larger than \(NetworkBody.maximumTrailerBytes) bytes")
                }
            } catch {
                throw TransportError(.bodyFailed, "the trailers are invalid: \(error.description)", underlying: error)
            }
        }
    }
}

extension NetworkRequest {
    /// Returns the error of a request with trailers that cannot be sent.
    package func trailersUnsupported(_ reason: String) -> TransportError {
        TransportError(.unsupported, "the trailers of the body cannot be sent: \(reason)", request: self)
    }
}
