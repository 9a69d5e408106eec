// Requests, headers and loggers are in every signature here.
@_exported import Endpoints
@_exported import NetworkLogging
