import Dispatch
import Foundation
import Testing

@testable import NetworkLogging

@Suite(.timeLimit(.minutes(10))) struct EntryWriterTests {
    private final class Output: @unchecked Sendable {
        // @unchecked Sendable: `text` is accessed only under the lock.
        let lock = NSLock()
        private var text = ""
        let gate = DispatchSemaphore(value: 0)
        let entered = DispatchSemaphore(value: 0)

        var lines: [String] { lock.withLock { text }.split(separator: "\n").map(String.init) }

        func put(_ data: Data) { lock.withLock { text += String(decoding: data, as: UTF8.self) } }
    }

    @Test func `entries are written in order`() {
        let output = Output()
        let writer = EntryWriter(maximumEntries: 10_000, maximumBytes: 1 << 20, output: output.put)
        for number in 0..<5000 { writer.write("entry \(number)") }
        #expect(writer.flush(within: .seconds(60)))
        #expect(output.lines == (0..<5000).map { "entry \($0)" })
    }

    @Test func `writing does not wait for an output that blocks, and dropped entries are counted`() {
        let output = Output()
        let writer = EntryWriter(maximumEntries: 10, maximumBytes: 1 << 20) { data in
            output.entered.signal()
            output.gate.wait()
            output.put(data)
        }
        writer.write("first")
        output.entered.wait()
        for number in 1..<10 { writer.write("kept \(number)") }
        for number in 0..<7 { writer.write("dropped \(number)") }
        #expect(!writer.flush(within: .zero))
        for _ in 0..<100 { output.gate.signal() }
        #expect(writer.flush(within: .seconds(60)))
        writer.write("last")
        #expect(writer.flush(within: .seconds(60)))
        let note = "7 log entries were dropped here: the output did not take them in time"
        #expect(output.lines == ["first"] + (1..<10).map { "kept \($0)" } + [note, "last"])
    }

    @Test func `waiting entries are limited in bytes, and a single entry may be larger`() {
        let output = Output()
        let writer = EntryWriter(maximumEntries: 1000, maximumBytes: 100) { data in
            output.entered.signal()
            output.gate.wait()
            output.put(data)
        }
        writer.write(String(repeating: "a", count: 500))
        output.entered.wait()
        writer.write("b")
        for _ in 0..<100 { output.gate.signal() }
        #expect(writer.flush(within: .seconds(60)))
        #expect(output.lines.count == 2)
        #expect(output.lines.first?.count == 500)
        #expect(output.lines.last?.hasPrefix("1 log entries were dropped") == true)
    }

    @Test func `flushing with nothing to write returns immediately`() {
        #expect(EntryWriter(maximumEntries: 1, maximumBytes: 1) { _ in }.flush(within: .seconds(Int64.max)))
    }
}
