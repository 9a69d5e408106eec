import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

// Loading the ranges of a file at the same time.
extension FileDownload {
    /// Returns the record with which several ranges are requested at the same time; `nil` if one request loads all missing bytes.
    ///
    /// - Parameters:
    ///   - record: The record of the partial file; `nil` if the download cannot be resumed, and so not divided.
    ///   - offset: The number of bytes in the partial file, if the record has no ranges.
    func divided(_ record: DownloadRecord?, at offset: Int64, _ stream: DataTransferStream) -> (
        record: DownloadRecord, total: Int64
    )? {
        guard var record, let total = record.total else { return nil }
        if record.ranges == nil {
            let supportsRanges = stream.statusCode == 206 || stream.headers["Accept-Ranges"]?.asciiLowercased == "bytes"
            guard options.maximumConcurrency > 1, supportsRanges, (total - offset) / 2 >= options.minimumRangeBytes else {
                return nil
            }
            record.ranges = offset > 0 ? [0..<offset] : []
        }
        return (record, total)
    }

    /// Loads the missing ranges, and checks the digests of the file.
    ///
    /// - Parameter checks: The digests of the complete file that are known before.
    /// - Returns: Whether the file is complete; `false` if the server has responded with another version or without ranges.
    func receiveRanges(
        _ stream: DataTransferStream, _ divided: (record: DownloadRecord, total: Int64), checks: [DigestCheck],
        into partial: PartialFile
    ) async throws(DataTransferError) -> Bool {
        try await reporting(stream) { () throws(FileFailure) in
            try checkLength(divided.total, Body(end: divided.total), partial.place.url)
        }
        let announced: [DigestCheck]
        do throws(RangeDownload.Failure) {
            announced = try await RangeDownload(self, into: partial, divided.record, total: divided.total, first: stream).run()
        } catch {
            switch error {
            case .interrupted(let error): throw await interruption(error, stream, partial)
            case .request(let error): throw error
            case .file(let failure): throw await failed(failure, stream)
            case .unusable: return false
            }
        }
        try await check(checks + announced, [], partial, length: divided.total, stream)
        return true
    }

    /// Requests a range of the version that a record describes.
    func stream(_ range: Range<Int64>, of record: DownloadRecord) async throws(DataTransferError) -> DataTransferStream {
        var request = request
        request.progress = progress?.beginRange()
        if !request.headerParameters.contains("Accept-Encoding") {
            request.headerParameters.set("identity", for: "Accept-Encoding")
        }
        request.headerParameters = request.headerParameters.replacing(with: [
            "Range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)", "If-Range": record.validator.text,
        ])
        request.acceptedStatuses = request.acceptedStatuses + [206, 416]
        return try await service.streamResult(for: request).get()
    }
}
