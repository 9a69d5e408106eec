/// The parts of an origin such as `https://api.example.com:443`.
struct OriginParts {
    var scheme = ""
    var host = ""
    var port = 0

    init(_ text: String) {
        let (bytes, colonByte) = (text.utf8, UInt8(ascii: ":"))
        guard let colon = bytes.firstIndex(of: colonByte), let last = bytes.lastIndex(of: colonByte), last > colon else { return }
        scheme = String(text[..<colon])
        host = String(text[(bytes.index(colon, offsetBy: 3, limitedBy: last) ?? last)..<last])
        port = Int(text[bytes.index(after: last)...]) ?? 0
    }
}
