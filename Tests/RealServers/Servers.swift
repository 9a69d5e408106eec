import DataTransfer
import Foundation
import Testing

/// All suites that talk to a real nginx and a real httpbin: `Scripts/with-servers swift test --filter RealServerTests`.
@Suite(.enabled(if: Servers.areRunning, "needs the servers that Scripts/with-servers starts"))
enum RealServerTests {}

/// Where the servers are, as `Scripts/with-servers` tells.
enum Servers {
    private static let environment = ProcessInfo.processInfo.environment
    static let httpbin = environment["DATA_TRANSFER_HTTPBIN_URL"] ?? ""
    static let nginx = environment["DATA_TRANSFER_NGINX_URL"] ?? ""
    static let areRunning = !httpbin.isEmpty && !nginx.isEmpty
    /// Whether tests that take long run too.
    static let runsSlowTests = environment["DATA_TRANSFER_SLOW"] == "1"
    /// The same httpbin, on another origin.
    static let otherHttpbin = nginx + "/httpbin"

    /// What `files/10mb.bin` of nginx holds. It repeats itself only after 251 blocks of 256 bytes.
    static var tenMegabytes: Data {
        var period = Data(count: 251 * 256)
        for index in period.indices {
            let number = index * 31 + (index >> 8) * 7
            period[index] = UInt8(number % 251)
        }
        var data = Data(capacity: (10 << 20) + period.count)
        while data.count < 10 << 20 { data.append(period) }
        return data.prefix(10 << 20)
    }
}

extension String {
    /// `http://localhost:8080` as `http://user:password@localhost:8080`.
    func with(userInformation: String) -> String {
        replacingOccurrences(of: "://", with: "://\(userInformation)@")
    }

    /// As the value of a query item.
    var encoded: String { addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self }
}
