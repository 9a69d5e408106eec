#if os(macOS) || os(Linux)
    import Foundation
    import NetworkLogging
    import Testing

    /// These tests run in separate processes, whose standard error they can change.
    @Suite(.timeLimit(.minutes(10))) struct StandardErrorTests {
        @Test func `no line is lost when a process exits`() async {
            var own: [Substring] = []
            // A process waits for two seconds when it exits, which may be too short on a busy machine.
            for _ in 0..<10 where own.count != 500 {
                let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                    // No more than fits into a pipe, because the pipe may not be read yet.
                    for number in 0..<500 { StandardError.write("line \(number) \(String(repeating: "x", count: 80))") }
                    exit(0)
                }
                let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
                own = lines.filter { $0.hasPrefix("line ") }
            }
            #expect(own.count == 500)
            #expect(own.enumerated().allSatisfy { $0.element == "line \($0.offset) \(String(repeating: "x", count: 80))" })
        }

        @Test func `logging does not wait for a blocked standard error, and all lines stay complete`() async {
            await #expect(processExitsWith: .success) {
                var ends: [Int32] = [0, 0]
                guard pipe(&ends) == 0, dup2(ends[1], STDERR_FILENO) >= 0 else { exit(2) }
                let logger = ConsoleLogger()
                guard let url = URL(string: "https://example.com/\(String(repeating: "x", count: 200))") else { exit(6) }
                let request = LoggedRequest(url: url)
                // About 1 MiB, of which 64 KiB fit into the pipe.
                for _ in 0..<4000 { logger.log(request: request) }
                guard !StandardError.flush(within: .milliseconds(1)) else { exit(3) }
                var text: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 64 << 10)
                var lines = 0
                while lines < 4000 {
                    let count = read(ends[0], &buffer, buffer.count)
                    guard count > 0 else { exit(4) }
                    text += buffer[..<count]
                    lines += buffer[..<count].count { $0 == 0x0A }
                }
                let all = String(decoding: text, as: UTF8.self).split(separator: "\n")
                exit(all.count == 4000 && Set(all).count == 1 ? 0 : 5)
            }
        }

        @Test func `a process exits even if its standard error is blocked`() async {
            await #expect(processExitsWith: .exitCode(7)) {
                var ends: [Int32] = [0, 0]
                guard pipe(&ends) == 0, dup2(ends[1], STDERR_FILENO) >= 0 else { exit(2) }
                for _ in 0..<2000 { StandardError.write(String(repeating: "x", count: 100)) }
                exit(7)
            }
        }
    }
#endif
