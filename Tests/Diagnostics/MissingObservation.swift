import DataTransfer
import NetworkPipeline

struct AttemptLog: ExchangeObserver {  // error: add `import NetworkObservation`
    func exchangeDidProgress(_ event: ExchangeEvent) { print(event) }  // error: add `import NetworkObservation`
}

func interceptors() -> [any NetworkInterceptor] {
    let waterfall = Waterfall()  // error: add `import NetworkObservation`
    return [
        .observation(waterfall),  // error: add `import NetworkObservation`
        .observation { event in print(event.target) },  // error: add `import NetworkObservation`
        .retry(),
    ]
}

func pipeline() -> RequestPipeline {
    RequestPipeline {
        $0.observation = .observation { event in print(event) }  // error: add `import NetworkObservation`
        $0.activity = NetworkActivity { isActive in print(isActive) }  // error: add `import NetworkObservation`
        $0.trace = .trace  // error: add `import NetworkObservation`
    }
}

let context = TraceContext()  // error: add `import NetworkObservation`
let isTraced = TraceContext.current != nil  // error: add `import NetworkObservation`
