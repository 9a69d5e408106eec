// An API describes a request, and can state a trust policy: `import EndpointAPIs` is enough to use it.
@_exported import Endpoints
@_exported import NetworkCore
