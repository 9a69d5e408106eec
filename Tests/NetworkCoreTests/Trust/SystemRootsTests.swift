#if os(Linux)
    import Endpoints
    import Foundation
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// The certificate authorities of the system, in processes whose environment says where they are (SSL_CTX_load_verify_locations(3)).
    @Suite(.needs("python3 and the openssl command", TLSServers.areAvailable), .timeLimit(.minutes(10)))
    struct SystemRootsTests {
        @Test func `authorities are read again when the file that a link leads to has changed`() async throws {
            let servers = try TLSServers.running()
            await #expect(processExitsWith: .success) {
                [
                    url = servers.url("good") as URL, right = servers.file("ca.pem") as URL,
                    wrong = servers.file("other-ca.pem") as URL
                ]
                in
                let folder = try TemporaryFolder()
                try folder.write(try Data(contentsOf: right), to: "roots.pem")
                let link = folder.file("link.pem").path
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.file("roots.pem").path)
                setenv("SSL_CERT_FILE", link, 1)
                unsetenv("SSL_CERT_DIR")
                let request = NetworkRequest(url: url)
                #expect(try await SocketSessionManager().response(for: request).statusCode == 200)
                try folder.write(try Data(contentsOf: wrong), to: "roots.pem")
                // Also on a file system that keeps whole seconds only.
                let later = Date(timeIntervalSinceNow: 60)
                try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: folder.file("roots.pem").path)
                let error = try await failure(of: SocketSessionManager(), request)
                #expect(error.tlsFailure == .unknownIssuer, "\(error)")
            }
        }

        @Test func `authorities are found by their hashes in the folders of SSL_CERT_DIR`() async throws {
            let servers = try TLSServers.running()
            let (output, status) = try ShellCommand.run(
                "openssl x509 -noout -subject_hash -in \(ShellCommand.quoted(servers.file("ca.pem").path))")
            let hash = try #require(String(data: output, encoding: .utf8)).trimmingCharacters(in: .whitespacesAndNewlines)
            try #require(status == 0 && hash.count == 8)
            let (empty, full) = (try TemporaryFolder(), try TemporaryFolder())
            try full.write(try servers.data("ca.pem"), to: hash + ".0")
            await #expect(processExitsWith: .success) {
                [url = servers.url("good") as URL, empty = empty.url.path as String, full = full.url.path as String] in
                unsetenv("SSL_CERT_FILE")
                setenv("SSL_CERT_DIR", empty, 1)
                let request = NetworkRequest(url: url)
                let error = try await failure(of: SocketSessionManager(), request)
                #expect(error.tlsFailure == .unknownIssuer, "\(error)")
                setenv("SSL_CERT_DIR", "\(empty):\(full)", 1)
                #expect(try await SocketSessionManager().response(for: request).statusCode == 200)
            }
        }
    }
#endif
