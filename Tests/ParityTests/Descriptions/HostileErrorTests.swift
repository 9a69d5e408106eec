import DataTransfer
import Foundation
import NetworkAuthorization
import NetworkCache
import NetworkPipeline
import NetworkRecordings
import NetworkTesting
import NetworkWebSocket
import ResumableUploads
import Testing
import TransferTestSupport

/// No text of an error contains what a peer can use against its reader: a second line, control characters, a secret, or a megabyte.
@Suite(.timeLimit(.ofStorm), .serialized) struct HostileErrorTests {
    static let secret = "Xq7canary9Zr41Lw"
    static let harmful = [
        "\n2026-01-01 00:00:00 INFO user admin signed in", "\r\nX-Injected: 1", "\u{1B}[2J\u{1B}]0;title\u{7}",
        "\u{9B}31m\u{85}\u{90}",
        "\u{202E}gnp.exe\u{2066}", "a\0b", "\u{2028}\u{2029}\u{200B}\u{FEFF}", "Authorization: Bearer \(secret)", secret,
        "{\"password\": \"\(secret)\"}", "https://me:\(secret)@api.test/?token=\(secret)", "\u{7F}\u{8}\u{8}",
    ]
    /// The length of the longest texts, far more than an error shows.
    static let size = runs(12_000, slow: 240_000)
    /// By default, each error is shown with the first text, which contains the others, with one of the others, and with the first long one; with
    /// the further long ones, one error of each type is.
    static let rows =
        [harmful.joined()] + harmful + [
            String(repeating: "a", count: size),
            String(repeating: harmful.joined(separator: " "), count: runs(100, slow: 2000)),
            String(repeating: "x", count: 390) + secret + String(repeating: "\u{1B}", count: 5000),
            String(repeating: "y", count: 50) + "Bearer " + secret + String(repeating: "\n", count: size),
        ]

    /// An error of a program, whose description is that of the compiler.
    private struct Custom: Error { var text: String }
    private struct Described: LocalizedError {
        var text: String
        var errorDescription: String? { text }
    }

    @Test func `texts of an error are one line of limited length, without secrets and control characters`() throws {
        SecretValues.insert(Self.secret)
        let secret = SecretText(value: Self.secret)
        let errors = try PublicTypes.all.get().errors
        var made: Set<String> = []
        var failures: [String: String] = [:]
        for (row, text) in Self.rows.enumerated() {
            let encoded = text.prefix(100_000).addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let url = try #require(URL(string: "https://api.test/\(encoded)"))
            let file = URL(fileURLWithPath: "/tmp/" + text.prefix(200).replacing("\0", with: "0"))
            let isLong = text.utf8.count > 1000
            let causes: [any Error] = [Custom(text: text), Described(text: text)]
            for underlying in causes.suffix(row == 0 ? 2 : runs(1, slow: 2)) {
                var types: Set<String> = []
                let all = DescribedErrors.all(text: text, url: url, file: file, underlying: underlying)
                for (index, error) in all.enumerated() {
                    let name = PublicTypes.name(of: error)
                    made.insert(name)
                    let isNew = types.insert(name).inserted
                    let isOfAll = row % (Self.harmful.count + 1) == 0
                    let isInSample = isOfAll || (isLong ? isNew : (index + row) % Self.harmful.count == 0)
                    guard isSlowRun || isInSample else { continue }
                    if isSlowRun || !isLong, error.localizedDescription != "\(error)" {
                        failures["\(name) localizedDescription"] = "differs from the description"
                    }
                    for (place, shown) in Self.texts(of: error, onlyFirst: isLong && !isSlowRun) {
                        guard let problem = Self.problem(shown, secret) else { continue }
                        failures["\(name) \(place)"] = "row \(row): \(problem): \(String(reflecting: String(shown.prefix(600))))"
                    }
                }
            }
        }
        for (place, failure) in failures.sorted(by: { $0.key < $1.key }) { Issue.record("\(place): \(failure)") }
        #expect(errors.subtracting(made).sorted() == [], "add these to DescribedErrors")
    }

    private static func texts(of error: any Error, onlyFirst: Bool) -> [(place: String, text: String)] {
        if onlyFirst { return [("description", "\(error)")] }
        var dumped = ""
        dump(error, to: &dumped)
        let bridged = error as NSError
        var all = [
            ("description", "\(error)"), ("debugDescription", String(reflecting: error)),
            ("localizedDescription", error.localizedDescription),
            ("NSError", "\(bridged.userInfo)"), ("domain", bridged.domain),
        ]
        let message: String? =
            switch error {
            case let error as TransportError: error.message
            case let error as RequestGenerationError: error.reason
            case let error as WebSocketError: error.message
            case let error as OAuthError: error.message + (error.serverDescription ?? "") + error.code.rawValue
            case let error as CredentialStoreError: error.message
            case let error as CacheStoreError: error.message
            case let error as CookieStoreError: error.reason + error.field
            case let error as FileFailure: error.message
            case let error as UploadFailure: error.message
            case let error as HTTPArchiveError: error.reason + error.field
            case let error as ParsingFailure: error.reason + error.codingPath
            case let error as StreamParsingError: error.reason
            default: nil
            }
        if let message { all.append(("message", message)) }
        // A line for the value, and one for each child of its mirror.
        all += dumped.split(separator: "\n", omittingEmptySubsequences: false).map { ("dump", String($0)) }
        return all
    }

    private static func problem(_ text: String, _ secret: SecretText) -> String? {
        if text.utf8.count > 32 << 10 { return "\(text.utf8.count) bytes" }
        if text.unicodeScalars.contains(where: {
            guard !(0x20..<0x7F ~= $0.value) else { return false }
            return $0.properties.generalCategory == .control || $0.properties.generalCategory == .format
                || [0x2028, 0x2029].contains($0.value)
        }) {
            return "control characters"
        }
        return secret.isShown(in: text) ? "a secret" : nil
    }
}
