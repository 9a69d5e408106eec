#if os(Linux)
    import Testing

    @testable import NetworkEngine
    @testable import NetworkTransport

    struct LibraryQuirksTests {
        @Test func `HTTP 2 is offered with each version of libcurl whose handshakes can be watched`() {
            for version in [0x07_4C_01, 0x07_58_01, 0x08_05_00, 0x08_10_00, 0x09_00_00] as [UInt32] {
                #expect(LibraryQuirks(version: version, tls: "OpenSSL/3.0.11", canWatchHandshakes: true).speaksHTTP2)
                #expect(!LibraryQuirks(version: version, tls: "OpenSSL/3.0.11", canWatchHandshakes: false).speaksHTTP2)
                #expect(!LibraryQuirks(version: version, tls: "GnuTLS/3.8.0", canWatchHandshakes: true).speaksHTTP2)
            }
        }

        @Test func `HTTP 3 is used only with a libcurl that was built with it, since 8.22, and whose handshakes are watched`() {
            func speaks(_ version: UInt32, _ canWatch: Bool = true, _ hasHTTP3: Bool = true, tls: String = "OpenSSL/3.6.5")
                -> Bool
            {
                LibraryQuirks(version: version, tls: tls, canWatchHandshakes: canWatch, hasHTTP3: hasHTTP3).speaksHTTP3
            }
            #expect(speaks(0x08_16_00) && speaks(0x08_17_00) && speaks(0x09_00_00))
            #expect(!speaks(0x08_15_00) && !speaks(0x08_0E_01) && !speaks(0x07_58_01))
            #expect(!speaks(0x08_17_00, true, false) && !speaks(0x08_17_00, false))
            #expect(!speaks(0x08_17_00, tls: "GnuTLS/3.8.0"))
        }

        @Test func `each other quirk begins or ends with the libcurl version that changed it`() {
            func quirks(_ version: UInt32) -> LibraryQuirks {
                LibraryQuirks(version: version, tls: "", canWatchHandshakes: false)
            }
            #expect(!quirks(0x07_4C_01).takesRootsAsBytes && quirks(0x07_4D_00).takesRootsAsBytes)
            #expect(!quirks(0x07_54_00).closesRemovedConnections && quirks(0x07_55_00).closesRemovedConnections)
            #expect(!quirks(0x07_56_00).abandonsLookups && quirks(0x07_57_00).abandonsLookups)
        }
    }
#endif
