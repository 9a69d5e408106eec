import EndpointAPIs
import Foundation
import NetworkAuthorization
import NetworkCache
import NetworkPipeline
import NetworkRecordings
import NetworkTesting
import NetworkWebSocket

@testable import DataTransfer
@testable import NetworkTransport
@testable import ResumableUploads

/// Values of the public types that conform to `Error`.
enum DescribedErrors {
    /// - Parameters:
    ///   - text: Each text that a peer or a caller can determine.
    ///   - url: The URL of the request and of the response.
    ///   - name: Each text that is a constant of a program, such as a code.
    static func all(text: String, name: String = "name", url: URL, file: URL, underlying: any Error) -> [any Error] {
        let headers = HeaderFields([.init(name: "Content-Type", value: text), .init(name: "X-Note", value: text)])
        let request = NetworkRequest(method: RequestMethod(name), url: url, headers: headers)
        let response = NetworkResponse(statusCode: 400, headers: headers, body: .data(Data(text.utf8)), url: url)
        let transport = TransportError(
            .init(rawValue: name), text, request: request, underlying: underlying, tlsFailure: TLSFailure(rawValue: name))
        let generation = [
            RequestGenerationError.Field.file(text), .headerName(text), .headerValue(text), .pathParameter(text), .query(text),
            .timeout(text),
        ].map { RequestGenerationError($0, text, underlying: underlying) }
        let parsing = parsingErrors(text, underlying).map { ParsingFailure($0, of: response, method: .get) }
        let files = FileFailure(.init(rawValue: name), text, url: file)
        let upload = UploadFailure(.init(rawValue: name), text, url: file)
        let slice = sliceError(text)
        let streams: [StreamParsingError.Kind] = [
            .document(slice),
            .malformedText(reason: text), .unexpectedContentType(text), .undecodable(underlying),
        ]
        let decoding: [ResponseDecodingError.Kind] = [
            .unsupportedType(asked: text, supported: text), .unknownCharset(text), .invalidText(charset: text),
            .mediaType(text, accepted: AcceptedMediaTypes([text])), .keyPath(slice),
        ]
        let network: [NetworkError] =
            [.status(response), .notConnected(transport), .timedOut(transport), .cancelled(transport), .transport(transport)]
            + generation.map { .requestGeneration($0) }
        let transfer: [DataTransferError] =
            [.noResponse(parsing[0]), .resolvedNetworkFailure(underlying, cause: network[0]), .file(files), .operation(upload)]
            + parsing.map { .parsing($0) } + network.map { .networkFailure($0) }
        let others: [any Error] = [
            slice, PageError.malformedLink(text), files, upload,
            ProblemDetails(type: text, title: text, detail: text, instance: text),
            EnvelopeError(status: .text(text), message: text), transport,
            CacheStoreError(.init(rawValue: name), text, path: text),
            CacheStoreError(.other, text, underlying: underlying),
            CookieStoreError(.init(rawValue: name), text, text, file: text),
            CredentialStoreError(.init(rawValue: name), text),
            OAuthError(.init(rawValue: text), text, serverDescription: text, underlying: underlying),
            OAuthError(.accessDenied, text, underlying: transport),
            TransportError(.authenticationFailed, text, underlying: transport),
            HTTPArchiveError(text, text, file: text, underlying: underlying), LoopbackServerError(operation: text, code: 1),
            StubFixtureError.endpointNotMocked(text), StubFixtureError.mockDataMissing(file: text, place: text),
            WebSocketError(.init(rawValue: name), text, underlying: underlying),
            WebSocketError(.closed, text, underlying: network[0]),
        ]
        return others + documentErrors(text) + generation + parsing + network + transfer
            + decoding.map(ResponseDecodingError.init)
            + streams.map { StreamParsingError($0, index: 1, byteOffset: 1, record: Data(text.utf8)) }
    }

    /// The error for a path that an object does not have, whose keys are the text.
    private static func sliceError(_ text: String) -> JSONSliceError {
        let document = (try? JSONEncoder().encode(["a": [text: 1]])) ?? Data()
        do throws(JSONSliceError) {
            while true {
                _ = try JSONSlicer().slice(
                    of: document, at: JSONKeyPath(components: [.key("a"), .key(String(text.prefix(1000)) + "x")]))
            }
        } catch {
            return error
        }
    }

    /// The details of documents whose keys and values are the text.
    private static func documentErrors(_ text: String) -> [any Error] {
        let documents = [Data(text.utf8), try? JSONEncoder().encode([text: text]), try? JSONEncoder().encode([["a": [text: 1]]])]
        return documents.compactMap { document in
            do {
                _ = try TransferJSONDecoder().decode([Int].self, from: document ?? Data())
                return nil
            } catch DecodingError.typeMismatch(_, let context) {
                return context.underlyingError
            } catch DecodingError.dataCorrupted(let context) {
                return context.underlyingError
            } catch {
                return error
            }
        }
    }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int?
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private static func parsingErrors(_ text: String, _ underlying: any Error) -> [any Error] {
        let context = DecodingError.Context(
            codingPath: [Key(stringValue: text)], debugDescription: text, underlyingError: underlying)
        return [
            underlying, DecodingError.keyNotFound(Key(stringValue: text), context), DecodingError.dataCorrupted(context),
            DecodingError.typeMismatch(Int.self, context), DecodingError.valueNotFound(Int.self, context),
            ResponseDecodingError(.mediaType(text, accepted: AcceptedMediaTypes([text]))),
        ]
    }
}
