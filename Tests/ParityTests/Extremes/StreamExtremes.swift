import Endpoints
import Foundation

/// Stream formats and their limits.
extension ExtremeCall {
    private static func read(_ make: @autoclosure () -> any StreamParser) {
        for text in ["data: a\r\nid: 1\r\nretry: 99999999999999999999\n\ndata: b\n\n", "[1, [2], \"x\"]", "\u{1E}{}\n", "1\n2\n"]
        {
            var parser = make()
            parser.receive(Data(text.utf8))
            parser.finish()
            do {
                while let element = try parser.next() { describe(element) }
            } catch {
                describe(error)
            }
        }
    }

    static let streams: [ExtremeCall] = [
        ExtremeCall("ServerSentEvent.init(type:data:lastEventID:retry:)") {
            for text in Extreme.texts { describe(ServerSentEvent(type: text, data: text, lastEventID: text)) }
            for retry in Extreme.durations { describe(ServerSentEvent(data: "", retry: retry)) }
        },
        ExtremeCall(
            "StreamFormat.ndjson(_:decoder:onFailure:maximumLineBytes:)",
            "StreamFormat.jsonSequence(_:decoder:onFailure:maximumElementBytes:)",
            "StreamFormat.elements(of:at:decoder:onFailure:maximumElementBytes:)", "StreamFormat.lines(maximumLineBytes:)",
            "StreamFormat.serverSentEvents(maximumEventBytes:)"
        ) {
            for bytes in Extreme.integers {
                read(StreamFormat<Int>.ndjson(maximumLineBytes: bytes).makeParser())
                read(StreamFormat<Int>.jsonSequence(maximumElementBytes: bytes).makeParser())
                read(StreamFormat<Int>.elements(maximumElementBytes: bytes).makeParser())
                read(StreamFormat<String>.lines(maximumLineBytes: bytes).makeParser())
                read(StreamFormat<ServerSentEvent>.serverSentEvents(maximumEventBytes: bytes).makeParser())
            }
        },
    ]
}
