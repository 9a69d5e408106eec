@_exported import Endpoints
@_exported import NetworkCache
@_exported import NetworkCore
@_exported import NetworkPipeline
