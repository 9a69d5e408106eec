import NetworkCache

print("NetworkCache")
