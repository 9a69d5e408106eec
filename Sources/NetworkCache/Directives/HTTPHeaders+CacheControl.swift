import Endpoints

extension HTTPHeaders {
    /// The `Cache-Control` field; `nil` without one. Each of several lines is parsed by itself, so that damage in one leaves the
    /// others whole.
    ///
    /// Setting replaces all lines by one; setting `nil`, or nothing but directives that cannot be sent, removes them.
    public var cacheControl: CacheControl? {
        get {
            let lines = values(for: "Cache-Control")
            return lines.isEmpty ? nil : CacheControl(lines.flatMap { CacheControl(parsing: $0).directives })
        }
        set {
            let value = newValue?.description ?? ""
            self["Cache-Control"] = value.isEmpty ? nil : value
        }
    }
}
