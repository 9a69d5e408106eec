/// What a cache knows of statuses.
enum StatusRules {
    /// Those a lifetime may be made up for (RFC 9110 §15.1), without 206: parts are not kept.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Those whose meaning for caches is known, as `must-understand` asks (RFC 9111 §5.2.2.3).
    static func isUnderstood(_ status: Int) -> Bool {
        isHeuristicallyCacheable(status) || [201, 202, 205, 302, 303, 307, 400, 401, 403, 500, 502, 503, 504].contains(status)
    }

    /// What counts as an error that a stale response may stand in for (RFC 5861 §4).
    static func isFailure(_ status: Int) -> Bool {
        status == 500 || status == 502 || status == 503 || status == 504
    }

    /// Whether it says what the resource is now, rather than that this request could not be answered.
    static func isAnswer(_ status: Int) -> Bool {
        (200..<400).contains(status) || status == 404 || status == 410
    }
}
