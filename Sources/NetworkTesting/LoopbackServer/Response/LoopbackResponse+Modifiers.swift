import Endpoints

extension LoopbackResponse {
    /// This response, held back for a while. A second delay replaces the first.
    ///
    /// The time runs from the moment the handler returned; if the client goes away meanwhile, nothing is sent.
    public func delayed(by delay: Duration) -> LoopbackResponse {
        var response = self
        response.delay = delay
        return response
    }

    /// This response, preceded by an interim one such as 103 (RFC 9110 §15.2), sent at once. Clients of HTTP/1.0 are spared it.
    public func interim(_ status: Int, _ headers: HTTPHeaders = HTTPHeaders()) -> LoopbackResponse {
        var response = self
        response.interims.append(Interim(status: status, headers: headers))
        return response
    }

    /// This response, going wrong in a way the fault describes. Several faults add up; of those that end the response early,
    /// the last one counts.
    public func fault(_ fault: LoopbackFault) -> LoopbackResponse {
        var response = self
        response.faults.append(fault)
        return response
    }

    /// This response, after which the connection is closed though nothing in it says so: what a client meets when a server
    /// drops an idle keep-alive connection.
    public func closeAfter() -> LoopbackResponse {
        fault(.closeAfter)
    }

    /// This response with one more header field.
    public func header(_ name: String, _ value: String) -> LoopbackResponse {
        var response = self
        response.headers.add(value, for: name)
        return response
    }
}
