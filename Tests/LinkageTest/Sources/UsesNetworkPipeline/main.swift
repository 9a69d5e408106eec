import NetworkPipeline

let activity = NetworkActivity { isActive in print(isActive) }
print(activity.count)
