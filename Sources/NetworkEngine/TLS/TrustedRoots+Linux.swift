#if os(Linux)
    import COpenSSL
    import Foundation
    import NetworkSupport
    import NetworkTransport

    /// The certificate authorities that a trust policy accepts, as OpenSSL holds them.
    // Sendable although unchecked: the set is changed only while it is made, and OpenSSL protects its own changes with locks.
    final class TrustedRoots: @unchecked Sendable {
        let pointer: OpaquePointer

        private init() throws(TrustError) {
            guard let pointer = copenssl_roots_create() else { throw TrustError("no memory for certificate authorities") }
            self.pointer = pointer
        }

        deinit {
            copenssl_roots_free(pointer)
        }

        /// Makes the authorities of a policy; `nil` if it accepts anyone. OpenSSL must be available.
        static func make(_ roots: LoadedTrust.Roots) throws(TrustError) -> TrustedRoots? {
            switch roots {
            case .anyone: return nil
            case .system: return try System.roots()
            case .certificates(let certificates, let andSystem):
                let roots = try TrustedRoots()
                if andSystem { try roots.load(try System.find()) }
                for (index, certificate) in certificates.enumerated() {
                    guard copenssl_roots_add(roots.pointer, certificate, certificate.count) != 0 else {
                        throw TrustError("roots: OpenSSL cannot read certificate \(index + 1)")
                    }
                }
                return roots
            }
        }

        private func load(_ system: System) throws(TrustError) {
            guard copenssl_roots_load(pointer, system.file, system.folders) != 0 else {
                let names = [system.file, system.folders].compactMap(\.self).joined(separator: ", ")
                throw TrustError("roots: the system's certificate authorities cannot be read from \(names)")
            }
        }

        /// Where the system keeps its certificate authorities.
        private struct System: Hashable {
            var file: String?
            /// Folders, separated by colons.
            var folders: String?
            /// When the file was last changed, so that an update is noticed.
            var changed: Date?

            /// What was loaded last: reading a hundred certificates takes as long as several handshakes.
            private static let last = Locked<(System, TrustedRoots)?>(nil)

            static func roots() throws(TrustError) -> TrustedRoots {
                let system = try find()
                return try last.withLock { last throws(TrustError) in
                    if let last, last.0 == system { return last.1 }
                    let roots = try TrustedRoots()
                    try roots.load(system)
                    last = (system, roots)
                    return roots
                }
            }

            /// Returns what `SSL_CERT_FILE` and `SSL_CERT_DIR` name (SSL_CTX_load_verify_locations(3)), or else the place of the distribution.
            static func find() throws(TrustError) -> System {
                let file = copenssl_environment("SSL_CERT_FILE").map { String(cString: $0) }
                let folders = copenssl_environment("SSL_CERT_DIR").map { String(cString: $0) }
                if file != nil || folders != nil { return System(file: file, folders: folders) }
                if let file = TrustRoots.systemFiles.first(where: FileManager.default.isReadableFile) {
                    return System(file: file, folders: nil)
                }
                if let folder = TrustRoots.systemFolders.first(where: FileManager.default.isReadableFile) {
                    return System(file: nil, folders: folder)
                }
                let places = TrustRoots.systemFiles + TrustRoots.systemFolders
                throw TrustError(
                    "roots: none of the places of the system's certificate authorities is readable: \(places.joined(separator: ", "))"
                )
            }

            private init(file: String?, folders: String?) {
                self.file = file
                self.folders = folders
                // The file that a link leads to: the link itself stays the same.
                let target = file.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
                let attributes = target.flatMap { try? FileManager.default.attributesOfItem(atPath: $0) }
                changed = attributes?[.modificationDate] as? Date
            }
        }
    }
#endif
