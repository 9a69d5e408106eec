#if os(Linux)
    import CCurl
    import Foundation
    import Glibc
    import Testing

    @testable import NetworkEngine
    @testable import NetworkTransport

    struct CurlErrorsTests {
        /// Every result code in libcurl-errors(3) that an HTTP transfer can have.
        static let table: [(CInt, TransportError.Code, TransportError.Phase?)] = [
            (1, .malformedResponse, .receive), (2, .outOfResources, nil), (3, .invalidRequest, nil), (4, .unsupported, nil),
            (5, .proxyFailed, .nameLookup), (6, .nameLookupFailed, .nameLookup), (7, .cannotConnect, .connect),
            (8, .malformedResponse, .receive), (16, .malformedResponse, .receive), (18, .incompleteBody, .receive),
            (23, .connectionLost, nil), (25, .connectionLost, nil), (26, .connectionLost, nil), (27, .outOfResources, nil),
            (28, .timedOut, nil), (34, .invalidRequest, nil), (35, .tlsFailed, .tls), (42, .connectionLost, nil),
            (43, .other, nil),
            (45, .cannotConnect, .connect), (47, .tooManyRedirects, .receive), (48, .unsupported, nil),
            (52, .connectionLost, nil),
            (53, .tlsFailed, .tls), (54, .tlsFailed, .tls), (55, .connectionLost, nil), (56, .connectionLost, nil),
            (58, .trustUnavailable, .tls), (59, .tlsFailed, .tls), (60, .tlsFailed, .tls), (61, .undecodableContent, .receive),
            (63, .bodyTooLarge, .receive), (64, .tlsFailed, .tls), (65, .connectionLost, nil), (66, .tlsFailed, .tls),
            (67, .other, nil),
            (77, .trustUnavailable, .tls), (80, .tlsFailed, .tls), (82, .trustUnavailable, .tls), (83, .tlsFailed, .tls),
            (88, .malformedResponse, .receive), (89, .other, nil), (90, .tlsFailed, .tls), (91, .tlsFailed, .tls),
            (92, .connectionLost, nil), (93, .other, nil), (94, .other, nil), (95, .malformedResponse, .receive),
            (96, .cannotConnect, .connect), (97, .proxyFailed, .connect), (98, .tlsFailed, .tls), (99, .connectionLost, nil),
            (12345, .other, nil),
        ]

        @Test(arguments: table.indices)
        func `each result code of libcurl is converted to one error code and phase`(index: Int) {
            let (code, expected, phase) = Self.table[index]
            let meaning = CurlErrors.meaning(of: code, phase: nil, systemError: 0)
            #expect(meaning.code == expected && meaning.phase == phase, "\(code)")
        }

        @Test(arguments: [EMFILE, ENFILE, ENOMEM, ENOBUFS])
        func `a failed connection is reported as out of resources if the process lacks descriptors or memory`(systemError: CInt) {
            #expect(CurlErrors.meaning(of: 7, phase: nil, systemError: systemError).code == .outOfResources)
        }

        @Test(arguments: [ECONNREFUSED, ENETUNREACH, EHOSTUNREACH])
        func `a failed connection is reported as such if the server refuses it or is unreachable`(systemError: CInt) {
            #expect(CurlErrors.meaning(of: 7, phase: nil, systemError: systemError).code == .cannotConnect)
        }
    }
#endif
