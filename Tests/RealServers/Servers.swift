import DataTransfer
import Foundation
import Testing
import TransferTestSupport

/// All suites that use real servers.
@Suite(
    .needs(
        "the servers that are started by a script", Servers.areRunning,
        run: ".ci/install && Scripts/with-servers swift test --filter RealServerTests"))
enum RealServerTests {}

/// The addresses of the servers that `Scripts/with-servers` starts.
enum Servers {
    private static let environment = ProcessInfo.processInfo.environment
    static let httpbin = environment["DATA_TRANSFER_HTTPBIN_URL"] ?? ""
    static let nginx = environment["DATA_TRANSFER_NGINX_URL"] ?? ""
    /// Apache with folders that need the password `secret` of the user `reader`: `digest`, `short`, `once` and `basic`.
    static let apache = environment["DATA_TRANSFER_APACHE_URL"] ?? ""
    /// A server that returns the parts of a form as werkzeug parses them.
    static let forms = environment["DATA_TRANSFER_FORMS_URL"] ?? ""
    /// A server that says whether botocore or http-message-signatures would sign a request in the same way.
    static let signatures = environment["DATA_TRANSFER_SIGNATURES_URL"] ?? ""
    /// A tus server, tuspyserver; and the same over a relay that cuts connections after a random number of bytes.
    static let uploads = environment["DATA_TRANSFER_UPLOADS_URL"] ?? ""
    static let cuttingUploads = environment["DATA_TRANSFER_CUTTING_URL"] ?? ""
    /// An authorization server made of Authlib's grants.
    static let oauth = environment["DATA_TRANSFER_OAUTH_URL"] ?? ""
    /// nginx over TLS: with HTTP/2; with HTTP/1.1 only; with HTTP/2 and a required client certificate.
    static let h2 = environment["DATA_TRANSFER_H2_URL"] ?? ""
    static let tls = environment["DATA_TRANSFER_TLS_URL"] ?? ""
    /// A server that speaks HTTP/3 only, where aioquic is installed (`Scripts/http3_server.py`).
    static let h3 = environment["DATA_TRANSFER_H3_URL"] ?? ""
    /// The same with windows of 16 KiB, for a connection and for a stream.
    static let narrowH3 = environment["DATA_TRANSFER_NARROW_H3_URL"] ?? ""
    /// Caddy, with HTTP/1.1, HTTP/2 and HTTP/3 at one port.
    static let caddy = environment["DATA_TRANSFER_CADDY_URL"] ?? ""
    /// nginx with HTTP/2 without TLS, and with no other version at this port.
    static let h2c = environment["DATA_TRANSFER_H2C_URL"] ?? ""
    /// nghttpd, over TLS: files, and bodies that are sent back.
    static let nghttpd = environment["DATA_TRANSFER_NGHTTPD_URL"] ?? ""
    static let mutual = environment["DATA_TRANSFER_MUTUAL_URL"] ?? ""
    /// Servers that close each connection after ten requests.
    static let shortH2 = environment["DATA_TRANSFER_SHORT_H2_URL"] ?? ""
    static let shortTLS = environment["DATA_TRANSFER_SHORT_TLS_URL"] ?? ""
    /// Servers that return the request as h11 parses it; send interim responses and trailers; interrupt HTTP/2; permit one HTTP/2
    /// stream per connection.
    static let echo = environment["DATA_TRANSFER_ECHO_URL"] ?? ""
    static let interim = environment["DATA_TRANSFER_INTERIM_URL"] ?? ""
    static let streams = environment["DATA_TRANSFER_STREAMS_URL"] ?? ""
    static let narrow = environment["DATA_TRANSFER_NARROW_URL"] ?? ""
    /// Servers with the same messages as `streams`, over HTTP/1.1 and over TLS.
    static let plain = environment["DATA_TRANSFER_PLAIN_URL"] ?? ""
    static let secure = environment["DATA_TRANSFER_SECURE_URL"] ?? ""
    /// A server that speaks HTTP/2 only.
    static let withoutHTTP1 = environment["DATA_TRANSFER_WITHOUT_HTTP1_URL"] ?? ""
    /// A server that speaks HTTP/2 until a request to `/arrivals/…` ends the connection without a response, and then HTTP/1.1 until a
    /// request to `/restored`. The response to `/arrivals/…` or `/count/arrivals/…` is how many times the former has arrived.
    static let downgrading = environment["DATA_TRANSFER_DOWNGRADING_URL"] ?? ""
    /// Ports of the proxies on 127.0.0.1: HTTP without credentials, HTTP and HTTPS with `user:secret`, HTTP that refuses all requests, and
    /// SOCKS 5 with `user:secret`.
    static let proxyPort = port("PROXY")
    static let guardedProxyPort = port("GUARDED_PROXY")
    static let secureProxyPort = port("SECURE_PROXY")
    /// As above, with a certificate without a subject alternative name.
    static let unnamedProxyPort = port("UNNAMED_PROXY")
    static let refusingProxyPort = port("REFUSING_PROXY")
    static let socksPort = port("SOCKS")
    /// Proxies that permit only some servers: tinyproxy and Squid with `user:secret`, both also over TLS, behind HAProxy; Dante with SOCKS 4 and 5,
    /// without credentials.
    static let tinyproxyPort = port("TINYPROXY")
    static let secureTinyproxyPort = port("SECURE_TINYPROXY")
    static let squidPort = port("SQUID")
    static let secureSquidPort = port("SECURE_SQUID")
    static let dantePort = port("DANTE")
    /// pproxy: HTTP with `user:secret`, and SOCKS 4 with the user `user`.
    static let pproxyPort = port("PPROXY")
    static let socks4Port = port("SOCKS4")
    /// Ports on 127.0.0.1 at which no server listens. tinyproxy, Squid and Dante do not permit the first one.
    static let deniedPort = port("DENIED")
    static let unusedPort = port("UNUSED")
    static let areRunning = ![httpbin, nginx, apache, forms, signatures, uploads, oauth, h2, echo, streams].contains("")
    /// The same httpbin with another origin.
    static let otherHttpbin = nginx + "/httpbin"

    private static func port(_ name: String) -> Int { environment["DATA_TRANSFER_\(name)_PORT"].flatMap(Int.init) ?? 0 }

    /// Returns the path of a file that nginx serves in `files/`. Tests may add files there.
    static func file(_ name: String) -> URL {
        URL(fileURLWithPath: environment["DATA_TRANSFER_FILES"] ?? "/").appendingPathComponent(name)
    }

    /// Returns the path of a certificate or key, such as `ca.pem`, the authority of all TLS servers.
    static func certificate(_ name: String) -> URL {
        URL(fileURLWithPath: environment["DATA_TRANSFER_CERTIFICATES"] ?? "/").appendingPathComponent(name)
    }

    /// A policy that trusts this authority.
    static var trust: TrustPolicy { TrustPolicy(roots: .pem(.file(certificate("ca.pem")))) }

    /// The content of `files/10mb.bin` of nginx. It repeats after 251 blocks of 256 bytes.
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
    /// Returns a URL with user information, such as `http://user:password@localhost:8080` for `http://localhost:8080`.
    func with(userInformation: String) -> String {
        replacingOccurrences(of: "://", with: "://\(userInformation)@")
    }

    /// The string percent-encoded as the value of a query item.
    var encoded: String { addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self }
}
