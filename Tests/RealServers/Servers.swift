import DataTransfer
import Foundation
import Testing

/// All suites that talk to real servers: `Scripts/with-servers swift test --filter RealServerTests`.
@Suite(.enabled(if: Servers.areRunning, "needs the servers that Scripts/with-servers starts"))
enum RealServerTests {}

/// Where the servers are, as `Scripts/with-servers` tells.
enum Servers {
    private static let environment = ProcessInfo.processInfo.environment
    static let httpbin = environment["DATA_TRANSFER_HTTPBIN_URL"] ?? ""
    static let nginx = environment["DATA_TRANSFER_NGINX_URL"] ?? ""
    /// What werkzeug reads in a form.
    static let forms = environment["DATA_TRANSFER_FORMS_URL"] ?? ""
    /// nginx over TLS, with HTTP/2; with HTTP/1.1 only; with HTTP/2 and a certificate asked of the client.
    static let h2 = environment["DATA_TRANSFER_H2_URL"] ?? ""
    static let tls = environment["DATA_TRANSFER_TLS_URL"] ?? ""
    static let mutual = environment["DATA_TRANSFER_MUTUAL_URL"] ?? ""
    /// Those that end each connection after ten requests.
    static let shortH2 = environment["DATA_TRANSFER_SHORT_H2_URL"] ?? ""
    static let shortTLS = environment["DATA_TRANSFER_SHORT_TLS_URL"] ?? ""
    /// What h11 has read; interim responses and trailers; interrupted HTTP/2; HTTP/2 with one stream per connection.
    static let echo = environment["DATA_TRANSFER_ECHO_URL"] ?? ""
    static let interim = environment["DATA_TRANSFER_INTERIM_URL"] ?? ""
    static let streams = environment["DATA_TRANSFER_STREAMS_URL"] ?? ""
    static let narrow = environment["DATA_TRANSFER_NARROW_URL"] ?? ""
    /// The same messages as those of `streams`, over HTTP/1.1 and over TLS.
    static let plain = environment["DATA_TRANSFER_PLAIN_URL"] ?? ""
    static let secure = environment["DATA_TRANSFER_SECURE_URL"] ?? ""
    /// On 127.0.0.1: one for all, one for `user:secret`, one that refuses, and SOCKS 5 for `user:secret`.
    static let proxyPort = port("PROXY")
    static let guardedProxyPort = port("GUARDED_PROXY")
    static let refusingProxyPort = port("REFUSING_PROXY")
    static let socksPort = port("SOCKS")
    static let areRunning = ![httpbin, nginx, forms, h2, echo, streams].contains("")
    /// Whether tests that take long run too.
    static let runsSlowTests = environment["DATA_TRANSFER_SLOW"] == "1"
    /// The same httpbin, on another origin.
    static let otherHttpbin = nginx + "/httpbin"

    private static func port(_ name: String) -> Int { environment["DATA_TRANSFER_\(name)_PORT"].flatMap(Int.init) ?? 0 }

    /// What nginx serves as `files/`, to be added to.
    static func file(_ name: String) -> URL {
        URL(fileURLWithPath: environment["DATA_TRANSFER_FILES"] ?? "/").appendingPathComponent(name)
    }

    /// Such as `ca.pem`: the authority of all that speak TLS.
    static func certificate(_ name: String) -> URL {
        URL(fileURLWithPath: environment["DATA_TRANSFER_CERTIFICATES"] ?? "/").appendingPathComponent(name)
    }

    /// The trust in that authority.
    static var trust: TrustPolicy { TrustPolicy(roots: .pem(file: certificate("ca.pem"))) }

    /// What `files/10mb.bin` of nginx holds. It repeats itself only after 251 blocks of 256 bytes.
    static var tenMegabytes: Data {
        var period = Data(count: 251 * 256)
        for index in period.indices {
            let number = index * 31 + (index >> 8) * 7
            period[index] = UInt8(number % 251)
        }
        var data = Data(capacity: (10 << 20) + period.count)
        while data.count < 10 << 20 { data.append(period) }
        return data.prefix(10 << 20)
    }
}

extension String {
    /// `http://localhost:8080` as `http://user:password@localhost:8080`.
    func with(userInformation: String) -> String {
        replacingOccurrences(of: "://", with: "://\(userInformation)@")
    }

    /// As the value of a query item.
    var encoded: String { addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self }
}
