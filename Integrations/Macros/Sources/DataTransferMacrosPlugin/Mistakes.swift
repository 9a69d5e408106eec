// The texts of all mistakes, in the order of the table in the README.

// Mistakes of the type.
extension Mistake {
    static func notAStruct(_ kind: String) -> Mistake {
        Mistake("not-a-struct", "@API is for a struct, not for \(kind): its functions have default arguments and attributes")
    }
    static let genericType = Mistake("generic-type", "a struct with @API has no generic parameters")
    static let noCalls = Mistake("no-calls", "the struct has no calls: functions with an attribute such as @GET")
    static func noVerb(_ function: String) -> Mistake {
        Mistake("no-verb", "‘\(function)’ has neither a body nor an attribute that says what it sends, such as @GET")
    }
    static func twoVerbs(_ first: String, _ second: String) -> Mistake {
        Mistake("two-verbs", "@\(first) and @\(second) on one function: a call is one request")
    }
    static func storedProperty(_ name: String) -> Mistake {
        Mistake("stored-property", "‘\(name)’ has no value: the initializer that @API adds sets only ‘service’")
    }
    static let conditional = Mistake("conditional", "a call in ‘#if’ is not seen by @API; declare a second struct in ‘#if’")
}

// Mistakes of the function.
extension Mistake {
    static func outsideOfAPI(_ verb: String) -> Mistake {
        Mistake("outside-of-api", "@\(verb) is for functions of a struct with @API")
    }
    static func hasBody(_ verb: String) -> Mistake {
        Mistake("has-body", "the body is written by @\(verb); remove this one")
    }
    static func modifier(_ modifier: String) -> Mistake {
        Mistake("modifier", "a call is not ‘\(modifier)’")
    }
    static func notPublic(_ function: String, _ access: String) -> Mistake {
        Mistake("not-public", "‘\(function)’ is part of the \(access) protocol of the API; declare it \(access)")
    }
    static let genericFunction = Mistake("generic-function", "a call has no generic parameters: the stub has one closure for it")
    static let notAsync = Mistake("not-async", "a call is ‘async throws’; it waits for a response")
    static let notThrows = Mistake("not-throws", "a call is ‘async throws’; a request can fail")
    static let typedThrows = Mistake("typed-throws", "a call throws ‘any Error’, which is always a DataTransferError")
}

// Mistakes of the path.
extension Mistake {
    static let pathIsNotLiteral = Mistake(
        "path-is-not-literal",
        "the path is a literal without interpolation and escapes; write ‘{name}’ for the value of a parameter")
    static let pathIsURL = Mistake("path-is-url", "the path is relative to the base URL of the service")
    static let characterInPath = Mistake(
        "character-in-path", "a path has no spaces, control characters and fragments; write them percent-encoded, such as %20")
    static let unbalancedBrace = Mistake("unbalanced-brace", "unbalanced brace; write %7B or %7D for a literal one")
    static let emptyPlaceholder = Mistake("empty-placeholder", "a placeholder has the name of a parameter: ‘{id}’")
    static func pathWithoutArgument(_ name: String, isTaken: Bool) -> Mistake {
        Mistake(
            "path-without-argument",
            isTaken
                ? "‘{\(name)}’ has no value: the parameter ‘\(name)’ has another place"
                : "‘{\(name)}’ has no value: no parameter has this name")
    }
    static func noPlaceholder(_ name: String) -> Mistake {
        Mistake("no-placeholder", "the path has no ‘{\(name)}’")
    }
    static func twoForPath(_ name: String) -> Mistake {
        Mistake("two-for-path", "‘{\(name)}’ already has the value of another parameter")
    }
    static func optionalInPath(_ name: String) -> Mistake {
        Mistake("optional-in-path", "‘\(name)’ is in the path, so it cannot be nil")
    }
}

// Mistakes of parameters.
extension Mistake {
    static func twoPlaces(_ first: String, _ second: String) -> Mistake {
        Mistake("two-places", "@\(first) and @\(second) on one parameter: a value has one place")
    }
    static func noPlace(_ name: String, _ reason: String) -> Mistake {
        Mistake("no-place", "‘\(name)’ has no place: \(reason)")
    }
    static func bodyOfGet(_ attribute: String, _ method: String) -> Mistake {
        Mistake("body-of-get", "@\(attribute) is in the body, and a \(method) request has none (RFC 9110 §9.3)")
    }
    static func twoBodies(_ first: String, _ second: String) -> Mistake {
        Mistake("two-bodies", "‘\(first)’ and ‘\(second)’: a request has one body")
    }
    static func mixedBody(_ first: String, _ second: String) -> Mistake {
        Mistake("mixed-body", "@\(second) beside @\(first): a body is a value, a form of fields, or a form of parts")
    }
    static func headerName(_ name: String) -> Mistake {
        Mistake("header-name", "‘\(name)’ is not the name of a header field (RFC 9110 §5.1)")
    }
    static func headerOfTransport(_ name: String) -> Mistake {
        Mistake("header-of-transport", "‘\(name)’ is set by the session manager")
    }
    static func twoHeaders(_ name: String) -> Mistake {
        Mistake("two-headers", "two parameters for the header field ‘\(name)’")
    }
    static let variadic = Mistake("variadic", "a parameter is one value; declare an array")
    static let inoutParameter = Mistake("inout", "a call cannot change its arguments")
    static func opaqueParameter(_ type: String) -> Mistake {
        Mistake("opaque-parameter", "‘\(type)’ makes the function generic, and the stub has one closure for it")
    }
    static func notEncodable(_ name: String, _ kind: String) -> Mistake {
        Mistake("not-encodable", "‘\(name)’ is \(kind), which cannot be encoded")
    }
    static func defaultNotEncodable(_ name: String, _ kind: String) -> Mistake {
        Mistake("default-not-encodable", "the default of ‘\(name)’ is \(kind), which cannot be encoded")
    }
}

// Mistakes of the result and of the arguments of the attribute.
extension Mistake {
    static func notDecodable(_ kind: String) -> Mistake {
        Mistake("not-decodable", "the result is \(kind), which cannot be decoded; declare a type that is Decodable and Sendable")
    }
    static let headWithResult = Mistake(
        "head-with-result", "a response to HEAD has no body; return nothing or a DataTransferResponse<Void>")
    static func wrongResult(_ verb: String, _ type: String) -> Mistake {
        Mistake("wrong-result", "a function with @\(verb) returns ‘\(type)’")
    }
    static func otherVerb(_ type: String, _ verb: String) -> Mistake {
        Mistake("other-verb", "‘\(type)’ is returned by functions with @\(verb)")
    }
    static let noDestination = Mistake(
        "no-destination", "a download has a parameter with the label ‘to’: the URL of the file, or a DownloadDestination")
    static let keyPathAndDecoder = Mistake(
        "key-path-and-decoder", "keyPath and decoder; write decoder: .keyPath(…, decoder: …) for both")
    static func keyPathWithoutJSON(_ type: String) -> Mistake {
        Mistake("key-path-without-json", "a key path is in a JSON document, and ‘\(type)’ is not decoded from one")
    }
    static func decoderWithoutValue(_ argument: String) -> Mistake {
        Mistake("decoder-without-value", "‘\(argument)’ without a result: no value is decoded")
    }
    static let methodIsNotMember = Mistake("method-is-not-member", "the method is written as a member, such as .post")
}
