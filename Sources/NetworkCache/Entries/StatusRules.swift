/// The caching properties of status codes.
enum StatusRules {
    /// Returns whether a heuristic lifetime is allowed for a status code (RFC 9110 §15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Returns whether the cache implements the caching requirements of a status code, for `must-understand` (RFC 9111 §5.2.2.3).
    static func isUnderstood(_ status: Int) -> Bool {
        isHeuristicallyCacheable(status) || [201, 202, 205, 302, 303, 307, 400, 401, 403, 500, 502, 503, 504].contains(status)
    }

    /// Returns whether a stale response may be served instead of a response with a status code (RFC 5861 §4).
    static func isFailure(_ status: Int) -> Bool {
        status == 500 || status == 502 || status == 503 || status == 504
    }

    /// Returns whether a status code describes the current state of the resource, rather than a failure to process the request.
    static func describesResource(_ status: Int) -> Bool {
        (200..<400).contains(status) || status == 404 || status == 410
    }
}
