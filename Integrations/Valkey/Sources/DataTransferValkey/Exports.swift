@_exported import Endpoints
@_exported import NetworkAuthorization
@_exported import NetworkCache
@_exported import NetworkCore
@_exported import NetworkPipeline
