import Endpoints
import Foundation
import NetworkCore

// Writing the body of a response to the file.
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
            throw await failed(
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
}
