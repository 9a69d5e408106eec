import DataTransfer
import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

// The requests of an upload, each with the interpretation of its response.
extension FileUpload {
    /// Asks what the server supports.
    func server(_ attempts: inout UploadAttempts) async throws(DataTransferError) -> UploadServer {
        while true {
            let step = attempts.step
            let options = try request { () throws(TransportError) in try requests.options(step) }
            guard let response = try await response(to: options, &attempts) else { continue }
            return try reporting(
                Result { () throws(UploadFailure) in try UploadServer(response.headers, url: response.url, file: file) })
        }
    }

    func create(
        _ source: UploadSource, _ state: UploadStateFile?, _ server: UploadServer, _ creator: String,
        _ attempts: inout UploadAttempts
    ) async throws(DataTransferError) -> Upload? {
        try reporting(Result { () throws(UploadFailure) in try server.checkLength(source.length, file: file) })
        let step = attempts.step
        let post = try request { () throws(TransportError) in
            try requests.post(length: source.length, metadata: options.encodedMetadata, step)
        }
        // After a failure that leaves no upload behind, or if the endpoint permits another one, the upload is created once more.
        guard let response = try await response(to: post, &attempts) else { return nil }
        let url = try reporting(
            Result { () throws(UploadFailure) in
                try UploadOutcome.refusal(response.statusCode, response.headers, file: file)
                return try UploadLocation.url(in: response.headers, of: response.url, file: file)
            })
        let record = UploadRecord(
            url: url.absoluteString, creator: creator, file: source.identity, expires: response.headers.uploadExpiry)
        try await save(record, state)
        source.beginUpload()
        // The server has no bytes, which are all of an empty file.
        return Upload(url: url, offset: 0, isContinued: false, record: record)
    }

    /// Asks for the position; `nil` after a failure from which the upload continues.
    func ask(
        _ source: UploadSource, _ upload: Upload, _ attempts: inout UploadAttempts
    ) async throws(DataTransferError) -> UploadOutcome? {
        let step = attempts.step
        let head = try request { () throws(TransportError) in try requests.head(upload.url, step) }
        guard let response = try await response(to: head, &attempts) else { return nil }
        return try reporting(
            Result { () throws(UploadFailure) in
                try UploadOutcome(
                    toHead: response.statusCode, response.headers, length: source.length,
                    sentEnd: upload.isContinued ? nil : source.sentEnd, file: file)
            })
    }

    /// Sends the next part; `nil` after a failure from which the upload continues at the position of the server.
    func send(
        _ source: UploadSource, _ url: URL, _ offset: Int64, _ server: UploadServer, _ attempts: inout UploadAttempts
    ) async throws(DataTransferError) -> (UploadOutcome, expires: Int64?)? {
        let end = options.chunkBytes.map { min(source.length - offset, $0) + offset } ?? source.length
        var checksum: String?
        if options.chunkBytes != nil, options.sendsChecksums, let kind = server.checksum {
            let digest = try reporting(
                await Result.from { () async throws(UploadFailure) in
                    switch kind {
                    case .sha256: try await source.digest(offset..<end, SHA256.self)
                    case .sha1: try await source.digest(offset..<end, SHA1.self)
                    }
                })
            checksum = "\(kind.rawValue) \(Data(digest).base64EncodedString())"
        }
        try await unchanged(source)
        let step = attempts.step
        let patch = try request { () throws(TransportError) in
            try requests.patch(
                url, at: offset, source.body(offset..<end), checksum: checksum, step, progress?.part(from: offset))
        }
        guard let response = try await response(to: patch, &attempts) else { return nil }
        let outcome = try reporting(
            Result { () throws(UploadFailure) in
                try UploadOutcome(toPatch: response.statusCode, response.headers, sending: offset..<end, file: file)
            })
        return (outcome, response.headers.uploadExpiry)
    }

    /// Sends a request; returns `nil` after a temporary failure, when it is time for the next attempt.
    ///
    /// - Throws: The failure if it is not temporary, or if it was the last attempt.
    private func response(
        to endpoint: Endpoint<Void>, _ attempts: inout UploadAttempts
    ) async throws(DataTransferError) -> DataTransferResponse<Void>? {
        let failure: DataTransferError
        do throws(DataTransferError) {
            return try await service.responseResult(for: endpoint).get()
        } catch {
            failure = error
        }
        // The file failed, not the network. The service has logged it.
        if var cause = failure.networkError?.transportError?.underlying as? UploadFailure {
            cause.request = requests.text
            throw .operation(cause)
        }
        // Only the creation is repeated as it is: a failed part is followed by the question for the position.
        let isSafe = endpoint.request.method != .post || endpoint.request.mayBeSentAgain(after: failure.fate)
        guard isSafe, try await continuing({ () async throws(TransportError) in try await attempts.mayContinue(after: failure) })
        else {
            throw failure
        }
        return nil
    }
}

extension HeaderFields {
    /// The time at which the server removes the upload (`Upload-Expires`), in seconds since 1970; `nil` if there is no valid one.
    fileprivate var uploadExpiry: Int64? { self["Upload-Expires"].flatMap { HTTPDate($0)?.secondsSince1970 } }
}
