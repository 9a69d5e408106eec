#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import NetworkTransport

    /// Looks up names over HTTPS (RFC 8484), with a session manager for this purpose alone.
    ///
    /// That has separate connections, a separate trust policy, and no proxy; it looks up the name of the name server with the system.
    struct HTTPSResolver: NameResolver {
        private let session: SocketSessionManager
        private let url: URL

        private static let mediaType = "application/dns-message"
        /// The longest message of DNS, whose length has 16 bits (RFC 1035 §4.2.2).
        private static let maximumBytes = 65_535

        /// Creates a resolver; `nil` if the route names no server.
        init?(_ route: RouteOptions) {
            guard case .https(let url, let addresses, let trust) = route.nameServer.choice else { return nil }
            self.url = url
            session = SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.proxy = .none
                    $0.trust = trust
                    $0.route = route
                    $0.route.nameServer = .system
                    let host = HostName.withoutPort(URLText(url.absoluteString).hostAndPort)
                    if !addresses.isEmpty { $0.route.addresses[String(host)] = addresses }
                    $0.maximumBodyBytes = Self.maximumBytes
                    $0.maximumRedirects = 0
                    $0.totalTimeout = .seconds(10)
                    $0.userAgent = nil
                })
        }

        func lookUp(_ query: NameQuery, completion: @escaping @Sendable (NameResult, _ lifetime: Duration?) -> Void) {
            let type: DNSMessage.RecordType = query.family == .ipv4 ? .a : .aaaa
            guard let message = DNSMessage.query(query.name, type) else {
                return completion(.failed("\(query.name.printable) is not a host name"), nil)
            }
            send(message) { result in
                do throws(DNSError) {
                    let response = try DNSMessage.response(Self.message(of: result), to: query.name, type)
                    completion(.addresses(response.addresses), .seconds(Int64(response.lifetime)))
                } catch {
                    completion(.failed("\(error.message) (\(URLText(url).originAndPath))"), nil)
                }
            }
        }

        func lookUpHTTP3(host: String, port: Int, completion: @escaping @Sendable (AlternativeServiceField) -> Void) {
            guard let name = DNSMessage.serviceName(host: host, port: port), let message = DNSMessage.query(name, .https) else {
                return
            }
            send(message) { result in
                guard let message = try? Self.message(of: result),
                    let offer = try? DNSMessage.offer(ofHTTP3In: message, to: name, host: host, port: port)
                else { return }
                completion(offer)
            }
        }

        private func send(
            _ message: [UInt8], completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
        ) {
            let request = NetworkRequest(
                method: .post, url: url, headers: ["Content-Type": Self.mediaType, "Accept": Self.mediaType],
                body: .data(Data(message)))
            session.response(for: request, completion: completion)
        }

        private static func message(of result: Result<NetworkResponse, TransportError>) throws(DNSError) -> [UInt8] {
            let response: NetworkResponse
            switch result {
            case .success(let success): response = success
            case .failure(let error): throw DNSError("the name server cannot be asked: \(error.message)")
            }
            guard response.statusCode == 200 else {
                throw DNSError("the name server has responded with status \(response.statusCode)")
            }
            let mediaType = response.headers["Content-Type"]?.prefix { $0 != ";" && $0 != " " }.lowercased() ?? ""
            guard mediaType == Self.mediaType else {
                throw DNSError("the name server has sent \(mediaType.isEmpty ? "no media type" : mediaType.printable)")
            }
            return Array(response.data)
        }
    }
#endif
