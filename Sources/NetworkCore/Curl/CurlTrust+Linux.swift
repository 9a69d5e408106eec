#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation
    import Glibc
    import NetworkFiles

    /// A trust policy as options of libcurl.
    ///
    /// It is applied once to a new handle, and that handle is never used with another policy, so that no option of another policy remains.
    final class CurlTrust: Sendable {
        private enum Roots: Sendable {
            case system
            case bytes(StableBytes)
            case file(PrivateFile)
            case anyone
        }

        /// The index of the policy in its ``CurlTrustTable``.
        let number: Int
        private let isDefault: Bool
        private let roots: Roots
        private let pins: String?
        private let identity: LoadedIdentity?
        private let minimumTLSVersion: TLSVersion

        /// Prepares a policy for libcurl.
        ///
        /// - Parameters:
        ///   - takesBytes: Whether libcurl accepts root certificates from memory, rather than from a file.
        ///   - library: The TLS library that libcurl uses.
        /// - Throws: The reason why libcurl cannot enforce the policy.
        init(
            _ trust: LoadedTrust, takesBytes: Bool,
            library: String = CurlLibrary.current.tls
        ) throws(TrustError) {
            number = trust.number
            isDefault = trust.isDefault
            minimumTLSVersion = trust.minimumTLSVersion
            identity = trust.identity
            pins =
                trust.pins.isEmpty ? nil : trust.pins.map { "sha256//" + Data($0).base64EncodedString() }.joined(separator: ";")
            // Other TLS libraries ignore some of the options without an error.
            guard isDefault || Self.isEnforced(by: library) else {
                throw TrustError("this libcurl uses \"\(library)\" for TLS; trust policies require OpenSSL")
            }
            switch trust.roots {
            case .system: roots = .system
            case .anyone: roots = .anyone
            case .certificates(let certificates, let andSystem):
                let pem = try (andSystem ? Self.systemRoots() : []) + Array(PEMText.text(certificates).utf8)
                if takesBytes {
                    roots = .bytes(StableBytes(pem))
                } else {
                    guard let file = PrivateFile(pem) else {
                        throw TrustError("no temporary file can be created for the root certificates")
                    }
                    roots = .file(file)
                }
            }
        }

        /// Whether a client certificate is sent to servers that request one.
        var hasIdentity: Bool { identity != nil }

        /// Whether trust policies can be enforced with a TLS library: OpenSSL and its forks.
        static func isEnforced(by library: String) -> Bool {
            ["OpenSSL/", "LibreSSL/", "BoringSSL", "quictls/", "AWS-LC"].contains(where: library.hasPrefix)
        }

        private static func systemRoots() throws(TrustError) -> [UInt8] {
            for path in TrustRoots.systemFiles where FileManager.default.isReadableFile(atPath: path) {
                return Array(try TrustMaterial.file(URL(fileURLWithPath: path)).load()) + [0x0A]
            }
            throw TrustError(
                "no file of the system's certificate authorities is readable: \(TrustRoots.systemFiles.joined(separator: ", "))")
        }

        /// Whether the server's certificate is verified.
        var isVerified: Bool {
            if case .anyone = roots { false } else { true }
        }

        /// Applies the policy to a new handle.
        ///
        /// - Throws: The option that libcurl refuses. The handle must not be used then.
        func apply(to handle: UnsafeMutableRawPointer) throws(TrustError) {
            let options = Options(handle: handle)
            do throws(TrustError) {
                try options.set(CCURLOPT_SSLVERSION, libcurlVersion, "minimumTLSVersion")
            } catch {
                // The default policy is not an error for a libcurl without TLS.
                if isDefault { return }
                throw error
            }
            if minimumTLSVersion < .v1_2 { try options.set(CCURLOPT_SSL_CIPHER_LIST, "DEFAULT@SECLEVEL=0", "minimumTLSVersion") }
            try options.set(CCURLOPT_SSL_VERIFYPEER, isVerified ? 1 : 0, "roots")
            try options.set(CCURLOPT_SSL_VERIFYHOST, isVerified ? 2 : 0, "roots")
            switch roots {
            case .system:
                if let path = SystemRoots.fileToName { try options.set(CCURLOPT_CAINFO, path, "roots") }
            case .anyone: break
            case .bytes(let bytes):
                try options.set(CCURLOPT_CAPATH, nil, "roots")
                try options.set(CCURLOPT_CAINFO, nil, "roots")
                try options.set(CCURLOPT_CAINFO_BLOB, bytes, "roots")
            case .file(let file):
                try options.set(CCURLOPT_CAPATH, nil, "roots")
                try options.set(CCURLOPT_CAINFO, file.path, "roots")
            }
            if let pins { try options.set(CCURLOPT_PINNEDPUBLICKEY, pins, "pins") }
            if let identity {
                try options.set(CCURLOPT_SSLCERT_BLOB, identity.certificates, "clientIdentity")
                try options.set(CCURLOPT_SSLKEY_BLOB, identity.key, "clientIdentity")
                // Set even if it is empty: otherwise OpenSSL would ask for it on the terminal.
                try options.set(CCURLOPT_KEYPASSWD, identity.passphrase, "clientIdentity")
            }
        }

        private var libcurlVersion: Int {
            switch minimumTLSVersion {
            case .obsoleteV1_0: Int(CCURL_SSLVERSION_TLSv1_0)
            case .obsoleteV1_1: Int(CCURL_SSLVERSION_TLSv1_1)
            case .v1_3: Int(CCURL_SSLVERSION_TLSv1_3)
            default: Int(CCURL_SSLVERSION_TLSv1_2)
            }
        }

        private struct Options {
            let handle: UnsafeMutableRawPointer

            func set<Option: BinaryInteger>(_ option: Option, _ value: Int, _ what: String) throws(TrustError) {
                try check(ccurl_easy_set_long(handle, CInt(option), CLong(value)), what)
            }

            func set<Option: BinaryInteger>(_ option: Option, _ value: String?, _ what: String) throws(TrustError) {
                try check(ccurl_easy_set_string(handle, CInt(option), value), what)
            }

            func set<Option: BinaryInteger>(_ option: Option, _ value: StableBytes, _ what: String) throws(TrustError) {
                try check(ccurl_easy_set_blob(handle, CInt(option), value.start, value.count), what)
            }

            private func check(_ result: CInt, _ what: String) throws(TrustError) {
                guard Int(result) != CCURLE_OK else { return }
                let reason = String(cString: ccurl_easy_strerror(result))
                throw TrustError("\(CurlLibrary.current.description) cannot enforce \(what): \(reason)")
            }
        }
    }

    /// The file of the system's certificate authorities, if libcurl does not find it: its default path is that of the system it was built on.
    private enum SystemRoots {
        /// The path to set; `nil` when the default of libcurl is readable, or no such file is found.
        static let fileToName: String? = {
            guard CurlEngine.isReady, let handle = ccurl_easy_init() else { return nil }
            defer { ccurl_easy_cleanup(handle) }
            // libcurl reports its default paths since 7.84.0.
            for place in [CCURLINFO_CAINFO, CCURLINFO_CAPATH] {
                var path: UnsafeMutableRawPointer?
                guard ccurl_easy_get_pointer(handle, CInt(place), &path) == Int(CCURLE_OK), let path else { continue }
                let name = String(cString: path.assumingMemoryBound(to: CChar.self))
                if FileManager.default.isReadableFile(atPath: name) { return nil }
            }
            return TrustRoots.systemFiles.first(where: FileManager.default.isReadableFile)
        }()
    }

    /// The trust policies of a session manager. Each is applied to a handle as a test before the first transfer.
    struct CurlTrustTable: Sendable {
        private let table: TrustTable
        private let policies: [CurlTrust]

        /// The policy for all hosts that have no policy.
        var standard: CurlTrust? { policies.first }

        /// Loads and validates all policies of a configuration.
        ///
        /// - Parameter takesBytes: Whether libcurl accepts root certificates from memory, rather than from a file.
        /// - Throws: ``TransportError/Code/trustUnavailable`` for a policy that cannot be loaded or enforced.
        init(
            _ configuration: SessionConfiguration, takesBytes: Bool = LibraryQuirks.current.takesRootsAsBytes
        ) throws(TransportError) {
            table = try TrustTable(configuration)
            var policies: [CurlTrust] = []
            for trust in table.all {
                do throws(TrustError) {
                    let policy = try CurlTrust(trust, takesBytes: takesBytes)
                    if !trust.isDefault { try Self.validate(policy) }
                    policies.append(policy)
                } catch {
                    throw error.transportError(of: trust.subject)
                }
            }
            self.policies = policies
        }

        private static func validate(_ policy: CurlTrust) throws(TrustError) {
            guard CurlEngine.isReady, let handle = ccurl_easy_init() else {
                throw TrustError("libcurl has no memory for a handle")
            }
            defer { ccurl_easy_cleanup(handle) }
            try policy.apply(to: handle)
        }

        /// Returns the policy for the host of a request.
        ///
        /// - Throws: ``TransportError/Code/trustUnavailable``.
        func policy(for request: NetworkRequest) throws(TransportError) -> CurlTrust {
            policies[try table.trust(for: request).number]
        }
    }

    /// A temporary file that only this user can read. It is deleted when the object is released.
    final class PrivateFile: Sendable {
        let path: String

        /// Creates a file with these bytes; `nil` when it cannot be created or written.
        init?(_ bytes: [UInt8]) {
            path = FileManager.default.temporaryDirectory.appendingPathComponent("trust-\(UUID().uuidString)").path
            guard let file = FileDescriptor.open(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600),
                bytes.withUnsafeBytes({ file.write($0) })
            else { return nil }
        }

        deinit {
            unlink(path)
        }
    }
#endif
