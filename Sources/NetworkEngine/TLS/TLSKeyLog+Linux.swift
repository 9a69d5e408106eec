#if os(Linux)
    import Foundation
    import NetworkSupport
    import NetworkTransport

    /// The file that the secrets of TLS connections are appended to (``SessionConfiguration/tlsKeyLogFile``).
    final class TLSKeyLog: Sendable {
        private let file: FileDescriptor
        var descriptor: CInt { file.number }

        /// Opens the file, and creates it so that only this user can read it.
        ///
        /// - Throws: ``TransportError/Code/invalidConfiguration``.
        init(_ url: URL) throws(TransportError) {
            guard url.isFileURL, let file = FileDescriptor.open(url.path, O_WRONLY | O_CREAT | O_APPEND, mode: 0o600) else {
                throw TransportError(.invalidConfiguration, "tlsKeyLogFile: the file cannot be opened for writing")
            }
            self.file = file
        }
    }
#endif
