import NetworkPipeline

print("NetworkPipeline")
