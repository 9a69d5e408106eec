import Endpoints
import Foundation
import NetworkLogging
import NetworkSupport
import NetworkTransport

/// Writes the header blocks of requests over HTTP/2 (RFC 9113 §8.2, §8.3) or HTTP/3 (RFC 9114 §4.2, §4.3), and their trailers.
///
/// Writes the pseudo-fields first, then the request's own fields in their order, with names in lower case, and default fields
/// that the request lacks last. Fields that describe a connection of HTTP/1.1 are left out, and so is a `Proxy-Authorization`,
/// which is not meant for the server. Credentials are marked so that no table of fields holds them (RFC 7541 §7.1.3, RFC 9204
/// §7.1.3).
///
/// Requests are validated before. Even an invalid one cannot make the block malformed: control characters in a value become
/// spaces, a field whose name is not a token is left out, and the target is percent-encoded where necessary.
struct RequestFieldWriter<Encoder: FieldEncoder>: Sendable {
    /// The number of names that are kept; further ones are prepared for each request.
    private static var maximumNames: Int { 256 }

    private let userAgent: String?
    private let acceptEncoding: String?
    private let known = KnownFields(in: Encoder.staticTable)
    private var names: [String: FieldName] = [:]

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
    ///   - isWebSocket: Whether a tunnel for a WebSocket is requested (RFC 8441 §4, RFC 9220), instead of the request's method.
    ///     Default: `false`.
    /// - Returns: Whether the request has `Expect: 100-continue`, and content whose sending is delayed (RFC 9110 §10.1.1).
    mutating func write(
        _ request: NetworkRequest, bodyLength: Int64?, cookie: String?, isWebSocket: Bool = false,
        with encoder: inout Encoder, to output: inout [UInt8]
    ) -> Bool {
        let fields = request.headers.fields
        writePseudoFields(request, fields, isWebSocket: isWebSocket, &encoder, &output)
        var own: OwnFields = []
        let sendsBody = request.sendsBody
        var expectsContinue = false
        for field in fields {
            guard let name = name(of: field) else { continue }
            var added: String?
            switch name.role {
            case .sent: break
            case .omitted, .host: continue
            // In a tunnel, the pseudo-field says what it is for (RFC 8441 §5).
            case .webSocketKey: if isWebSocket { continue }
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
            Self.append(field, name, added: added, indexing, &encoder, &output)
        }
        if !own.contains(.userAgent), let userAgent { Self.append(known.userAgent, userAgent, &encoder, &output) }
        if !own.contains(.accept) { Self.append(known.accept, "*/*", &encoder, &output) }
        if !own.contains(.acceptEncoding), let acceptEncoding {
            Self.append(known.acceptEncoding, acceptEncoding, &encoder, &output)
        }
        if !own.contains(.cookie), let cookie { Self.append(known.cookie, cookie, &encoder, &output) }
        if sendsBody, let bodyLength { Self.append(known.contentLength, String(max(bodyLength, 0)), &encoder, &output) }
        if !own.contains(.trailer), let announced = request.body?.trailers?.names, !announced.isEmpty {
            Self.append(known.trailer, announced.joined(separator: ", "), &encoder, &output)
        }
        return expectsContinue
    }

    /// Appends the header block of trailers.
    ///
    /// - Parameter trailers: Validated fields.
    mutating func write(trailers: HeaderFields, with encoder: inout Encoder, to output: inout [UInt8]) {
        for field in trailers.fields {
            guard let name = name(of: field), name.role != .omitted else { continue }
            Self.append(field, name, added: nil, name.indexing, &encoder, &output)
        }
    }

    // MARK: Pseudo-fields

    private func writePseudoFields(
        _ request: NetworkRequest, _ fields: [HeaderFields.Field], isWebSocket: Bool, _ encoder: inout Encoder,
        _ output: inout [UInt8]
    ) {
        let parts = request.parsedURL
        let host = fields.first { $0.name.isField("host") }?.value
        let text = request.urlText
        switch request.method {
        case _ where isWebSocket:
            Self.append(known.method, "CONNECT", &encoder, &output)
            Self.append(known.protocol, "websocket", &encoder, &output)
        case .get: Encoder.append(known: known.get, to: &output)
        case .post: Encoder.append(known: known.post, to: &output)
        default: Self.append(known.method, request.method.rawValue, &encoder, &output)
        }
        Encoder.append(known: parts.isSecure ? known.https : known.http, to: &output)
        text.withRawUTF8 { url in
            // Each byte of the target and of the host may become three.
            withUnsafeTemporaryAllocation(byteCount: 3 * url.count + 2 + (host?.utf8.count ?? 0), alignment: 1) { buffer in
                var authority = HTTP1HeadBytes(buffer)
                if let host { authority.write(value: host) } else { authority.write(hostOf: url, parts) }
                Self.append(known.authority, HTTP1Bytes.trimmed(authority.written), .added, &encoder, &output)
                var path = HTTP1HeadBytes(buffer)
                let target = UnsafeRawBufferPointer(rebasing: url[parts.pathAndQuery])
                if target.first != UInt8(ascii: "/") { path.write("/") }
                path.write(urlPart: target)
                if path.count == 1 { return Encoder.append(known: known.root, to: &output) }
                Self.append(known.path, path.written, .omitted, &encoder, &output)
            }
        }
    }

    // MARK: Names

    private mutating func name(of field: HeaderFields.Field) -> FieldName? {
        if let known = names[field.name] { return known }
        guard field.name.isToken else { return nil }
        let lowercased = field.name.asciiLowercased
        let role = Self.role(of: lowercased)
        let isSecret = role == .cookie || Redaction.isSecret(header: lowercased)
        let name = FieldName(
            lowercased, role, isSecret ? .never : Self.isDifferentEachTime(lowercased) ? .omitted : .added,
            in: Encoder.staticTable)
        if names.count < Self.maximumNames { names[field.name] = name }
        return name
    }

    private static func role(of lowercasedName: String) -> FieldRole {
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
        case "sec-websocket-key": .webSocketKey
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
        _ field: HeaderFields.Field, _ name: FieldName, added: String?, _ indexing: FieldIndexing,
        _ encoder: inout Encoder, _ output: inout [UInt8]
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
            append(name, HTTP1Bytes.trimmed(bytes.written), indexing, &encoder, &output)
        }
    }

