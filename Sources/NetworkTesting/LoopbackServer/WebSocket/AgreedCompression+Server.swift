import Endpoints
import Foundation
import NetworkSupport
import NetworkWebSocket

extension AgreedCompression {
    /// Chooses the first offer of a client that a server can accept (RFC 7692 §5.1, §7.1).
    ///
    /// - Parameters:
    ///   - offers: The values of `Sec-WebSocket-Extensions` in the request.
    ///   - options: The options of the server.
    /// - Returns: What was agreed on, and the value for the response; `nil` if no offer is acceptable, so that messages are not compressed.
    static func choose(from offers: [String], with options: WebSocketCompression) -> (AgreedCompression, String)? {
        for offer in offers.flatMap(\.listElements) {
            if let parameters = parameters(of: offer) { return accept(parameters, with: options) }
        }
        return nil
    }

    private static func accept(
        _ parameters: [String: String?], with options: WebSocketCompression
    ) -> (AgreedCompression, String) {
        var agreed = AgreedCompression()
        agreed.level = options.level
        agreed.minimumBytes = options.minimumBytes
        agreed.sendsWithoutContext = options.serverForgets || parameters.keys.contains("server_no_context_takeover")
        agreed.receivesWithoutContext = options.clientForgets || parameters.keys.contains("client_no_context_takeover")
        var value = "permessage-deflate"
        if agreed.sendsWithoutContext { value += "; server_no_context_takeover" }
        if agreed.receivesWithoutContext { value += "; client_no_context_takeover" }
        if let text = parameters["server_max_window_bits"] ?? nil, let bits = Int(text) {
            // zlib has no raw deflate with a window of 8 bits: nothing is compressed then.
            agreed.windowBits = bits == 8 ? nil : bits
            value += "; server_max_window_bits=\(bits)"
        }
        return (agreed, value)
    }

    /// Returns the parameters of an offer; `nil` if it is not one of permessage-deflate, or is invalid (RFC 7692 §7.1).
    private static func parameters(of offer: Substring) -> [String: String?]? {
        let parts = offer.split(separator: ";", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard parts[0].asciiLowercased == "permessage-deflate" else { return nil }
        var parameters: [String: String?] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard let name = pair.first?.asciiLowercased, !parameters.keys.contains(name) else { return nil }
            let value = pair.count > 1 ? pair[1].trimmingCharacters(in: CharacterSet(charactersIn: "\"")) : nil
            switch (name, value) {
            case ("server_no_context_takeover", nil), ("client_no_context_takeover", nil), ("client_max_window_bits", nil): break
            case ("server_max_window_bits", let value?), ("client_max_window_bits", let value?):
                guard let bits = Int(value), (8...15).contains(bits), String(bits) == value else { return nil }
            default: return nil
            }
            parameters.updateValue(value, forKey: name)
        }
        return parameters
    }
}
