import Foundation
import NetworkCore
import NetworkURLSession

extension Engine {
    /// All engines. `DATA_TRANSFER_ENGINES=ours` excludes URLSession, for runs with another OpenSSL than the system's, which
    /// Foundation does not use. Packages in `Integrations` replace this file by one with their engine.
    static let all =
        ofThisPlatform
        + (ProcessInfo.processInfo.environment["DATA_TRANSFER_ENGINES"] == "ours"
            ? [] : [Engine(name: "URLSession") { URLSessionManager(configuration: $0) }])

    #if os(Linux)
        private static let ofThisPlatform = [
            Engine(name: "sockets", measures: true, keepsHeaderLines: true, leavesEncodedBodies: true, isOurs: true) {
                SocketSessionManager(configuration: $0)
            }
        ]
    #else
        private static let ofThisPlatform: [Engine] = []
    #endif
}