    private static func append(
        _ name: FieldName, _ value: String, _ encoder: inout Encoder, _ output: inout [UInt8]
    ) {
        append(name, value, name.indexing, &encoder, &output)
    }

    private static func append(
        _ name: FieldName, _ value: String, _ indexing: FieldIndexing, _ encoder: inout Encoder,
        _ output: inout [UInt8]
    ) {
        value.withRawUTF8 { value in
            guard HTTP1Bytes.holdControl(value) else {
                return append(name, HTTP1Bytes.trimmed(value), indexing, &encoder, &output)
            }
            withUnsafeTemporaryAllocation(byteCount: value.count, alignment: 1) { buffer in
                var bytes = HTTP1HeadBytes(buffer)
                bytes.write(value: value)
                append(name, HTTP1Bytes.trimmed(bytes.written), indexing, &encoder, &output)
            }
        }
    }

    private static func append(
        _ name: FieldName, _ value: UnsafeRawBufferPointer, _ indexing: FieldIndexing, _ encoder: inout Encoder,
        _ output: inout [UInt8]
    ) {
        name.bytes.withUnsafeBytes { bytes in
            if let index = name.position {
                encoder.append(bytes, at: index, value, indexing, to: &output)
            } else {
                encoder.append(bytes, value, indexing, to: &output)
            }
        }
    }
}

/// What is done with a field of a request.
private enum FieldRole: Sendable {
    case sent
    /// Sent only with the value `trailers` (RFC 9113 §8.2.2, RFC 9114 §4.2).
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
    case webSocketKey
}

/// A name as the block has it.
private struct FieldName: Sendable {
    let bytes: [UInt8]
    let role: FieldRole
    let indexing: FieldIndexing
    /// The position of the name in the static table, 0 if it is not there; `nil` if the table has values of it.
    let position: Int?

    init(_ lowercased: String, _ role: FieldRole, _ indexing: FieldIndexing, in table: StaticFieldTable) {
        bytes = Array(lowercased.utf8)
        self.role = role
        self.indexing = indexing
        position = bytes.withUnsafeBytes { table.position(ofNameWithoutValue: $0) }
    }
}

/// The names that the writer adds, and the positions of whole fields in the static table.
private struct KnownFields: Sendable {
    let authority: FieldName
    let userAgent: FieldName
    let accept: FieldName
    let acceptEncoding: FieldName
    let cookie: FieldName
    let contentLength: FieldName
    let trailer: FieldName
    let method: FieldName
    let `protocol`: FieldName
    let path: FieldName
    let get: Int
    let post: Int
    let root: Int
    let http: Int
    let https: Int

    init(in table: StaticFieldTable) {
        authority = FieldName(":authority", .sent, .added, in: table)
        userAgent = FieldName("user-agent", .userAgent, .added, in: table)
        accept = FieldName("accept", .accept, .added, in: table)
        acceptEncoding = FieldName("accept-encoding", .acceptEncoding, .added, in: table)
        cookie = FieldName("cookie", .cookie, .never, in: table)
        contentLength = FieldName("content-length", .omitted, .omitted, in: table)
        trailer = FieldName("trailer", .trailer, .added, in: table)
        method = FieldName(":method", .sent, .added, in: table)
        `protocol` = FieldName(":protocol", .sent, .added, in: table)
        path = FieldName(":path", .sent, .omitted, in: table)
        get = table.position(":method", "GET")
        post = table.position(":method", "POST")
        root = table.position(":path", "/")
        http = table.position(":scheme", "http")
        https = table.position(":scheme", "https")
    }
}

extension StaticFieldTable {
    /// Returns the position of a field that the table has.
    fileprivate func position(_ name: String, _ value: String) -> Int {
        name.withRawUTF8 { name in value.withRawUTF8 { position(of: name, $0)?.position ?? 0 } }
    }
}
