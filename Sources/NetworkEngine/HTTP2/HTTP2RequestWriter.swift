import Endpoints
import Foundation
import NetworkLogging
import NetworkSupport
import NetworkTransport

/// Writes the header blocks of requests over HTTP/2 (RFC 9113 §8.2, §8.3), and their trailers.
///
/// Writes the pseudo-fields first, then the request's own fields in their order, with names in lower case, and default fields
/// that the request lacks last. Fields that describe a connection of HTTP/1.1 are left out, and so is a `Proxy-Authorization`,
/// which is not meant for the server. Credentials are marked so that no table of fields holds them (RFC 7541 §7.1.3).
///
/// Requests are validated before. Even an invalid one cannot make the block malformed: control characters in a value become
/// spaces, a field whose name is not a token is left out, and the target is percent-encoded where necessary.
struct HTTP2RequestWriter: Sendable {
    /// What is done with a field of a request.
    private enum Role: Sendable {
        case sent
        /// Sent only with the value `trailers` (RFC 9113 §8.2.2).
        case transferCodings
        case omitted
        case host
        case cookie
        case userAgent
        case accept
        case acceptEncoding
        case range
        case expect
        case trailer
    }

    /// A name as the block has it.
    private struct Name: Sendable {
        let bytes: [UInt8]
        let role: Role
        let indexing: HPACKEncoder.Indexing
    }

    /// The fields that a request sets itself, of those with a default.
    private struct OwnFields: OptionSet {
        let rawValue: UInt8

        static let userAgent = OwnFields(rawValue: 1)
        static let accept = OwnFields(rawValue: 2)
        static let acceptEncoding = OwnFields(rawValue: 4)
        static let cookie = OwnFields(rawValue: 8)
        static let trailer = OwnFields(rawValue: 16)
    }

    /// The number of names that are kept; further ones are prepared for each request.
    private static let maximumNames = 256

    private let userAgent: String?
    private let acceptEncoding: String?
    private var names: [String: Name] = [:]

    /// Creates a writer with default values for two fields; see ``HTTP1RequestWriter``.
    init(userAgent: String?, acceptEncoding: String?) {
        self.userAgent = userAgent?.isEmpty == true ? nil : userAgent
        self.acceptEncoding = acceptEncoding?.isEmpty == true ? nil : acceptEncoding
    }

    /// Appends the header block of a request.
    ///
    /// - Parameters:
    ///   - bodyLength: The length of the body in bytes; 0 without a body, `nil` if it is unknown.
    ///   - cookie: The stored cookies, which are joined with the request's own.
    /// - Returns: Whether the request has `Expect: 100-continue`, and content whose sending is delayed (RFC 9110 §10.1.1).
    mutating func write(
        _ request: NetworkRequest, bodyLength: Int64?, cookie: String?, with encoder: inout HPACKEncoder,
        to output: inout [UInt8]
    ) -> Bool {
        let fields = request.headers.fields
        writePseudoFields(request, fields, &encoder, &output)
        var own: OwnFields = []
        let sendsBody = request.sendsBody
        var expectsContinue = false
        for field in fields {
            guard let name = name(of: field) else { continue }
            var added: String?
            switch name.role {
            case .sent: break
            case .omitted, .host: continue
            case .transferCodings: guard field.value.asciiLowercased == "trailers" else { continue }
            case .userAgent: own.insert(.userAgent)
            case .accept: own.insert(.accept)
            // A part of an encoded representation could not be decoded (RFC 9110 §14.2).
            case .acceptEncoding, .range: own.insert(.acceptEncoding)
            case .trailer: own.insert(.trailer)
            case .cookie:
                if !own.contains(.cookie) { added = cookie }
                own.insert(.cookie)
            case .expect:
                guard field.value.lists("100-continue") else { break }
                // The expectation is not sent without content.
                guard sendsBody, bodyLength != 0 else { continue }
                expectsContinue = true
            }
            let indexing = request.credentials.contains(header: field.name) ? .never : name.indexing
            name.bytes.withUnsafeBytes { Self.append(field, named: $0, added: added, indexing, &encoder, &output) }
        }
        if !own.contains(.userAgent), let userAgent { Self.append("user-agent", userAgent, .added, &encoder, &output) }
        if !own.contains(.accept) { Self.append("accept", "*/*", .added, &encoder, &output) }
        if !own.contains(.acceptEncoding), let acceptEncoding {
            Self.append("accept-encoding", acceptEncoding, .added, &encoder, &output)
        }
        if !own.contains(.cookie), let cookie { Self.append("cookie", cookie, .never, &encoder, &output) }
        if sendsBody, let bodyLength { Self.append("content-length", String(max(bodyLength, 0)), .omitted, &encoder, &output) }
        if !own.contains(.trailer), let announced = request.body?.trailers?.names, !announced.isEmpty {
            Self.append("trailer", announced.joined(separator: ", "), .added, &encoder, &output)
        }
        return expectsContinue
    }

    /// Appends the header block of trailers.
    ///
    /// - Parameter trailers: Validated fields.
    mutating func write(trailers: HeaderFields, with encoder: inout HPACKEncoder, to output: inout [UInt8]) {
        for field in trailers.fields {
            guard let name = name(of: field), name.role != .omitted else { continue }
            name.bytes.withUnsafeBytes { Self.append(field, named: $0, added: nil, name.indexing, &encoder, &output) }
        }
    }

