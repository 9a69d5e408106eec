import Foundation

/// What `Scripts/bench` has started: nginx, without TLS, with it, and with HTTP/2; and nghttpd where it is installed.
struct Servers {
    /// HTTP/1.1 without TLS.
    var plain: Target
    /// HTTP/1.1 over TLS, the only protocol that is offered.
    var tls: Target
    /// As ``plain`` and ``tls``, where each response ends its connection.
    var plainOnce: Target
    var tlsOnce: Target
    /// As ``tlsOnce``, from a server that resumes no session.
    var tlsUnresumed: Target?
    /// HTTP/2 over TLS: the response to a request in another version is 505, which no client takes.
    var http2: Target
    /// The same document from nghttpd, which packs several responses into one TLS record; `nil` where it is not installed.
    var nghttpd: Target?

    /// Takes three URLs and the file of the authority from the front of the arguments.
    init(_ arguments: inout ArraySlice<String>) {
        let bases = arguments.prefix(3).compactMap(URL.init(string:))
        let urls = bases.map { $0.appendingPathComponent(Document.name) }
        guard urls.count == 3, let path = arguments.dropFirst(3).first else { fail("URL HTTPS-URL HTTP2-URL AUTHORITY") }
        arguments.removeFirst(4)
        let authority = URL(fileURLWithPath: path)
        plain = Target(url: urls[0])
        tls = Target(url: urls[1], authority: authority)
        plainOnce = Target(url: bases[0].appendingPathComponent("once"))
        tlsOnce = Target(url: bases[1].appendingPathComponent("once"), authority: authority)
        http2 = Target(url: urls[2], authority: authority)
        tlsUnresumed = ProcessInfo.processInfo.environment["BENCH_UNRESUMED_URL"].flatMap(URL.init(string:)).map {
            Target(url: $0.appendingPathComponent("once"), authority: authority)
        }
        nghttpd = ProcessInfo.processInfo.environment["BENCH_NGHTTPD_URL"].flatMap(URL.init(string:)).map {
            Target(url: $0.appendingPathComponent(Document.name), authority: authority)
        }
    }
}
