import Endpoints
import Foundation
import NetworkCore

/// A download that decodes a large response from a file without a name, which is mapped into memory.
///
/// While the value is decoded, the bytes are on the disk and not in the process's memory.
struct DecodedDownload<Target: ResponseRequestable>: Sendable {
    let endpoint: Target
    let progress: (any TransferProgressObserver)?
    let service: any DataTransferService

    func run() async throws(DataTransferError) -> Target.Response {
        var request = AdjustedEndpoint(bytesOf: endpoint)
        if let progress { request.progress = progress }
        let stream = try await service.stream(for: request)
        let bytes = try await stored(stream)
        do {
            // Decoding reads the mapped file.
            let body = ResponseBody(bytes, contentType: stream.headers["Content-Type"])
            return try await BackgroundThreads.files.value { try endpoint.response(from: body) }
        } catch {
            let response = NetworkResponse(
                statusCode: stream.statusCode, headers: stream.headers, trailers: stream.trailers,
                // The error copies only the bytes that it shows.
                body: bytes, url: stream.url, timings: stream.timings)
            throw stream.report(DataTransferError(decoding: error, of: response, endpoint: endpoint))
        }
    }

    /// Writes the body to a file and returns its contents in memory-mapped pages, which the system can discard and read again.
    private func stored(_ stream: DataTransferStream) async throws(DataTransferError) -> Data {
        let writer: FileWriter
        do throws(FileFailure) {
            let file = try await BlockingWork.run(on: FileManager.default.temporaryDirectory) { () throws(FileFailure) in
                try OutputFile.nameless()
            }
            writer = FileWriter(file)
        } catch {
            stream.stop()
            throw stream.report(.file(error))
        }
        do throws(DataTransferError) {
            var chunks = stream.makeAsyncIterator()
            while let chunk = try await chunks.next() {
                do throws(FileFailure) {
                    try await writer.write(chunk)
                } catch {
                    throw stream.report(.file(error))
                }
            }
        } catch {
            stream.stop()
            _ = try? await writer.finish()
            throw error
        }
        do throws(FileFailure) {
            _ = try await writer.finish()
            return try await BlockingWork.run(on: writer.file.url) { () throws(FileFailure) in try writer.file.mapped() }
        } catch {
            throw stream.report(.file(error))
        }
    }
}

extension OutputFile {
    /// Creates a file without a name in the folder for temporary files, so that no other process can open it.
    ///
    /// The system deletes it when the last of its descriptors and mappings is closed.
    fileprivate static func nameless() throws(FileFailure) -> OutputFile {
        let folder = FileManager.default.temporaryDirectory
        let path = folder.appendingPathComponent("download-\(UUID().uuidString)").path
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure("a temporary file cannot be created", url: folder, errno: errno) }
        unlink(path)
        return OutputFile(descriptor, url: folder)
    }

    /// Returns the contents of the file, mapped into memory.
    fileprivate func mapped() throws(FileFailure) -> Data {
        let length = Int(try status().st_size)
        guard length > 0 else { return Data() }
        guard let pages = mmap(nil, length, PROT_READ, MAP_PRIVATE, descriptor, 0), pages != MAP_FAILED else {
            throw FileFailure("the temporary file cannot be mapped into memory", url: url, errno: errno)
        }
        return Data(bytesNoCopy: pages, count: length, deallocator: .unmap)
    }
}
