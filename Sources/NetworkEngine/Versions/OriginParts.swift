/// The parts of an origin such as `https://api.example.com:443`.
struct OriginParts {
    var scheme = ""
    var host = ""
    var port = 0

    init(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), let last = text.lastIndex(of: ":"), last > colon else { return }
        scheme = String(text[..<colon])
        host = String(text[text.index(colon, offsetBy: 3, limitedBy: last).map { $0..<last } ?? last..<last])
        port = Int(text[text.index(after: last)...]) ?? 0
    }
}