    // MARK: Pseudo-fields

    private func writePseudoFields(
        _ request: NetworkRequest, _ fields: [HeaderFields.Field], _ encoder: inout HPACKEncoder, _ output: inout [UInt8]
    ) {
        let parts = request.parsedURL
        let host = fields.first { $0.name.isField("host") }?.value
        let text = request.urlText
        Self.append(":method", request.method.rawValue, .added, &encoder, &output)
        Self.append(":scheme", parts.isSecure ? "https" : "http", .added, &encoder, &output)
        text.withRawUTF8 { url in
            // Each byte of the target and of the host may become three.
            withUnsafeTemporaryAllocation(byteCount: 3 * url.count + 2 + (host?.utf8.count ?? 0), alignment: 1) { buffer in
                var authority = HTTP1HeadBytes(buffer)
                if let host { authority.write(value: host) } else { authority.write(hostOf: url, parts) }
                Self.append(":authority", HTTP1Bytes.trimmed(authority.written), .added, &encoder, &output)
                var path = HTTP1HeadBytes(buffer)
                let target = UnsafeRawBufferPointer(rebasing: url[parts.pathAndQuery])
                if target.first != UInt8(ascii: "/") { path.write("/") }
                path.write(urlPart: target)
                Self.append(":path", path.written, .omitted, &encoder, &output)
            }
        }
    }

    // MARK: Names

    private mutating func name(of field: HeaderFields.Field) -> Name? {
        if let known = names[field.name] { return known }
        guard field.name.isToken else { return nil }
        let lowercased = field.name.asciiLowercased
        let role = Self.role(of: lowercased)
        let isSecret = role == .cookie || Redaction.isSecret(header: lowercased)
        let name = Name(
            bytes: Array(lowercased.utf8), role: role,
            indexing: isSecret ? .never : Self.isDifferentEachTime(lowercased) ? .omitted : .added)
        if names.count < Self.maximumNames { names[field.name] = name }
        return name
    }

    private static func role(of lowercasedName: String) -> Role {
        switch lowercasedName {
        case "host": .host
        // The length is written from the body, and the others describe a connection (RFC 9113 §8.2.2).
        case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "http2-settings",
            "content-length", "proxy-authorization":
            .omitted
        case "te": .transferCodings
        case "cookie": .cookie
        case "user-agent": .userAgent
        case "accept": .accept
        case "accept-encoding": .acceptEncoding
        case "range": .range
        case "expect": .expect
        case "trailer": .trailer
        default: .sent
        }
    }

    /// Whether a field has another value in nearly each request, so that it would only displace others in the table.
    private static func isDifferentEachTime(_ lowercasedName: String) -> Bool {
        switch lowercasedName {
        case "content-digest", "content-range", "date", "idempotency-key", "if-match", "if-modified-since", "if-none-match",
            "if-range", "if-unmodified-since", "range", "traceparent", "tracestate", "x-request-id":
            true
        default: false
        }
    }

    // MARK: Fields

    private static func append(
        _ field: HeaderFields.Field, named name: UnsafeRawBufferPointer, added: String?, _ indexing: HPACKEncoder.Indexing,
        _ encoder: inout HPACKEncoder, _ output: inout [UInt8]
    ) {
        if added == nil, !field.isLatin1 { return append(name, field.value, indexing, &encoder, &output) }
        let value = field.latin1Bytes ?? Array(field.value.utf8)
        withUnsafeTemporaryAllocation(byteCount: value.count + 2 + (added?.utf8.count ?? 0), alignment: 1) { buffer in
            var bytes = HTTP1HeadBytes(buffer)
            value.withUnsafeBytes { bytes.write(value: $0) }
            if let added {
                if !value.isEmpty { bytes.write("; ") }
                bytes.write(value: added)
            }
            encoder.append(name, HTTP1Bytes.trimmed(bytes.written), indexing, to: &output)
        }
    }

    private static func append(
        _ name: StaticString, _ value: String, _ indexing: HPACKEncoder.Indexing, _ encoder: inout HPACKEncoder,
        _ output: inout [UInt8]
    ) {
        append(
            UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), value, indexing, &encoder, &output)
    }

    private static func append(
        _ name: StaticString, _ value: UnsafeRawBufferPointer, _ indexing: HPACKEncoder.Indexing,
        _ encoder: inout HPACKEncoder, _ output: inout [UInt8]
    ) {
        encoder.append(
            UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), value, indexing, to: &output)
    }

    private static func append(
        _ name: UnsafeRawBufferPointer, _ value: String, _ indexing: HPACKEncoder.Indexing, _ encoder: inout HPACKEncoder,
        _ output: inout [UInt8]
    ) {
        value.withRawUTF8 { value in
            guard HTTP1Bytes.holdControl(value) else {
                return encoder.append(name, HTTP1Bytes.trimmed(value), indexing, to: &output)
            }
            withUnsafeTemporaryAllocation(byteCount: value.count, alignment: 1) { buffer in
                var bytes = HTTP1HeadBytes(buffer)
                bytes.write(value: value)
                encoder.append(name, HTTP1Bytes.trimmed(bytes.written), indexing, to: &output)
            }
        }
    }
}
