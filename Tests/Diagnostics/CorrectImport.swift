import DataTransfer
import NetworkPipeline

func service(_ configuration: APIConfiguration) -> DefaultDataTransferService {
    DefaultDataTransferService(configuration: configuration, interceptors: [.retry(), .deadline(.seconds(5))])
}
