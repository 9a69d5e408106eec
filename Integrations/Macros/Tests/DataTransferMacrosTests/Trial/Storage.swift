import DataTransferMacros
import Foundation

// Objects (S3), uploads with parts, and downloads.

@API
struct Bucket: BucketProtocol {
    @PUT("{key}", timeout: .seconds(600), acceptedStatuses: [200])
    func put(
        key: String, _ content: EndpointBody, @Header("x-amz-storage-class") storage: StorageClass = .standard,
        progress: (any TransferProgressObserver)? = nil
    ) async throws
    @GET("{key}") func get(key: String, @Header("Range") range: String? = nil) async throws -> Data
    @HEAD("{key}") func head(key: String) async throws -> DataTransferResponse<Void>
    @DELETE("{key}") func delete(key: String) async throws
    @GET("", decoder: .text)
    func list(prefix: String, @Query("list-type") type: Int = 2, @Query("continuation-token") token: String? = nil)
        async throws -> String

    enum StorageClass: String, HeaderFieldValue {
        case standard = "STANDARD"
        case archive = "GLACIER"
    }
}

@API
struct Photos: PhotosProtocol {
    @POST("albums/{album}/photos")
    func upload(
        album: Int, @Part("photo") file: URL, @Part caption: String? = nil, @Part("tag") tags: [String] = [],
        progress: (any TransferProgressObserver)? = nil
    ) async throws -> Repository
    @POST("avatars") func avatar(@Part("image", fileName: "avatar.png", contentType: "image/png") png: Data) async throws
    @POST("batch") func batch(_ form: MultipartForm) async throws
}

@API
struct Releases: ReleasesProtocol {
    @DOWNLOAD("releases/{version}/{name}")
    func asset(
        version: String, name: String, to folder: DownloadDestination, options: DownloadOptions = DownloadOptions(),
        progress: (any TransferProgressObserver)? = nil
    ) async throws -> DownloadedFile
    @STREAM("releases/{version}/log", as: .lines()) func log(version: String) async throws -> ValueStream<String>
}
