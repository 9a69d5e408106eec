import Foundation
import NetworkTesting
import Testing

import NetworkCore
@testable import NetworkTransport
@testable import NetworkURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The identities of the session managers of this package. `CacheIdentityTests` has those of all configurations.
struct SessionIdentityTests {
    @Test func `a session manager has the identity of its configuration, and a hidden configuration makes it unique`() {
        #expect(URLSessionManager.shared.identity == .standard && DefaultSessionManager.shared.identity == .standard)
        for cookies in [SessionCookies.separate, .stored(in: CookieStore())] {
            let configuration = SessionConfiguration { $0.cookies = cookies }
            let managers: [any NetworkSessionManager] = [
                DefaultSessionManager(configuration: configuration), URLSessionManager(configuration: configuration),
            ]
            #expect((managers[0].identity == managers[1].identity) == (cookies != .separate))
            for manager in managers { #expect(manager.identity != .standard) }
        }
        let hidden = URLSessionManager(sessionConfiguration: .default).identity
        #expect(hidden != .standard && hidden != URLSessionManager(sessionConfiguration: .default).identity)
        let ada = SessionConfiguration { $0.profile = "ada" }
        #expect(
            URLSessionManager(configuration: ada, sessionConfiguration: .default).identity
                == DefaultSessionManager(configuration: ada).identity)
        let invalid = SessionConfiguration { $0.maximumConnections = 0 }
        #expect(DefaultSessionManager(configuration: invalid).identity != DefaultSessionManager(configuration: invalid).identity)
    }
}
