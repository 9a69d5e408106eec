import Endpoints
import NetworkCore

/// What the fields of a request ask of a cache. Times are in seconds.
struct RequestTerms: Sendable, Equatable {
    /// `no-cache`, or `Pragma: no-cache` where there is no `Cache-Control` (RFC 9111 §5.2.1.4, §5.4).
    var noCache = false
    /// §5.2.1.5.
    var noStore = false
    /// §5.2.1.7.
    var onlyIfCached = false
    /// §5.2.1.1.
    var maxAge: Double?
    /// §5.2.1.2.
    var maxStale: Double?
    /// §5.2.1.3.
    var minFresh: Double?
    /// RFC 5861 §4.
    var staleIfError: Double?
    /// It carries conditions of its own, or asks for a part: the answer is for who asked so (RFC 9110 §13.1, §14.2).
    var isParticular = false

    init() {}

    init(_ headers: HTTPHeaders) {
        var lines: [String] = []
        var hasControl = false
        var pragma = false
        for field in headers {
            let name = field.name
            switch name.utf8.count {
            case 13:
                if HTTPHeaders.isSame(name, "Cache-Control") {
                    hasControl = true
                    lines.append(field.value)
                } else if HTTPHeaders.isSame(name, "If-None-Match") {
                    isParticular = true
                }
            case 6: if HTTPHeaders.isSame(name, "Pragma") { pragma = pragma || CacheControl(parsing: field.value).noCache != nil }
            case 5: if HTTPHeaders.isSame(name, "Range") { isParticular = true }
            case 8: if HTTPHeaders.isSame(name, "If-Match") || HTTPHeaders.isSame(name, "If-Range") { isParticular = true }
            case 17: if HTTPHeaders.isSame(name, "If-Modified-Since") { isParticular = true }
            case 19: if HTTPHeaders.isSame(name, "If-Unmodified-Since") { isParticular = true }
            default: break
            }
        }
        guard hasControl else {
            noCache = pragma
            return
        }
        let control = CacheControl(lines.flatMap { CacheControl(parsing: $0).directives })
        noCache = control.noCache != nil
        noStore = control.noStore
        onlyIfCached = control.onlyIfCached
        maxAge = control.maxAge.map(ResponseTerms.seconds)
        maxStale = control.maxStale.map(ResponseTerms.seconds)
        minFresh = control.minFresh.map(ResponseTerms.seconds)
        staleIfError = control.staleIfError.map(ResponseTerms.seconds)
    }
}
