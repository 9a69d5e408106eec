import NetworkPipeline

let pipeline = RequestPipeline { $0.rate = RateLimiter(RateLimit(10, per: .seconds(1))) }
print(pipeline.interceptors.count)
