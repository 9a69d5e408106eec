#if os(Linux)
    import Testing

    @testable import NetworkEngine

    struct WorkspaceTests {
        @Test func `a buffer that is in use is not taken again, and one that was given back is`() {
            let workspace = Workspace()
            let first = workspace.takeReadBuffer()
            first.storeBytes(of: 1, as: UInt8.self)
            let second = workspace.takeReadBuffer()
            second.storeBytes(of: 2, as: UInt8.self)
            #expect(first.baseAddress != second.baseAddress && first.load(as: UInt8.self) == 1)
            workspace.giveBackReadBuffer()
            #expect(workspace.takeReadBuffer().baseAddress == second.baseAddress)
            workspace.giveBackReadBuffer()
            workspace.giveBackReadBuffer()
            #expect(workspace.takeReadBuffer().baseAddress == first.baseAddress)
        }
    }
#endif
