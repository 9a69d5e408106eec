import Endpoints
import Foundation

/// Header fields, bodies, forms and progress.
extension ExtremeCall {
    static let messages: [ExtremeCall] = [
        ExtremeCall(
            "HTTPHeaders.Field.init(name:value:)", "HTTPHeaders.init(_:)", "HTTPHeaders.subscript(name:)",
            "HTTPHeaders.values(for:)", "HTTPHeaders.contains(_:)", "HTTPHeaders.add(_:for:)", "HTTPHeaders.set(_:for:)",
            "HTTPHeaders.remove(_:)", "HTTPHeaders.init(dictionaryLiteral:)", "HTTPHeaders.subscript(position:)"
        ) {
            for text in Extreme.texts {
                var headers = HTTPHeaders([text: text])
                headers.add(text, for: text)
                headers.set(text, for: "A")
                headers[text] = text
                describe(headers)
                describe(HTTPHeaders([HTTPHeaders.Field(name: text, value: text), HTTPHeaders.Field(name: "A", value: text)]))
                _ = (headers.contains(text), headers.values(for: text), headers[text], [text: text] as HTTPHeaders)
                // A position is an index, as in an array: only positions from `startIndex` up to, but not including, `endIndex`
                // are valid.
                for position in headers.indices { describe(headers[position]) }
                headers.remove(text)
            }
            for count in Extreme.integers {
                var headers: HTTPHeaders = ["A": "b"]
                headers.reserveCapacity(count)
            }
        },
        ExtremeCall {
            for text in Extreme.texts {
                for value in [text, "<\(text)>; rel=next", "<a>; rel=\"\(text)\"", "<a>; \(text)=next"] {
                    let field = LinkField(["Link": value])
                    _ = field.target(of: text)
                    _ = field.target(of: "next")
                }
            }
        },
        ExtremeCall(
            "RequestBody.init(contentType:encode:)", "RequestBody.init(contentType:content:)",
            "RequestBody.text(_:charset:contentType:)", "RequestBody.data(_:contentType:)", "RequestBody.file(_:contentType:)",
            "RequestBody.stream(_:length:contentType:)", "RequestBody.encoded(_:by:contentType:)",
            "RequestParameters.data(_:contentType:)"
        ) {
            for text in Extreme.texts {
                let bodies: [RequestBody?] = [
                    RequestBody(contentType: text) { Data() }, RequestBody(contentType: text, content: .data(Data())),
                    .text(text, charset: .latin1, contentType: text), .text(text), .data(Data(), contentType: text),
                    .file(URL(fileURLWithPath: "/" + text), contentType: text),
                    .encoded(text, by: JSONEncoder(), contentType: text), RequestParameters.data(Data(), contentType: text).body,
                    .stream(AsyncStream<Data> { $0.finish() }, contentType: text), .json(text), .form(["a": text]),
                ]
                for body in bodies.compactMap({ $0 }) {
                    describe(body)
                    _ = try? body.content()
                }
            }
            for length in Extreme.wide {
                describe(RequestBody.stream(AsyncStream<Data> { $0.finish() }, length: length))
            }
        },
        ExtremeCall("RequestContent.stream(_:length:)", "RequestContent.stream(length:makeChunks:)") {
            for length in Extreme.wide {
                let contents: [RequestContent] = [
                    .stream(AsyncStream<Data> { $0.finish() }, length: length),
                    .stream(length: length) { AsyncStream<Data> { $0.finish() } },
                ]
                for content in contents {
                    describe(content)
                    var request = NetworkRequest(method: .post, url: URL(string: "https://a.test")!, body: content)
                    request.timeouts.total = .seconds(1)
                    _ = try? request.validate()
                }
            }
        },
        ExtremeCall(
            "MultipartFormData.contentType(forFileName:)", "MultipartFormData.Part.init(name:fileName:contentType:content:)",
            "MultipartFormData.Part.init(name:fileName:contentType:data:)", "MultipartFormData.init(_:boundary:)",
            "MultipartFormData.append(_:name:)", "MultipartFormData.append(_:name:fileName:contentType:)"
        ) {
            for text in Extreme.texts {
                let data = Data(text.utf8)
                _ = MultipartFormData.contentType(forFileName: text)
                var form = MultipartFormData([.init(name: text, fileName: text, contentType: text, data: data)])
                form.append(text, name: text)
                form.append(data, name: text, fileName: text)
                form.append(.data(data), name: text, fileName: text, contentType: "a/b")
                form.parts.append(.init(name: "b", fileName: text, content: .data(data)))
                describe(form)
                _ = try? RequestBody.multipart(form).content()
                _ = try? RequestBody.multipart(MultipartFormData([.init(name: text, data: data)], boundary: text)).content()
            }
        },
        ExtremeCall("TextCharset.init?(name:)") { for text in Extreme.texts { _ = TextCharset(name: text) } },
        ExtremeCall("ResponseBody.init(_:contentType:)") {
            for text in Extreme.texts {
                for type in [text, "text/plain; charset=" + text] {
                    let body = ResponseBody(Data(text.utf8), contentType: type)
                    _ = try? TextResponseDecoder().decode(String.self, from: body)
                    _ = try? JSONResponseDecoder().decode([String: Int].self, from: body)
                    _ = try? PropertyListResponseDecoder().decode([String: Int].self, from: body)
                }
            }
        },
        ExtremeCall(
            "TransferProgress.init(bytesSent:totalBytesToSend:bytesReceived:totalBytesToReceive:bytesResumed:elapsed:recentBytesPerSecond:isFinished:)"
        ) {
            for (bytes, other) in Extreme.wide.flatMap({ bytes in Extreme.wide.map { (bytes, $0) } }) {
                for (elapsed, rate) in Extreme.durations.flatMap({ time in Extreme.doubles.map { (time, $0) } }) {
                    let progress = TransferProgress(
                        bytesSent: bytes, totalBytesToSend: other, bytesReceived: bytes, totalBytesToReceive: other,
                        bytesResumed: other, elapsed: elapsed, recentBytesPerSecond: rate)
                    _ = (progress.fraction, progress.fractionSent, progress.fractionReceived)
                    _ = (progress.timeRemaining, progress.bytesPerSecond)
                }
            }
        },
    ]
}
