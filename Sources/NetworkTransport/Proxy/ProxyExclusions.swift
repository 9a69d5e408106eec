import NetworkSupport

/// The hosts that are connected to without the proxy, by the rules of `no_proxy` (CURLOPT_NOPROXY(3)).
///
/// | Entry | Covers |
/// |---|---|
/// | `*` | all hosts |
/// | `example.com`, `.example.com`, `example.com.` | this name and its subdomains, in any case |
/// | `127.0.0.1`, `::1`, `[::1]` | this address, however it is written |
/// | `10.0.0.0/8`, `fd00::/8` | the addresses of this network; host bits are ignored, and `/0` is all of the family |
/// | any of these except a network, with `:8080` | the same on this port only; an IPv6 address needs brackets then |
///
/// An address is only covered by addresses and networks, and a name only by names: nothing is looked up. There are no other
/// wildcards, and any other entry covers nothing.
///
/// libcurl's own rules depend on its version: it supports networks from 7.86.0 on, and from 8.9.0 on it ignores text after a space
/// without a comma. No version supports entries with a port, which cover nothing there, or `*` among other entries; Go and Python support
/// both.
struct ProxyExclusions: Sendable {
    private let entries: [Substring]

    /// Parses a list.
    ///
    /// - Parameter list: Entries separated by commas, spaces, or both.
    init(list: String) {
        entries = list.split { $0 == "," || $0 == " " || $0 == "\t" }
    }

    /// Creates exclusions from single entries.
    ///
    /// - Parameter entries: Strings with one entry each.
    init(entries: [String]) {
        self.entries = entries.map { $0[...] }
    }

    /// Returns whether a host is connected to without the proxy.
    ///
    /// - Parameters:
    ///   - host: A name or an address, IPv6 with or without brackets; its zone is ignored.
    ///   - port: The server's port.
    func contain(host: String, port: Int) -> Bool {
        if entries.isEmpty { return false }
        let address = IPAddress(host)
        let name = address == nil ? HostName.canonical(host[...]) ?? host.lowercased().withoutFinalDot : ""
        return entries.contains { entry in
            if entry == "*" { return true }
            if let (network, bits) = Self.network(entry) { return address.map { network.shares(bits, with: $0) } ?? false }
            var place = entry
            // An IPv6 address without brackets contains colons that do not precede a port.
            if IPAddress(entry) == nil, let (before, entryPort) = Self.portSuffix(entry) {
                guard entryPort == port else { return false }
                place = before
            }
            if let address { return IPAddress(place) == address }
            return Self.covers(name, place)
        }
    }

    private static func network(_ entry: Substring) -> (IPAddress, bits: Int)? {
        guard let slash = entry.utf8.firstIndex(of: UInt8(ascii: "/")), let network = IPAddress(entry[..<slash]),
            let bits = number(entry[entry.utf8.index(after: slash)...])
        else { return nil }
        return (network, bits)
    }

    private static func portSuffix(_ entry: Substring) -> (Substring, port: Int)? {
        guard let colon = entry.utf8.lastIndex(of: UInt8(ascii: ":")), let port = number(entry[entry.utf8.index(after: colon)...])
        else { return nil }
        return (entry[..<colon], port)
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }

    private static func covers(_ name: String, _ entry: Substring) -> Bool {
        let domain = String(entry.hasPrefix(".") ? entry.dropFirst() : entry).lowercased().withoutFinalDot
        guard !domain.isEmpty, name.hasSuffix(domain) else { return false }
        return name.utf8.count == domain.utf8.count
            || name.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".")
    }
}

extension String {
    fileprivate var withoutFinalDot: String {
        hasSuffix(".") ? String(dropLast()) : self
    }
}
