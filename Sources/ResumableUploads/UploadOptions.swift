import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// Options for how a file is uploaded resumably, described to the server, verified and continued.
public struct UploadOptions: Sendable {
    /// The file that holds the state with which another call, also in another process, continues the upload.
    ///
    /// Default: `nil`, a hidden file beside the uploaded one, such as `.movie.mp4.upload`. Its folder must exist and be writable. The state
    /// file is readable by this user only (mode 0600), because the URL of an upload can permit writing to it. It is replaced in one step, and
    /// removed when the upload is complete. An existing file that is not a state is never replaced.
    public var stateFile: URL?
    /// Whether an interrupted earlier upload is continued, and its state is kept for a later one. Default: `true`.
    public var resumes: Bool
    /// The description of the file that the server receives with the creation (`Upload-Metadata`), such as `filename` and `filetype`. Default: empty.
    ///
    /// Keys are visible ASCII characters without comma, values any text. With encoded values, all items have at most 16 KiB.
    public var metadata: [String: String]
    /// The maximum number of bytes in one request, at least 1. Default: `nil`: one request sends the whole rest of the file.
    public var chunkBytes: Int64?
    /// Whether each request carries a checksum of its bytes if the server verifies them (`Upload-Checksum`, SHA-256 or SHA-1). Default: `true`.
    ///
    /// It applies only with ``chunkBytes``: a server can store none of the bytes before it has verified all of a request.
    public var sendsChecksums: Bool
    /// The number of attempts in a row without progress after which the upload fails, 1 to 1,000. Default: 8.
    ///
    /// An attempt makes progress if the server has more bytes after it. After lost connections and temporary failures, a retry interceptor of
    /// the service decides instead, with its own maximum, pauses, budget and deadline. These options then apply only to the statuses 409,
    /// 423 and 460.
    public var maximumAttempts: Int
    /// The pauses; the maximum also limits a pause that the server asks for (`Retry-After`). Default: random below 250 milliseconds, then below
    /// twice as long each, up to 20 seconds.
    public var backoff: Backoff
    /// The clock that measures the pauses. Default: the continuous clock.
    public var clock: any Clock<Duration>

    /// Creates options. The values are checked before anything is sent.
    public init(
        stateFile: URL? = nil, resumes: Bool = true, metadata: [String: String] = [:], chunkBytes: Int64? = nil,
        sendsChecksums: Bool = true, maximumAttempts: Int = 8, backoff: Backoff = Backoff(base: .milliseconds(250)),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.stateFile = stateFile
        self.resumes = resumes
        self.metadata = metadata
        self.chunkBytes = chunkBytes
        self.sendsChecksums = sendsChecksums
        self.maximumAttempts = maximumAttempts
        self.backoff = backoff
        self.clock = clock
    }
}

extension UploadOptions {
    /// The maximum size of the encoded metadata in bytes.
    static let maximumMetadataBytes = 16 << 10

    func validate(for file: URL) throws(UploadFailure) {
        func check(_ isValid: Bool, _ message: @autoclosure () -> String) throws(UploadFailure) {
            if !isValid { throw UploadFailure(.invalidOptions, message(), url: file) }
        }
        try check(file.isAbsoluteFile, "is not a file URL with an absolute path")
        if let stateFile {
            try check(stateFile.isAbsoluteFile, "stateFile is not a file URL with an absolute path")
            for suffix in UploadStateFile.suffixes {
                try check(
                    stateFile.standardizedFileURL.path + suffix != file.standardizedFileURL.path,
                    suffix.isEmpty
                        ? "stateFile is the uploaded file" : "the uploaded file has the name of stateFile with \(suffix)")
            }
        }
        if let chunkBytes { try check(chunkBytes >= 1, "chunkBytes is \(chunkBytes); it must be at least 1") }
        try check((1...1000).contains(maximumAttempts), "maximumAttempts is \(maximumAttempts); it must be 1...1000")
        if let error = backoff.configurationError { try check(false, error) }
        for key in metadata.keys.sorted() {
            let isValid = !key.isEmpty && key.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
            try check(
                isValid,
                "the key \"\(key.printable)\" of metadata is empty, or has characters other than visible ASCII without comma")
        }
        if let text = encodedMetadata {
            try check(
                text.utf8.count <= Self.maximumMetadataBytes,
                "metadata has \(text.utf8.count) encoded bytes, more than \(Self.maximumMetadataBytes)")
        }
    }

    /// The value of `Upload-Metadata`: keys and values in base64, sorted by key; `nil` if there is no metadata.
    var encodedMetadata: String? {
        if metadata.isEmpty { return nil }
        return metadata.sorted { $0.key < $1.key }.map { key, value in
            value.isEmpty ? key : "\(key) \(Data(value.utf8).base64EncodedString())"
        }.joined(separator: ",")
    }

    /// The location of the state of a file's upload.
    func statePlace(of file: URL) -> URL {
        if let stateFile { return stateFile }
        let name = file.lastPathComponent
        // Leaves room for the longest suffix.
        let stem = name.utf8.count <= 230 ? name : UploadRecord.hash(name)
        return file.deletingLastPathComponent().appendingPathComponent(".\(stem).upload", isDirectory: false)
    }
}

extension URL {
    fileprivate var isAbsoluteFile: Bool {
        isFileURL && path.first == "/" && !path.utf8.contains(0) && !hasDirectoryPath
            && !["", "/", ".", ".."].contains(lastPathComponent)
    }
}

extension UploadOptions: RedactedStringConvertible {
    /// The options; of the metadata, the keys.
    public var description: String {
        described([
            "stateFile": stateFile?.lastPathComponent.printable, "resumes": resumes,
            "metadata": metadata.keys.sorted().map(\.printable),
            "chunkBytes": chunkBytes, "sendsChecksums": sendsChecksums, "maximumAttempts": maximumAttempts, "backoff": backoff,
        ])
    }
}
