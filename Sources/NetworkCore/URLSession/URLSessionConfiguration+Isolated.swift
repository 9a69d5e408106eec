import Foundation

extension URLSessionConfiguration {
    /// A new configuration that shares and keeps nothing: no cookies stored or sent, no cache, no stored credentials.
    public static var isolated: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        return configuration
    }

    /// In place of `URLSession`'s own time limits, which are too coarse; far longer than any transfer, and finite, since
    /// infinity is a trap on Linux.
    static let backstop: TimeInterval = 2_000_000

    /// A copy in which nothing of `URLSession` decides before our own limits do.
    func governed(by limits: SessionConfiguration) -> URLSessionConfiguration {
        guard let governed = copy() as? URLSessionConfiguration else { return self }
        governed.timeoutIntervalForRequest = Self.backstop
        governed.timeoutIntervalForResource = Self.backstop
        governed.httpMaximumConnectionsPerHost = max(1, limits.maximumConnectionsPerHost)
        #if os(Linux)
            governed.urlCache = nil
        #endif
        return governed
    }
}
