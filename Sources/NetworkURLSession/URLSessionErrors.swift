import Endpoints
import Foundation
import NetworkTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The mapping from `URLError` codes to transport errors.
package enum URLSessionErrors {
    /// Returns the transport error for an error of `URLSession`.
    ///
    /// - Parameters:
    ///   - phase: The phase of the transfer according to its events.
    ///   - request: The request, whose URL the error names; `nil` if it is not known.
    package static func transportError(
        _ error: any Error, phase: TransportError.Phase?, request: NetworkRequest?
    ) -> TransportError {
        let error = error as NSError
        let message = error.userInfo[NSLocalizedDescriptionKey] as? String ?? error.localizedDescription
        var meaning: (code: TransportError.Code, phase: TransportError.Phase?) = (.other, nil)
        let code: URLError.Code? = URLError.Code(rawValue: error.code)
        if error.domain == NSURLErrorDomain, let code { meaning = self.meaning(of: code, message: message) }
        if meaning.code == .invalidRequest, let request, URLText(request.url).authority.utf8.contains(UInt8(ascii: "[")) {
            meaning = (.unsupported, nil)
        }
        return TransportError(
            meaning.code, message, phase: meaning.phase ?? phase, request: request, engineCode: error.code,
            tlsFailure: meaning.code == .tlsFailed ? tlsFailure(of: code, message: message) : nil)
    }

    private static func tlsFailure(of code: URLError.Code?, message: String) -> TLSFailure {
        switch code {
        case .serverCertificateHasBadDate: .certificateExpired
        case .serverCertificateNotYetValid: .certificateNotYetValid
        case .serverCertificateHasUnknownRoot: .unknownIssuer
        case .clientCertificateRequired: .clientCertificateRequired
        case .clientCertificateRejected: .clientCertificateRejected
        default: TLSFailure(words: message) ?? .other
        }
    }

    /// - Returns: The code, and the phase if the error is more precise about it than the events.
    static func meaning(
        of code: URLError.Code, message: String
    ) -> (code: TransportError.Code, phase: TransportError.Phase?) {
        switch code {
        case .cancelled: (.cancelled, nil)
        case .timedOut: (.timedOut, nil)
        case .cannotFindHost, .dnsLookupFailed: (.nameLookupFailed, .nameLookup)
        case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed:
            (.cannotConnect, .connect)
        case .networkConnectionLost: (.connectionLost, nil)
        // The server closed the connection before the first byte of a body.
        case .zeroByteResource: (.incompleteBody, .receive)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            (.tlsFailed, .tls)
        case .cannotDecodeRawData, .cannotDecodeContentData: (.undecodableContent, .receive)
        case .cannotParseResponse: (.malformedResponse, .receive)
        case .badServerResponse: message.contains("Empty reply") ? (.connectionLost, nil) : (.malformedResponse, .receive)
        case .httpTooManyRedirects: (.tooManyRedirects, .receive)
        case .redirectToNonExistentLocation: (.redirectRefused, .receive)
        case .appTransportSecurityRequiresSecureConnection: (.unsupported, nil)
        case .badURL: (.invalidRequest, nil)
        // The scheme was checked before: on Linux this is a response that is not HTTP.
        case .unsupportedURL: (.malformedResponse, .receive)
        case .dataLengthExceedsMaximum: (.bodyTooLarge, .receive)
        case .unknown: meaning(of: message)
        default: (.other, nil)
        }
    }

    /// Returns the code and phase for a message. On Linux most failures are `.unknown`, and only libcurl's message distinguishes
    /// them.
    private static func meaning(of message: String) -> (code: TransportError.Code, phase: TransportError.Phase?) {
        let words: [(String, TransportError.Code, TransportError.Phase?)] = [
            ("transfer closed", .incompleteBody, .receive),
            ("end of response", .incompleteBody, .receive),
            ("content encoding", .undecodableContent, .receive),
            ("content unencoding", .undecodableContent, .receive),
            ("chunk", .malformedResponse, .receive),
            ("header", .malformedResponse, .receive),
            ("Content-Length", .malformedResponse, .receive),
            ("HTTP/0.9", .malformedResponse, .receive),
            ("HTTP version", .malformedResponse, .receive),
            ("Nul byte", .malformedResponse, .receive),
            ("Weird server reply", .malformedResponse, .receive),
            // The message of libcurl for a field line larger than 100 KB.
            ("Out of memory", .headersTooLarge, .receive),
            ("Too large response headers", .headersTooLarge, .receive),
            ("SSL", .tlsFailed, .tls),
            ("TLS", .tlsFailed, .tls),
            ("certificate", .tlsFailed, .tls),
            ("proxy", .proxyFailed, nil),
            ("HTTP/2 stream", .connectionLost, nil),
            ("Send failure", .connectionLost, nil),
            ("Recv failure", .connectionLost, nil),
        ]
        for (word, code, phase) in words where message.range(of: word, options: .caseInsensitive) != nil {
            return (code, phase)
        }
        return (.other, nil)
    }
}
