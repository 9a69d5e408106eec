import NetworkObservation

let activity = NetworkActivity { isActive in print(isActive) }
let pipeline = RequestPipeline {
    $0.observation = .observation { event in print(event) }
    $0.activity = activity
    $0.trace = .trace
}
print(activity.count, pipeline.interceptors.count)
