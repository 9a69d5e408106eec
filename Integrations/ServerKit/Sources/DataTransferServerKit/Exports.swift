@_exported import DataTransfer
@_exported import NetworkPipeline
