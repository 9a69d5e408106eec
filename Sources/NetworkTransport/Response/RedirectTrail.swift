import Endpoints
import Foundation
import NetworkSupport

/// The redirects that a transfer has followed.
package struct RedirectTrail: Sendable {
    /// The number of redirects.
    package private(set) var count = 0
    /// The URLs that were redirected. The list is bounded, because servers make it.
    private(set) var urls: [String] = []

    package init() {}

    /// Adds a redirect of a request.
    package mutating func append(_ request: NetworkRequest) {
        count += 1
        if urls.count < 100 { urls.append(request.urlText) }
    }

    /// Returns a description of the cycle that a redirect closes; `nil` if its target was not requested before.
    func cycle(from request: NetworkRequest, to target: URL) -> String? {
        let target = target.absoluteString
        let urls = urls + [request.urlText]
        guard let index = urls.lastIndex(of: target) else { return nil }
        let others = urls.count - index - 1
        let place = URLText(target).originAndPath
        return others == 0 ? "\(place) redirects to itself" : "\(place) redirects to itself, by \(others) other redirects"
    }
}
