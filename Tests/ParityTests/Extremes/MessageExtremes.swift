import Endpoints
import Foundation

/// Header fields, bodies, forms and progress.
extension ExtremeCall {
    static let messages: [ExtremeCall] = [
        ExtremeCall(
            "HeaderFields.Field.init(name:value:)", "HeaderFields.Field.init(name:received:)", "HeaderFields.init(_:)",
            "HeaderFields.subscript(name:)",
            "HeaderFields.values(for:)", "HeaderFields.contains(_:)", "HeaderFields.add(_:for:)",
            "HeaderFields.init(dictionaryLiteral:)", "HeaderFields.subscript(position:)"
        ) {
            for text in Extreme.texts {
                var headers = HeaderFields([text: text])
                headers.add(text, for: text)
                headers.set(text, for: "A")
                headers[text] = text
                describe(headers)
                describe(HeaderFields([HeaderFields.Field(name: text, value: text), HeaderFields.Field(name: "A", value: text)]))
                describe(HeaderFields([HeaderFields.Field(name: text, received: Array(text.utf8))]))
                _ = (headers.contains(text), headers.values(for: text), headers[text], [text: text] as HeaderFields)
                // A position is an index, as in an array: only positions from `startIndex` up to, but not including, `endIndex`
                // are valid.
                for position in headers.indices { describe(headers[position]) }
                headers.remove(text)
            }
            for count in Extreme.integers {
                var headers: HeaderFields = ["A": "b"]
                headers.reserveCapacity(count)
            }
        },
        ExtremeCall(
            "EndpointBody.init(contentType:encode:)", "EndpointBody.init(contentType:content:)",
            "EndpointBody.text(_:encoding:contentType:)", "EndpointBody.data(_:contentType:)",
            "EndpointBody.file(_:contentType:)",
            "EndpointBody.stream(_:length:contentType:)", "EndpointBody.encoded(_:by:contentType:)"
        ) {
            for text in Extreme.texts {
                let bodies: [EndpointBody?] = [
                    EndpointBody(contentType: text) { Data() }, EndpointBody(contentType: text, content: .data(Data())),
                    .text(text, encoding: .isoLatin1, contentType: text), .text(text), .data(Data(), contentType: text),
                    .file(URL(fileURLWithPath: "/" + text), contentType: text),
                    .encoded(text, by: JSONEncoder(), contentType: text),
                    .stream(AsyncStream<Data> { $0.finish() }, contentType: text), .json(text), .form(["a": text]),
                ]
                for body in bodies.compactMap({ $0 }) {
                    describe(body)
                    _ = try? body.content()
                }
            }
            for length in Extreme.wide {
                describe(EndpointBody.stream(AsyncStream<Data> { $0.finish() }, length: length))
            }
        },
        ExtremeCall("InformationalResponse.init(statusCode:headers:)") {
            for number in Extreme.integers { describe(InformationalResponse(statusCode: number, headers: ["A": "b"])) }
        },
        ExtremeCall("NetworkBody.withTrailers(_:fields:)", "EndpointBody.withTrailers(_:fields:)") {
            for text in Extreme.texts {
                let body = NetworkBody.data(Data()).withTrailers([text, text]) { [text: text] }.withDigestTrailer()
                describe(body)
                _ = try? NetworkRequest(method: .post, url: URL(string: "https://a.test")!, body: body).validate()
                _ = try? EndpointBody.text(text).withTrailers([text]) { [text: text] }.content()
            }
        },
        ExtremeCall("NetworkBody.stream(_:length:)", "NetworkBody.stream(length:makeChunks:)") {
            for length in Extreme.wide {
                let contents: [NetworkBody] = [
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
            "MultipartForm.Part.init(name:fileName:contentType:headers:content:)",
            "MultipartForm.init(_:boundary:)",
            "MultipartForm.append(_:name:headers:)", "MultipartForm.append(_:name:fileName:contentType:headers:)"
        ) {
            for text in Extreme.texts {
                let data = Data(text.utf8)
                _ = MultipartForm.contentType(forFileName: text)
                var form = MultipartForm([.init(name: text, fileName: text, contentType: text, data: data)])
                form.append(text, name: text)
                form.append(.data(data), name: text, fileName: text)
                form.append(.data(data), name: text, fileName: text, contentType: "a/b")
                form.parts.append(.init(name: "b", fileName: text, content: .data(data)))
                describe(form)
                _ = try? EndpointBody.multipart(form).content()
                for headers: HeaderFields in [[text: "a"], ["a": text]] {
                    var form = MultipartForm()
                    form.append(text, name: "n", headers: headers)
                    _ = try? EndpointBody.multipart(form).content()
                }
                _ = try? EndpointBody.multipart(MultipartForm([.init(name: text, data: data)], boundary: text)).content()
            }
        },
        ExtremeCall("ResponseData.init(_:contentType:)") {
            for text in Extreme.texts {
                for type in [text, "text/plain; charset=" + text] {
                    let body = ResponseData(Data(text.utf8), contentType: type)
                    _ = try? TextResponseDecoder().decode(String.self, from: body)
                    _ = try? JSONResponseDecoder().decode([String: Int].self, from: body)
                    _ = try? PropertyListResponseDecoder().decode([String: Int].self, from: body)
                }
            }
        },
        ExtremeCall(
            "TransferProgress.init(bytesSent:totalBytesToSend:bytesReceived:totalBytesToReceive:bytesResumed:elapsed:recentBytesPerSecond:isFinished:)"
        ) {
            for (bytes, other) in Extreme.pairs(Extreme.wide, Extreme.wide, usual: (10, 100)) {
                for (elapsed, rate) in Extreme.pairs(Extreme.durations, Extreme.doubles, usual: (.seconds(1), 10)) {
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
