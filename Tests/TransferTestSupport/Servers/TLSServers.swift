#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc
    import NetworkCore

    /// The servers of `Scripts/tls-servers`, started once and ended with this process.
    package struct TLSServers: Sendable {
        /// The output of the script.
        private struct Announcement: Decodable {
            var ports: [String: Int]
            var pins: [String: String]
        }

        /// The response of each server: the state of the connection, and what the server has received so far.
        package struct ConnectionState: Decodable {
            package var connection: Int
            package var connections: Int
            package var requests: Int
            package var bytes: Int
            package var version: String
            package var client: String?
            /// Whether the handshake resumed a TLS session. The first certificate was verified when the session began.
            package var resumed: Bool
            /// The address that the connection was made from.
            package var peer: String?
        }

        package let folder: URL
        private let announcement: Announcement

        package static let areAvailable = runs("python3 -c 'import ssl'") && runs("openssl version")
        private static let started = Result { try TLSServers() }

        package static func running() throws -> TLSServers { try started.get() }

        private init() throws {
            let servers = try ScriptedServers("tls-servers")
            folder = servers.folder
            announcement = try JSONDecoder().decode(Announcement.self, from: servers.announcement)
        }

        private static func runs(_ command: String) -> Bool {
            (try? ShellCommand.run("\(command) > /dev/null 2>&1 < /dev/null").status) == 0
        }

        /// - Parameter host: `localhost` or `127.0.0.1`. The certificates are valid for both; a trust policy applies to one of
        ///   them.
        package func url(_ server: String, host: String = "localhost", path: String = "/") -> URL {
            URL(string: "https://\(host):\(announcement.ports[server] ?? 0)\(path)") ?? folder
        }

        /// The port of a server; `nil` if it was not started, such as `ipv6` on a machine without IPv6.
        package func port(_ server: String) -> Int? { announcement.ports[server] }

        /// The pin of a certificate's key, computed by OpenSSL.
        package func pin(_ name: String) -> TrustPin { .publicKey(sha256: announcement.pins[name] ?? "") }

        package func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

        package func data(_ name: String) throws -> Data { try Data(contentsOf: file(name)) }

        package var authority: TrustRoots { .pem(.file(file("ca.pem"))) }
    }

    extension NetworkSessionManager {
        package func connectionState(_ url: URL) async throws -> TLSServers.ConnectionState {
            try JSONDecoder().decode(
                TLSServers.ConnectionState.self, from: try await response(for: NetworkRequest(url: url)).data)
        }
    }
#endif
