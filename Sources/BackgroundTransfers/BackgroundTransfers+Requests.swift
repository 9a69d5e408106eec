import DataTransfer
import Endpoints
import Foundation
import NetworkCore

extension BackgroundTransfers {
    /// The maximum length of the name of a transfer in bytes.
    static let maximumIDBytes = 256

    /// Builds a request, and refuses what a background session cannot do.
    func request(
        _ description: RequestDescription, id: String, isDownload: Bool
    ) throws(DataTransferError) -> NetworkRequest {
        let request: NetworkRequest
        do throws(RequestGenerationError) {
            request = try description.build(with: configuration)
        } catch {
            var error = error
            error.request = RequestGenerationError.text(of: description)
            throw .networkFailure(.requestGeneration(error))
        }
        guard (1...Self.maximumIDBytes).contains(id.utf8.count) else {
            throw refusal(request, .invalidRequest, "id: it has \(id.utf8.count) bytes; 1 to \(Self.maximumIDBytes) are possible")
        }
        guard (.seconds(1)...Duration.seconds(1_000_000)).contains(options.totalTimeout) else {
            throw refusal(
                request, .invalidConfiguration, "totalTimeout: \(options.totalTimeout) is outside 1 s...1000000 s")
        }
        guard options.maximumConnectionsPerHost >= 1, options.maximumBodyBytes >= 0 else {
            throw refusal(
                request, .invalidConfiguration,
                "maximumConnectionsPerHost is \(options.maximumConnectionsPerHost), maximumBodyBytes \(options.maximumBodyBytes)")
        }
        if let part = unsupportedPart(of: request, isDownload: isDownload) { throw refusal(request, .unsupported, part) }
        if !options.sendsCredentials, let name = request.credentialField {
            throw refusal(
                request, .unsupported,
                """
                the header field \(name.printable) may be a secret: in the background, the system sends it to each origin to which the server \
                redirects; sendsCredentials permits it
                """)
        }
        return request
    }

    /// Returns what a background session cannot do, with its name; `nil` if it can send the request.
    private func unsupportedPart(of request: NetworkRequest, isDownload: Bool) -> String? {
        let timeouts = request.timeouts
        if timeouts != RequestTimeouts() {
            return "timeouts: in the background, totalTimeout of the options applies to all transfers"
        }
        if !request.redirects.isDefault { return "redirects: in the background, the system follows them without asking" }
        if request.body?.trailers != nil { return "trailers: URLSession sends none" }
        if request.compression == .gzip { return "compression: no interceptor runs in the background" }
        if request.onInformationalResponse != nil { return "onInformationalResponse: URLSession reports none" }
        if request.requestsUpgrade { return "a connection in the background cannot be upgraded" }
        switch (isDownload, request.body) {
        case (true, let body?) where !body.isInMemory: return "body: that of a download must be in memory"
        case (false, nil): return "body: an upload needs one"
        default: return nil
        }
    }

    private func refusal(_ request: NetworkRequest, _ code: TransportError.Code, _ message: String) -> DataTransferError {
        .networkFailure(NetworkError(TransportError(code, message, request: request)))
    }

    /// Checks the destination of a download, and that its folder exists.
    static func check(_ file: URL, replaces: Bool, maximumBytes: Int64?) throws(DataTransferError) {
        let options = DownloadOptions(existingFile: replaces ? .replace : .fail, maximumBytes: maximumBytes)
        do throws(FileFailure) {
            try DownloadDestination.file(file).validate(options)
            try options.validate(for: file)
            var status = stat()
            guard stat(file.deletingLastPathComponent().path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw FileFailure(.folderMissing, "its folder does not exist", url: file)
            }
        } catch {
            throw .file(error)
        }
    }
}

extension NetworkRequest {
    /// The name of a header field that could be a secret; `nil` if there is no such field.
    fileprivate var credentialField: String? {
        let harmless = headers.harmless
        return headers.fields.first { !harmless.contains($0.name) && !HeaderFields.isSame($0.name, "Host") }?.name
    }
}
