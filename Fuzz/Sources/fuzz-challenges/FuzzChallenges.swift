@testable import NetworkPipeline

/// Writes a challenge so that it is parsed as the same one.
func written(_ challenge: AuthenticationChallenge) -> String {
    if let token = challenge.token { return "\(challenge.scheme) \(token)" }
    let parameters = challenge.parameters.sorted { $0.key < $1.key }.map { name, value in
        let escaped = value.unicodeScalars.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
        return "\(name)=\"\(String(String.UnicodeScalarView(escaped)))\""
    }
    return "\(challenge.scheme) \(parameters.joined(separator: ", "))"
}

/// libFuzzer calls it with each of its inputs: the value of a `WWW-Authenticate` field.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let field = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    let challenges = AuthenticationChallenge.parse(field)
    precondition(challenges.count <= field.utf8.count)
    let unique = challenges.filter { !$0.hasDuplicates }
    let again = AuthenticationChallenge.parse(unique.map(written).joined(separator: ", "))
    precondition(again == unique, "parsed differently when written again")
    for challenge in challenges {
        guard let session = DigestSession(challenge, user: "user \"name\"", password: "password") else { continue }
        let value = session.authorization(method: "GET", target: "/a?b=\"c\"", bodyDigest: nil)
        let sent = AuthenticationChallenge.parse(value)
        precondition(sent.count == 1 && sent[0].scheme == "digest" && !sent[0].hasDuplicates, "another field is sent")
        precondition(sent[0]["nonce"] == challenge["nonce"] && sent[0]["realm"] == challenge["realm"], "another nonce is sent")
        precondition(sent[0]["uri"] == "/a?b=\"c\"" && !value.contains("password"))
    }
    return 0
}
