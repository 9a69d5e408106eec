import Foundation
@testable import NetworkLogging

let secret = #"Xq7+can/ary 9"Zr&41"#
let types = [
    "application/json", "application/x-www-form-urlencoded", "text/xml", "application/yaml", "text/plain",
    "multipart/form-data; boundary=b", nil,
]

/// How the secret is written into the text.
func encoded(_ choice: UInt8) -> String {
    let percent = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
    switch choice % 7 {
    case 0: return secret
    case 1: return percent
    case 2: return secret.replacingOccurrences(of: "\"", with: "\\\"")
    case 3: return secret.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "\"", with: "&quot;")
    case 4: return Data("me:\(secret)".utf8).base64EncodedString()
    case 5: return percent.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? percent
    default: return secret.unicodeScalars.map { "\\u00" + String($0.value, radix: 16) }.joined()
    }
}

/// libFuzzer calls it with each of its inputs: three bytes that choose, and the text around the secret.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 3 else { return -1 }
    SecretValues.insert(secret)
    let around = UnsafeBufferPointer(start: start + 3, count: count - 3)
    let place = Int(start[2]) * around.count / 256
    let shape = encoded(start[1])
    let body = Data(around[..<place]) + Data(shape.utf8) + Data(around[place...])
    let type = types[Int(start[0]) % types.count]
    for limit in [4096, 40] {
        let text = Redaction.default.redacted(body: body, contentType: type, maximumBytes: limit)
        precondition(!text.contains(secret) && !text.contains(shape), "a body shows it: \(text)")
    }
    let whole = String(decoding: body, as: UTF8.self)
    for text in [
        Redaction.default.redacted(text: whole), Redaction.default.redacted(url: whole),
        Redaction.default.redacted(headerValue: whole, for: "X-Note"),
    ] {
        precondition(!text.contains(secret) && !text.contains(shape), "a text shows it: \(text)")
    }
    return 0
}
