import Endpoints
import Foundation
import NetworkCore

// Writing the body of a response to the file, and checking the digests of both.
extension FileDownload {
    /// The position of a response's body in the file, and the digests to check.
    struct Body {
        var start: Int64 = 0
        /// The announced position after the last byte.
        var end: Int64?
        var checks: [DigestCheck] = []
    }

    func receive(
        _ stream: DataTransferStream, _ body: Body, _ digests: [RunningDigest], into partial: PartialFile, total: Int64?
    ) async throws(DataTransferError) {
        progress?.beginBody(at: body.start, of: total ?? body.end)
        if let end = body.end {
            try await reporting(stream) { () throws(FileFailure) in try checkLength(end, body, partial.place.url) }
        }
        var digests = digests
        // A digest of the body alone is computed while it is received, too.
        if body.start > 0, body.checks.contains(where: { $0.start == body.start }) {
            digests.append(RunningDigest(from: body.start))
        }
        let writer = FileWriter(partial.file, from: body.start, digests: digests)
        var position = body.start
        var interruptionError: TransportError?
        do throws(DataTransferError) {
            var chunks = stream.response.body.makeAsyncIterator()
            while true {
                let chunk: Data
                do throws(TransportError) {
                    guard let next = try await chunks.next() else { break }
                    chunk = next
                } catch {
                    interruptionError = error
                    break
                }
                position += Int64(chunk.count)
                try await reporting(stream) { () throws(FileFailure) in
                    try checkLength(position, body, partial.place.url)
                    try await writer.write(chunk)
                }
                progress?.note(received: position)
            }
        } catch {
            stream.stop()
            // The received bytes must be in the file before another download opens it.
            _ = try? await writer.finish()
            throw error
        }
        if let interruptionError {
            stream.stop()
            _ = try? await writer.finish()
            throw await interruption(interruptionError, stream, partial)
        }
        digests = try await reporting(stream) { () throws(FileFailure) in try await writer.finish() }
        let end = total ?? body.end ?? position
        guard position == end else {
            throw failed(
                FileFailure(.lengthMismatch, "\(position) of \(end) bytes were received", url: partial.place.url), stream)
        }
        let checks = body.checks + announcedChecks(stream, in: stream.trailers, at: body.start)
        try await check(checks, digests, partial, length: position, stream)
    }

    func checkLength(_ position: Int64, _ body: Body, _ url: URL) throws(FileFailure) {
        if let end = body.end, position > end {
            throw FileFailure(
                body.start > 0 ? .rangeMismatch : .lengthMismatch,
                "the body is longer than the announced \(end - body.start) bytes",
                url: url,
                spoilsFile: true)
        }
        if let maximum = options.maximumBytes, position > maximum {
            throw FileFailure(.tooLarge, "it is larger than \(maximum) bytes (maximumBytes)", url: url, spoilsFile: true)
        }
    }

    /// Returns the digests that the response announces.
    ///
    /// - Parameter fields: The fields to search. Default: those of the response's header.
    func announcedChecks(_ stream: DataTransferStream, in fields: HTTPHeaders? = nil, at start: Int64) -> [DigestCheck] {
        // Digests are those of the bytes as they were sent, but the engine may have undone their content coding.
        stream.headers.isEncoded ? [] : DigestCheck.announced(in: fields ?? stream.headers, bodyAt: start)
    }

    /// Returns the digest of the bytes in the partial file, if one is needed.
    ///
    /// It is computed before the rest is requested, so that the server does not have to wait.
    func digests(
        of partial: PartialFile, for checks: [DigestCheck], upTo length: Int64
    ) async throws(DataTransferError) -> [RunningDigest] {
        guard !checks.isEmpty else { return [] }
        return [try await caughtUp(RunningDigest(from: 0), with: partial.file, to: length, nil)]
    }

    func check(
        _ checks: [DigestCheck], _ digests: [RunningDigest], _ partial: PartialFile, length: Int64, _ stream: DataTransferStream
    ) async throws(DataTransferError) {
        for check in checks {
            let begun = digests.first { $0.start == check.start } ?? RunningDigest(from: check.start)
            let digest = try await caughtUp(begun, with: partial.file, to: length, stream)
            guard digest.bytes == check.expected else {
                throw failed(
                    FileFailure(
                        .digestMismatch, "its SHA-256 does not match \(check.source)", url: partial.place.url, spoilsFile: true),
                    stream)
            }
        }
    }

    func caughtUp(
        _ digest: RunningDigest, with file: OutputFile, to length: Int64, _ stream: DataTransferStream?
    ) async throws(DataTransferError) -> RunningDigest {
        let isCancelled = Locked(false)
        let result = await withTaskCancellationHandler {
            await Self.result { () throws(FileFailure) in
                try await BlockingWork.run(on: file.url) { () throws(FileFailure) in
                    var digest = digest
                    try digest.catchUp(with: file, to: length) { isCancelled.withLock { $0 } }
                    return digest
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        if isCancelled.withLock({ $0 }) {
            throw .networkFailure(.cancelled(TransportError(.cancelled, "the task was cancelled while a digest was computed")))
        }
        return try reporting(stream, result)
    }
}
