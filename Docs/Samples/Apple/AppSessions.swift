// Compiled for macOS 13 by Scripts/check-darwin.
import DataTransfer
import Foundation

// snippet.session
/// For transfers that can wait until they cost nothing.
func makeThriftySession() -> URLSessionManager {
    let network = URLSessionConfiguration.ephemeral
    network.httpCookieStorage = nil
    network.urlCredentialStorage = nil
    network.urlCache = nil
    network.allowsExpensiveNetworkAccess = false
    network.allowsConstrainedNetworkAccess = false
    network.waitsForConnectivity = true
    return URLSessionManager(
        configuration: SessionConfiguration { $0.idleTimeout = .seconds(900) },
        sessionConfiguration: network)
}
// snippet.end
