import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// A download that decodes a large response from a file without a name, which is mapped into memory.
///
/// While the value is decoded, the bytes are on the disk and not in the process's memory.
struct DecodedDownload<Target: ResponseRequestable>: Sendable {
    let endpoint: Target
    let progress: (any TransferProgressObserver)?
    let service: any DataTransferService

    func run() async throws(DataTransferError) -> Target.Response {
        var request = endpoint.sourcedRequest
        if let progress { request.progress = progress }
        if request.acceptedMediaTypes.areOfDecoder {
            request.acceptedMediaTypes = endpoint.responseDecoder.acceptedMediaTypes
        }
        let stream = try await service.streamResult(for: request).get()
        let bytes = try await stored(stream)
        do {
            // Decoding reads the mapped file.
            let body = ResponseData(.data(bytes), contentType: stream.headers["Content-Type"], decoder: stream.decoder)
            return try await BackgroundThreads.files.value { try endpoint.response(from: body) }
        } catch {
            let response = NetworkResponse(
                statusCode: stream.statusCode, headers: stream.headers, trailers: stream.trailers,
                // The error copies only the bytes that it shows.
                body: .data(bytes), url: stream.url, timings: stream.timings)
            throw stream.report(DataTransferError(decoding: error, of: response, method: request.method))
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
            while let chunk = try await chunks.nextElement() {
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
        guard let descriptor = FileDescriptor.open(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600) else {
            throw FileFailure("a temporary file cannot be created", url: folder, .last)
        }
        unlink(path)
        return OutputFile(descriptor, url: folder)
    }

    /// Returns the contents of the file, mapped into memory.
    fileprivate func mapped() throws(FileFailure) -> Data {
        let length = Int(try status().st_size)
        guard length > 0 else { return Data() }
        guard let pages = mmap(nil, length, PROT_READ, MAP_PRIVATE, descriptor.number, 0), pages != MAP_FAILED else {
            throw FileFailure("the temporary file cannot be mapped into memory", url: url, .last)
        }
        return Data(bytesNoCopy: pages, count: length, deallocator: .unmap)
    }
}

/// An open file that is written and read, whose failures name it. All methods may block.
struct OutputFile: Sendable {
    let descriptor: FileDescriptor
    /// The location of the file, for errors.
    let url: URL

    /// Creates a file that owns the descriptor and closes it.
    init(_ descriptor: FileDescriptor, url: URL) {
        self.descriptor = descriptor
        self.url = url
    }

    /// Closes the descriptor. No other method may be called afterwards. Without this call, it is closed when the last copy is released.
    func close() {
        descriptor.close()
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileFailure) {
        guard descriptor.write(bytes, at: offset) else { throw FileFailure("cannot be written", url: url, .last) }
    }

    /// Reads bytes at an offset into a buffer, until it is full or the file ends.
    ///
    /// - Returns: The number of bytes that were read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFailure) -> Int {
        guard let count = descriptor.read(into: buffer, at: offset) else { throw FileFailure("cannot be read", url: url, .last) }
        return count
    }

    func truncate() throws(FileFailure) {
        guard ftruncate(descriptor.number, 0) == 0 else { throw FileFailure("cannot be truncated", url: url, .last) }
    }

    /// Waits until the contents of the file are on the disk.
    func flush() throws(FileFailure) {
        guard fsync(descriptor.number) == 0 else { throw FileFailure("cannot be flushed to the disk", url: url, .last) }
    }

    func status() throws(FileFailure) -> stat {
        guard let status = descriptor.status else { throw FileFailure("its status cannot be read", url: url, .last) }
        return status
    }
}

/// Blocking work on files, which runs on background threads and not on those of Swift concurrency.
enum BlockingWork {
    /// Runs blocking work on a background thread and returns its result.
    ///
    /// - Parameter url: The file that the work concerns.
    static func run<Value: Sendable>(
        on url: URL, _ work: @escaping @Sendable () throws(FileFailure) -> Value
    ) async throws(FileFailure) -> Value {
        try await BackgroundThreads.files.value(work)
    }
}

extension Data {
    /// Calls a closure with the bytes. Unlike `withUnsafeBytes`, it keeps the type of the error.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws(FileFailure) -> Value) throws(FileFailure) -> Value {
        try withUnsafeBytes { bytes in Result { () throws(FileFailure) in try body(bytes) } }.get()
    }

    /// Calls a closure with the mutable bytes. Unlike `withUnsafeMutableBytes`, it keeps the type of the error.
    mutating func withMutableBytes<Value>(
        _ body: (UnsafeMutableRawBufferPointer) throws(FileFailure) -> Value
    ) throws(FileFailure) -> Value {
        try withUnsafeMutableBytes { bytes in Result { () throws(FileFailure) in try body(bytes) } }.get()
    }
}
