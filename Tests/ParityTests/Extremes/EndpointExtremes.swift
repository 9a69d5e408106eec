import EndpointAPIs
import Endpoints
import Foundation
import TransferTestSupport

/// Endpoints and the values they consist of.
extension ExtremeCall {
    private static let api = APIConfiguration(baseURL: URL(string: "https://api.test/v1")!)

    private static func build(_ endpoint: some Requestable) {
        describe(endpoint)
        if let request = try? endpoint.networkRequest(with: api) {
            describe(request)
            describe(request.url)
        }
    }

    static let endpoints: [ExtremeCall] = [
        ExtremeCall(
            "Endpoint.init(path:isFullPath:method:pathParameters:headerParameters:queryParameters:queryStyle:body:timeouts:acceptedStatuses:response:)",
            "Endpoint.init(path:isFullPath:method:pathParameters:headerParameters:queryParameters:queryStyle:body:timeouts:acceptedStatuses:responseDecoder:)",
            "Endpoint.init(path:isFullPath:method:pathParameters:headerParameters:queryParameters:queryStyle:body:timeouts:acceptedStatuses:keyPath:)",
            "Endpoint.init(path:isFullPath:method:pathParameters:headerParameters:queryParameters:queryStyle:body:timeouts:acceptedStatuses:)"
        ) {
            for text in Extreme.texts {
                build(Endpoint<String>(path: text, responseDecoder: .text))
                build(Endpoint<String>(path: text, isFullPath: true, responseDecoder: .text))
                build(Endpoint<Void>(path: text, method: RequestMethod(text)))
                build(Endpoint<Int>(path: "a?" + text, keyPath: JSONKeyPath(text)))
                build(Endpoint<Int>(path: "https://host.test/" + text, isFullPath: true, response: { _ in 1 }))
                build(Endpoint<Void>(path: "a", headerParameters: [text: text], queryParameters: [text: text]))
                build(Endpoint<Void>(path: "a", headerParameters: ["A": text], body: .form([text: text])))
            }
        },
        ExtremeCall(
            "RequestDescription.init(path:isFullPath:baseURL:method:pathParameters:headerParameters:queryParameters:queryStyle:body:timeouts:acceptedStatuses:requiresAuthentication:)",
            "RequestDescription.get(_:pathParameters:headerParameters:queryParameters:timeouts:acceptedStatuses:requiresAuthentication:)",
            "RequestDescription.head(_:pathParameters:headerParameters:queryParameters:timeouts:acceptedStatuses:requiresAuthentication:)",
            "RequestDescription.post(_:pathParameters:headerParameters:queryParameters:body:timeouts:acceptedStatuses:requiresAuthentication:)",
            "RequestDescription.put(_:pathParameters:headerParameters:queryParameters:body:timeouts:acceptedStatuses:requiresAuthentication:)",
            "RequestDescription.patch(_:pathParameters:headerParameters:queryParameters:body:timeouts:acceptedStatuses:requiresAuthentication:)",
            "RequestDescription.delete(_:pathParameters:headerParameters:queryParameters:body:timeouts:acceptedStatuses:requiresAuthentication:)",
            "RequestDescription.query(_:pathParameters:headerParameters:queryParameters:body:timeouts:acceptedStatuses:requiresAuthentication:)"
        ) {
            for text in Extreme.texts {
                build(RequestDescription(path: text, baseURL: URL(string: text), method: RequestMethod(text)))
                for description: RequestDescription in [.get(text), .head(text), .delete(text)] { build(description) }
                for description: RequestDescription in [.post(text), .put(text), .patch(text), .query(text)] {
                    build(description.as(Int.self))
                }
            }
        },
        ExtremeCall(
            "AcceptedMediaTypes.init(_:)", "AcceptedMediaTypes.init(arrayLiteral:)", "AcceptedMediaTypes.contains(_:)"
        ) {
            for text in Extreme.texts {
                let types: [AcceptedMediaTypes] = [
                    AcceptedMediaTypes([text, text]), [text], ["*/*"], ["text/*"], ["a/*+b"], .json,
                ]
                for (number, types) in types.enumerated() {
                    describe(types)
                    for contentType in [text, "text/" + text, text + "/" + text, "a/x+" + text] {
                        _ = types.contains(contentType)
                    }
                    // The others are the same for each text.
                    guard isSlowRun || number < 2 || text == "/" else { continue }
                    var endpoint = Endpoint<Int>(path: "a")
                    endpoint.acceptedMediaTypes = types
                    build(endpoint)
                }
            }
        },
        ExtremeCall("PathParameters.init(_:)", "PathParameters.init(dictionaryLiteral:)") {
            for text in Extreme.texts {
                describe(PathParameters([text: text]))
                build(Endpoint<Void>(path: "a/{id}/b", pathParameters: ["id": text]))
                build(Endpoint<Void>(path: "a/{\(text)}/b", pathParameters: [text: "x"]))
            }
            for number in Extreme.integers { build(Endpoint<Void>(path: "{n}", pathParameters: ["n": number])) }
            for number in Extreme.doubles { build(Endpoint<Void>(path: "{n}", pathParameters: ["n": number])) }
        },
        ExtremeCall("ParameterList.init(dictionaryLiteral:)") {
            let dates: [QueryStyle.Dates] = [.iso8601, .secondsSince1970, .millisecondsSince1970]
            for style in dates.map({ QueryStyle(dates: $0) }) {
                for date in Extreme.dates {
                    build(Endpoint<Void>(path: "a", queryParameters: ["d": date], queryStyle: style))
                    _ = try? EndpointBody.form(["d": date], style: style).content()
                    _ = try? EndpointBody.json(["d": date]).content()
                }
            }
            for number in Extreme.doubles {
                build(Endpoint<Void>(path: "a", queryParameters: ["n": number, "l": [number]]))
                _ = try? EndpointBody.json(["n": number]).content()
            }
            for number in Extreme.integers { build(Endpoint<Void>(path: "a", queryParameters: ["n": number])) }
            for text in Extreme.texts {
                _ = try? EndpointBody.json([text: text] as ParameterList).content()
                for keys in [QueryStyle.Keys.snakeCase, .kebabCase] {
                    _ = try? EndpointBody.form([text: text], style: QueryStyle(keys: keys)).content()
                }
            }
        },
        ExtremeCall("RequestTimeouts.init(connect:idle:total:deadline:)") {
            for limit in Extreme.durations {
                for timeouts in [
                    RequestTimeouts(connect: limit), RequestTimeouts(idle: limit), RequestTimeouts(total: limit),
                    RequestTimeouts(deadline: .limit(limit)),
                ] { build(Endpoint<Void>(path: "a", timeouts: timeouts)) }
            }
        },
        ExtremeCall("AcceptedStatuses.init(_:)", "AcceptedStatuses.init(arrayLiteral:)", "AcceptedStatuses.contains(_:)") {
            for status in Extreme.integers {
                _ = (AcceptedStatuses(arrayLiteral: status) + AcceptedStatuses(min(status, 0)..<max(status, 0))).contains(status)
            }
        },
        ExtremeCall("APIConfiguration.init(_:headers:queryParameters:)") {
            for text in Extreme.texts + Extreme.texts.map({ "https://host.test/" + $0 }) + Extreme.texts.map({ "https://" + $0 })
            {
                guard let configuration = try? APIConfiguration(text, headers: ["A": text]) else { continue }
                describe(configuration)
                _ = try? Endpoint<Void>(path: "a").networkRequest(with: configuration)
            }
        },
        ExtremeCall(
            "RequestCachePolicy.init(rawValue:)", "RequestCachePolicy.maximumAge(_:)", "RequestCachePolicy.maximumStaleness(_:)",
            "RequestCachePolicy.minimumFreshness(_:)"
        ) {
            for text in Extreme.texts { describe(RequestCachePolicy(rawValue: text)) }
            for time in Extreme.durations {
                describe([RequestCachePolicy.maximumAge(time), .maximumStaleness(time), .minimumFreshness(time)])
            }
        },
        ExtremeCall("JSONKeyPath.init(_:)", "JSONKeyPath.init(stringLiteral:)") {
            let document = Data(#"{"a": [1, {"b": "c"}]}"#.utf8)
            let texts = Extreme.texts + Extreme.integers.map { "a[\($0)]" } + Extreme.integers.map { "a/\($0)" }
            for text in texts {
                for path in [JSONKeyPath(text), JSONKeyPath(stringLiteral: text), JSONKeyPath(pointer: "/" + text)] {
                    describe(path)
                    _ = try? JSONSlicer().slice(of: document, at: path)
                }
            }
        },
        ExtremeCall("EnvelopeStatus.init(stringLiteral:)", "EnvelopeStatus.init(integerLiteral:)") {
            for text in Extreme.texts { describe(EnvelopeError(status: EnvelopeStatus(stringLiteral: text), message: text)) }
            for number in Extreme.integers { describe(EnvelopeError(status: EnvelopeStatus(integerLiteral: number))) }
        },
        ExtremeCall("ContentDigest.sha256(_:)") { for text in Extreme.texts { describe(ContentDigest.sha256(text)) } },
        ExtremeCall("RequestGenerationError.init(_:_:underlying:)") {
            for text in Extreme.texts { describe(RequestGenerationError(.query(text), text)) }
        },
        ExtremeCall("RequestMethod.init(rawValue:)") {
            for text in Extreme.texts {
                describe(RequestMethod(rawValue: text))
                describe(RequestMethod(text).isIdempotent)
            }
        },
        ExtremeCall("HeaderName.init(rawValue:)") {
            for text in Extreme.texts {
                var headers: HeaderFields = [:]
                headers[HeaderName(rawValue: text)] = text
                build(Endpoint<Void>(path: "a", headerParameters: headers))
            }
        },
        ExtremeCall("Redirect.init(request:statusCode:headers:target:count:)") {
            let request = NetworkRequest(url: URL(filePath: "/"))
            for url in Extreme.urls {
                for number in Extreme.integers {
                    let redirect = Redirect(request: request, statusCode: number, target: url, count: number)
                    describe(RedirectPolicy.decide { _ in .refuse(url.absoluteString) }.decision(on: redirect))
                }
            }
        },
        ExtremeCall {
            for number in Extreme.wide {
                describe(HTTPDate(secondsSince1970: number))
            }
            for date in Extreme.dates {
                describe(HTTPDate(date))
                for text in ["Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 9999 08:49:37 GMT"] { _ = HTTPDate(text, now: date) }
            }
            for text in Extreme.texts { _ = HTTPDate(text) }
        },
    ]
}
