#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

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

        /// A folder without certificates. It is named, because without a name, libcurl before 8.17 uses its default for name servers, and so
        /// would trust the system's authorities.
        private static let emptyFolder = "/dev/null"

        /// Applies the policy to a new handle.
        ///
        /// - Parameter peer: Whose certificate is verified under the policy. Default: that of the server.
        /// - Throws: The option that libcurl refuses. The handle must not be used then.
        func apply(to handle: UnsafeMutableRawPointer, for peer: CurlTrustOptions = .server) throws(TrustError) {
            let options = Options(handle: handle)
            do throws(TrustError) {
                try options.set(peer.version, libcurlVersion, "minimumTLSVersion")
            } catch {
                // The default policy is not an error for a libcurl without TLS.
                if isDefault { return }
                throw error
            }
            if minimumTLSVersion < .v1_2 { try options.set(peer.ciphers, "DEFAULT@SECLEVEL=0", "minimumTLSVersion") }
            try options.set(peer.verifiesPeer, isVerified ? 1 : 0, "roots")
            try options.set(peer.verifiesHost, isVerified ? 2 : 0, "roots")
            switch roots {
            case .system:
                if let path = SystemRoots.fileToName { try options.set(peer.rootsFile, path, "roots") }
            case .anyone:
                // A name server is verified nevertheless.
                if let path = SystemRoots.fileToName { try options.set(peer.rootsFile, path, "roots") }
            case .bytes(let bytes):
                try options.set(peer.rootsFolder, Self.emptyFolder, "roots")
                try options.set(peer.rootsFile, nil, "roots")
                try options.set(peer.rootsBytes, bytes, "roots")
            case .file(let file):
                try options.set(peer.rootsFolder, Self.emptyFolder, "roots")
                try options.set(peer.rootsFile, file.path, "roots")
            }
            if let pins { try options.set(peer.pins, pins, "pins") }
            if let identity {
                try options.set(peer.certificate, identity.certificates, "clientIdentity")
                try options.set(peer.key, identity.key, "clientIdentity")
                // Set even if it is empty: otherwise OpenSSL would ask for it on the terminal.
                try options.set(peer.passphrase, identity.passphrase, "clientIdentity")
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

    /// The options of libcurl for one peer of a handle: the server, or an HTTPS proxy in front of it.
    struct CurlTrustOptions: Sendable {
        let version, ciphers, verifiesPeer, verifiesHost, rootsFile, rootsFolder, rootsBytes, pins, certificate, key,
            passphrase: Int

        static let server = CurlTrustOptions(
            version: CCURLOPT_SSLVERSION, ciphers: CCURLOPT_SSL_CIPHER_LIST, verifiesPeer: CCURLOPT_SSL_VERIFYPEER,
            verifiesHost: CCURLOPT_SSL_VERIFYHOST, rootsFile: CCURLOPT_CAINFO, rootsFolder: CCURLOPT_CAPATH,
            rootsBytes: CCURLOPT_CAINFO_BLOB, pins: CCURLOPT_PINNEDPUBLICKEY, certificate: CCURLOPT_SSLCERT_BLOB,
            key: CCURLOPT_SSLKEY_BLOB, passphrase: CCURLOPT_KEYPASSWD)
        static let proxy = CurlTrustOptions(
            version: CCURLOPT_PROXY_SSLVERSION, ciphers: CCURLOPT_PROXY_SSL_CIPHER_LIST,
            verifiesPeer: CCURLOPT_PROXY_SSL_VERIFYPEER, verifiesHost: CCURLOPT_PROXY_SSL_VERIFYHOST,
            rootsFile: CCURLOPT_PROXY_CAINFO, rootsFolder: CCURLOPT_PROXY_CAPATH, rootsBytes: CCURLOPT_PROXY_CAINFO_BLOB,
            pins: CCURLOPT_PROXY_PINNEDPUBLICKEY, certificate: CCURLOPT_PROXY_SSLCERT_BLOB, key: CCURLOPT_PROXY_SSLKEY_BLOB,
            passphrase: CCURLOPT_PROXY_KEYPASSWD)
    }

    extension CurlTrust: Equatable {
        static func == (left: CurlTrust, right: CurlTrust) -> Bool { left === right }
    }

    /// The file of the system's certificate authorities, if libcurl does not find it: its default path is that of the system it was built on.
    private enum SystemRoots {
        /// The path to set; `nil` when the default of libcurl is readable, or no such file is found.
        static let fileToName: String? = {
            guard CurlLibrary.isReady, let handle = ccurl_easy_init() else { return nil }
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
            guard CurlLibrary.isReady, let handle = ccurl_easy_init() else {
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

        /// Returns the policy for the host of an HTTPS proxy.
        ///
        /// - Throws: ``TransportError/Code/trustUnavailable`` if there are policies for hosts and this one is written in a form that cannot be
        ///   compared.
        func policy(ofProxy host: String) throws(TransportError) -> CurlTrust {
            guard let trust = table.trust(ofHost: host[...]) else {
                throw TransportError(
                    .trustUnavailable, "the host of the proxy is written in a form that cannot be matched to a trust policy")
            }
            return policies[trust.number]
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
