// The classes of Foundation that FoundationEssentials does not contain, as far as the package uses them:
// https://developer.apple.com/documentation/foundation
#pragma once
#include "ObjectiveC.h"
#include "CoreFoundation.h"
#include "Security.h"

#define NS_BRIDGED(type) __attribute__((swift_bridge(type)))
#define NS_NAME(name) __attribute__((swift_name(name)))
#define NS_SENDABLE __attribute__((swift_attr("@Sendable")))
#define NS_ENUM_OF(type, name) enum __attribute__((enum_extensibility(open))) name : type name; enum name : type

#pragma clang assume_nonnull begin

typedef double NSTimeInterval NS_NAME("TimeInterval");

// https://developer.apple.com/documentation/foundation/nscopying
@protocol NSCopying
- (id)copyWithZone:(nullable NSZone *)zone;
@end

// Classes that are bridged to values.
NS_BRIDGED("Swift.String") NS_SENDABLE
@interface NSString : NSObject <NSCopying>
@end

NS_BRIDGED("Swift.Array")
@interface NSArray<__covariant ObjectType> : NSObject <NSCopying>
@end

NS_BRIDGED("Swift.Dictionary")
@interface NSDictionary<__covariant KeyType, __covariant ObjectType> : NSObject <NSCopying>
@end

// https://developer.apple.com/documentation/foundation/nshomedirectory()
extern NSString *NSHomeDirectory(void);

// https://developer.apple.com/documentation/foundation/nsvalue
@interface NSValue : NSObject <NSCopying>
@property(readonly) const char *objCType;
@end

// https://developer.apple.com/documentation/foundation/nsnumber
@interface NSNumber : NSValue
@property(readonly) BOOL boolValue;
@property(readonly) double doubleValue;
@property(readonly) long long longLongValue __attribute__((swift_name("int64Value")));
@property(readonly) unsigned long long unsignedLongLongValue __attribute__((swift_name("uint64Value")));
@end

// https://developer.apple.com/documentation/foundation/nsdecimalnumber
@interface NSDecimalNumber : NSNumber
@end

// https://developer.apple.com/documentation/foundation/nsnull
@interface NSNull : NSObject <NSCopying>
@end

NS_BRIDGED("Data")
@interface NSData : NSObject <NSCopying>
@end

NS_BRIDGED("Date") NS_SENDABLE
@interface NSDate : NSObject <NSCopying>
@end

NS_BRIDGED("URL") NS_SENDABLE
@interface NSURL : NSObject <NSCopying>
@end

// https://developer.apple.com/documentation/foundation/nserror
typedef NSString *NSErrorDomain;
typedef NSString *NSErrorUserInfoKey;
extern NSErrorUserInfoKey const NSLocalizedDescriptionKey;
extern NSErrorDomain const NSURLErrorDomain;
extern NSErrorDomain const NSPOSIXErrorDomain;

NS_BRIDGED("Swift.Error") NS_SENDABLE
@interface NSError : NSObject <NSCopying>
- (instancetype)initWithDomain:(NSErrorDomain)domain code:(NSInteger)code userInfo:(nullable NSDictionary<NSErrorUserInfoKey, id> *)dict;
@property(readonly, copy) NSErrorDomain domain;
@property(readonly) NSInteger code;
@property(readonly, copy) NSDictionary<NSErrorUserInfoKey, id> *userInfo;
@property(readonly, copy) NSString *localizedDescription;
@property(nullable, readonly, copy) NSString *localizedFailureReason;
@end

// https://developer.apple.com/documentation/foundation/nslocking
#define NOT_FROM_ASYNC __attribute__((swift_attr("@_unavailableFromAsync(message: \"Use async-safe scoped locking instead\")")))
NS_SENDABLE
@protocol NSLocking
- (void)lock NOT_FROM_ASYNC;
- (void)unlock NOT_FROM_ASYNC;
@end

NS_SENDABLE
@interface NSLock : NSObject <NSLocking>
@end

// https://developer.apple.com/documentation/foundation/nscondition
NS_SENDABLE
@interface NSCondition : NSObject <NSLocking>
- (void)wait NOT_FROM_ASYNC;
- (BOOL)waitUntilDate:(NSDate *)limit NOT_FROM_ASYNC;
- (void)signal;
- (void)broadcast;
@end

// https://developer.apple.com/documentation/foundation/operationqueue
NS_NAME("OperationQueue") NS_SENDABLE
@interface NSOperationQueue : NSObject
@property NSInteger maxConcurrentOperationCount;
@property(nullable, copy) NSString *name;
@end

// https://developer.apple.com/documentation/foundation/thread
NS_NAME("Thread") NS_SENDABLE
@interface NSThread : NSObject
@property(class, readonly, strong) NSThread *currentThread NS_NAME("current");
@property(class, readonly) BOOL isMainThread;
@property(nullable, copy) NSString *name;
+ (void)sleepForTimeInterval:(NSTimeInterval)ti;
@end

// https://developer.apple.com/documentation/foundation/bundle
NS_NAME("Bundle") NS_SENDABLE
@interface NSBundle : NSObject
@property(class, readonly, strong) NSBundle *mainBundle;
@property(readonly, copy) NSString *bundlePath;
@property(nullable, readonly, copy) NSString *bundleIdentifier;
@property(nullable, readonly, copy) NSDictionary<NSString *, id> *infoDictionary;
- (nullable NSURL *)URLForResource:(nullable NSString *)name withExtension:(nullable NSString *)ext;
- (nullable NSURL *)URLForResource:(nullable NSString *)name
                     withExtension:(nullable NSString *)ext
                      subdirectory:(nullable NSString *)subpath;
- (nullable id)objectForInfoDictionaryKey:(NSString *)key;
@end

// https://developer.apple.com/documentation/foundation/dateformatter
NS_NAME("Formatter")
@interface NSFormatter : NSObject <NSCopying>
@end

NS_NAME("DateFormatter") NS_SENDABLE
@interface NSDateFormatter : NSFormatter
- (NSString *)stringFromDate:(NSDate *)date;
- (nullable NSDate *)dateFromString:(NSString *)string;
@property(null_resettable, copy) NSString *dateFormat;
@end

// https://developer.apple.com/documentation/foundation/filehandle
NS_NAME("FileHandle") NS_SENDABLE
@interface NSFileHandle : NSObject
@property(class, readonly, strong) NSFileHandle *fileHandleWithStandardInput NS_NAME("standardInput");
@property(class, readonly, strong) NSFileHandle *fileHandleWithStandardOutput NS_NAME("standardOutput");
@property(class, readonly, strong) NSFileHandle *fileHandleWithStandardError NS_NAME("standardError");
@property(readonly) int fileDescriptor;
+ (nullable instancetype)fileHandleForReadingFromURL:(NSURL *)url error:(NSError **)error API_SINCE(10.6, 4.0, 9.0, 2.0);
- (void)writeData:(NSData *)data;
- (BOOL)closeAndReturnError:(NSError *_Nullable *_Nullable)error API_SINCE(10.15, 13.0, 13.0, 6.0) NS_NAME("close()");
@end

// https://developer.apple.com/documentation/foundation/progress
NS_NAME("Progress") NS_SENDABLE
@interface NSProgress : NSObject
+ (NSProgress *)progressWithTotalUnitCount:(int64_t)unitCount;
@property int64_t totalUnitCount;
@property int64_t completedUnitCount;
@property(getter=isCancellable) BOOL cancellable;
@property(readonly, getter=isCancelled) BOOL cancelled;
@property(nullable, copy) void (NS_SENDABLE ^cancellationHandler)(void);
- (void)cancel;
@end

// https://developer.apple.com/documentation/foundation/stream
NS_NAME("Stream")
@interface NSStream : NSObject
- (void)open;
- (void)close;
@property(nullable, readonly, copy) NSError *streamError;
@end

// https://developer.apple.com/documentation/foundation/outputstream
NS_NAME("OutputStream")
@interface NSOutputStream : NSStream
- (NSInteger)write:(const uint8_t *)buffer maxLength:(NSUInteger)len;
@end

// https://developer.apple.com/documentation/foundation/inputstream
NS_NAME("InputStream")
@interface NSInputStream : NSStream
@end

@interface NSStream (NSBoundPair)
// https://developer.apple.com/documentation/foundation/stream/getboundstreams(withbuffersize:inputstream:outputstream:)
+ (void)getBoundStreamsWithBufferSize:(NSUInteger)bufferSize
                          inputStream:(NSInputStream *_Nullable __autoreleasing *_Nullable)inputStream
                         outputStream:(NSOutputStream *_Nullable __autoreleasing *_Nullable)outputStream;
@end

// MARK: URL loading: https://developer.apple.com/documentation/foundation/url-loading-system

// https://developer.apple.com/documentation/foundation/nsurlrequest
NS_BRIDGED("URLRequest") NS_SENDABLE
@interface NSURLRequest : NSObject <NSCopying>
@end

typedef NS_ENUM_OF(NSUInteger, NSURLRequestCachePolicy) {
    NSURLRequestUseProtocolCachePolicy = 0,
    NSURLRequestReloadIgnoringLocalCacheData = 1,
    NSURLRequestReturnCacheDataElseLoad = 2,
    NSURLRequestReturnCacheDataDontLoad = 3,
} NS_NAME("NSURLRequest.CachePolicy");

// https://developer.apple.com/documentation/foundation/urlresponse
NS_NAME("URLResponse") NS_SENDABLE
@interface NSURLResponse : NSObject <NSCopying>
@property(nullable, readonly, copy) NSURL *URL;
@property(nullable, readonly, copy) NSString *MIMEType;
@property(readonly) long long expectedContentLength;
@end

// https://developer.apple.com/documentation/foundation/httpurlresponse
NS_NAME("HTTPURLResponse") NS_SENDABLE
@interface NSHTTPURLResponse : NSURLResponse
- (nullable instancetype)initWithURL:(NSURL *)url
                          statusCode:(NSInteger)statusCode
                         HTTPVersion:(nullable NSString *)HTTPVersion
                        headerFields:(nullable NSDictionary<NSString *, NSString *> *)headerFields;
@property(readonly) NSInteger statusCode;
@property(readonly, copy) NSDictionary *allHeaderFields;
- (nullable NSString *)valueForHTTPHeaderField:(NSString *)field API_SINCE(10.15, 13.0, 13.0, 6.0);
@end

// https://developer.apple.com/documentation/foundation/urlcache
NS_NAME("URLCache") NS_SENDABLE
@interface NSURLCache : NSObject
@end

// https://developer.apple.com/documentation/foundation/httpcookiestorage
NS_NAME("HTTPCookieStorage") NS_SENDABLE
@interface NSHTTPCookieStorage : NSObject
@end

NS_NAME("HTTPCookie") NS_SENDABLE
@interface NSHTTPCookie : NSObject
@end

typedef NS_ENUM_OF(NSUInteger, NSHTTPCookieAcceptPolicy) {
    NSHTTPCookieAcceptPolicyAlways,
    NSHTTPCookieAcceptPolicyNever,
    NSHTTPCookieAcceptPolicyOnlyFromMainDocumentDomain,
} NS_NAME("HTTPCookie.AcceptPolicy");

// https://developer.apple.com/documentation/foundation/urlcredential
NS_NAME("URLCredential") NS_SENDABLE
@interface NSURLCredential : NSObject <NSCopying>
- (instancetype)initWithTrust:(SecTrustRef)trust;
@end

// https://developer.apple.com/documentation/foundation/urlcredentialstorage
NS_NAME("URLCredentialStorage") NS_SENDABLE
@interface NSURLCredentialStorage : NSObject
@end

// https://developer.apple.com/documentation/foundation/urlprotectionspace
extern NSString *const NSURLAuthenticationMethodServerTrust;

NS_NAME("URLProtectionSpace") NS_SENDABLE
@interface NSURLProtectionSpace : NSObject <NSCopying>
@property(readonly, copy) NSString *authenticationMethod;
@property(readonly, copy) NSString *host;
@property(nullable, readonly) SecTrustRef serverTrust;
@end

// https://developer.apple.com/documentation/foundation/urlauthenticationchallenge
NS_NAME("URLAuthenticationChallenge") NS_SENDABLE
@interface NSURLAuthenticationChallenge : NSObject
@property(readonly, copy) NSURLProtectionSpace *protectionSpace;
@property(readonly) NSInteger previousFailureCount;
@property(nullable, readonly, copy) NSURLResponse *failureResponse;
@end

// https://developer.apple.com/documentation/foundation/urlsessionconfiguration
NS_NAME("URLSessionConfiguration") NS_SENDABLE
@interface NSURLSessionConfiguration : NSObject <NSCopying>
@property(class, readonly, strong) NSURLSessionConfiguration *defaultSessionConfiguration NS_NAME("default");
@property(class, readonly, strong) NSURLSessionConfiguration *ephemeralSessionConfiguration NS_NAME("ephemeral");
@property NSURLRequestCachePolicy requestCachePolicy;
@property NSTimeInterval timeoutIntervalForRequest;
@property NSTimeInterval timeoutIntervalForResource;
@property tls_protocol_version_t TLSMinimumSupportedProtocolVersion API_SINCE(10.15, 13.0, 13.0, 6.0);
@property tls_protocol_version_t TLSMaximumSupportedProtocolVersion API_SINCE(10.15, 13.0, 13.0, 6.0);
@property BOOL HTTPShouldSetCookies;
@property NSHTTPCookieAcceptPolicy HTTPCookieAcceptPolicy;
@property(nullable, copy) NSDictionary *HTTPAdditionalHeaders;
@property(nullable, copy) NSDictionary *connectionProxyDictionary;
@property NSInteger HTTPMaximumConnectionsPerHost;
@property BOOL allowsExpensiveNetworkAccess API_SINCE(10.15, 13.0, 13.0, 6.0);
@property BOOL allowsConstrainedNetworkAccess API_SINCE(10.15, 13.0, 13.0, 6.0);
@property BOOL waitsForConnectivity API_SINCE(10.13, 11.0, 11.0, 4.0);
@property(nullable, retain) NSHTTPCookieStorage *HTTPCookieStorage;
@property(nullable, retain) NSURLCredentialStorage *URLCredentialStorage;
@property(nullable, retain) NSURLCache *URLCache;
// https://developer.apple.com/documentation/foundation/urlsessionconfiguration/background(withidentifier:)
+ (NSURLSessionConfiguration *)backgroundSessionConfigurationWithIdentifier:(NSString *)identifier NS_NAME("background(withIdentifier:)");
@property(getter=isDiscretionary) BOOL discretionary;
@property BOOL sessionSendsLaunchEvents API_SINCE(11.0, 7.0, 9.0, 2.0);
@property(nullable, copy) NSString *sharedContainerIdentifier;
@property BOOL allowsCellularAccess;
@end

// https://developer.apple.com/documentation/foundation/urlsessiontask
NS_NAME("URLSessionTask") NS_SENDABLE
@interface NSURLSessionTask : NSObject <NSCopying>
@property(readonly) NSUInteger taskIdentifier;
@property(nullable, readonly, copy) NSURLRequest *currentRequest;
@property(nullable, copy) NSString *taskDescription;
@property(readonly) int64_t countOfBytesSent;
@property(nullable, readonly, copy) NSURLResponse *response;
@property(nullable, readonly, copy) NSError *error;
- (void)cancel;
- (void)suspend;
- (void)resume;
@end

// https://developer.apple.com/documentation/foundation/urlsessiondatatask
NS_NAME("URLSessionDataTask") NS_SENDABLE
@interface NSURLSessionDataTask : NSURLSessionTask
@end

// https://developer.apple.com/documentation/foundation/urlsessionuploadtask
NS_NAME("URLSessionUploadTask") NS_SENDABLE
@interface NSURLSessionUploadTask : NSURLSessionDataTask
@end

// https://developer.apple.com/documentation/foundation/urlsessiondownloadtask
NS_NAME("URLSessionDownloadTask") NS_SENDABLE
@interface NSURLSessionDownloadTask : NSURLSessionTask
@end

// https://developer.apple.com/documentation/foundation/nsurlsessiondownloadtaskresumedata
extern NSString *const NSURLSessionDownloadTaskResumeData;
// https://developer.apple.com/documentation/foundation/nsurlerrorbackgroundtaskcancelledreasonkey
extern NSString *const NSURLErrorBackgroundTaskCancelledReasonKey;

// https://developer.apple.com/documentation/foundation/urlsessionwebsockettask/closecode
typedef NS_ENUM_OF(NSInteger, NSURLSessionWebSocketCloseCode) {
    NSURLSessionWebSocketCloseCodeInvalid = 0,
    NSURLSessionWebSocketCloseCodeNormalClosure = 1000,
    NSURLSessionWebSocketCloseCodeGoingAway = 1001,
    NSURLSessionWebSocketCloseCodeProtocolError = 1002,
    NSURLSessionWebSocketCloseCodeUnsupportedData = 1003,
    NSURLSessionWebSocketCloseCodeNoStatusReceived = 1005,
    NSURLSessionWebSocketCloseCodeAbnormalClosure = 1006,
    NSURLSessionWebSocketCloseCodeInvalidFramePayloadData = 1007,
    NSURLSessionWebSocketCloseCodePolicyViolation = 1008,
    NSURLSessionWebSocketCloseCodeMessageTooBig = 1009,
    NSURLSessionWebSocketCloseCodeMandatoryExtensionMissing = 1010,
    NSURLSessionWebSocketCloseCodeInternalServerError = 1011,
    NSURLSessionWebSocketCloseCodeTLSHandshakeFailure = 1015,
} NS_NAME("NSURLSessionWebSocketTask.CloseCode");

// https://developer.apple.com/documentation/foundation/urlsessionwebsockettask
// Sending and receiving are refined for Swift: see Foundation.swiftinterface.
NS_NAME("URLSessionWebSocketTask") NS_SENDABLE API_SINCE(10.15, 13.0, 13.0, 6.0)
@interface NSURLSessionWebSocketTask : NSURLSessionTask
- (void)sendPingWithPongReceiveHandler:(void (NS_SENDABLE ^)(NSError *_Nullable error))pongReceiveHandler;
- (void)cancelWithCloseCode:(NSURLSessionWebSocketCloseCode)closeCode reason:(nullable NSData *)reason;
@property NSInteger maximumMessageSize;
@property(readonly) NSURLSessionWebSocketCloseCode closeCode;
@property(nullable, readonly, copy) NSData *closeReason;
@end

@class NSURLSession, NSURLSessionTaskMetrics;

// https://developer.apple.com/documentation/foundation/urlsession/authchallengedisposition
typedef NS_ENUM_OF(NSInteger, NSURLSessionAuthChallengeDisposition) {
    NSURLSessionAuthChallengeUseCredential = 0,
    NSURLSessionAuthChallengePerformDefaultHandling = 1,
    NSURLSessionAuthChallengeCancelAuthenticationChallenge = 2,
    NSURLSessionAuthChallengeRejectProtectionSpace = 3,
} NS_NAME("URLSession.AuthChallengeDisposition");

// https://developer.apple.com/documentation/foundation/urlsession/responsedisposition
typedef NS_ENUM_OF(NSInteger, NSURLSessionResponseDisposition) {
    NSURLSessionResponseCancel = 0,
    NSURLSessionResponseAllow = 1,
    NSURLSessionResponseBecomeDownload = 2,
    NSURLSessionResponseBecomeStream = 3,
} NS_NAME("URLSession.ResponseDisposition");

// https://developer.apple.com/documentation/foundation/urlsessiondelegate
NS_NAME("URLSessionDelegate") NS_SENDABLE
@protocol NSURLSessionDelegate <NSObject>
@optional
- (void)URLSession:(NSURLSession *)session didBecomeInvalidWithError:(nullable NSError *)error;
// https://developer.apple.com/documentation/foundation/urlsessiondelegate/urlsessiondidfinishevents(forbackgroundurlsession:)
- (void)URLSessionDidFinishEventsForBackgroundURLSession:(NSURLSession *)session
    NS_NAME("urlSessionDidFinishEvents(forBackgroundURLSession:)") API_SINCE(11.0, 7.0, 9.0, 2.0);
@end

// https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate
NS_NAME("URLSessionTaskDelegate") NS_SENDABLE
@protocol NSURLSessionTaskDelegate <NSURLSessionDelegate>
@optional
- (void)URLSession:(NSURLSession *)session
                          task:(NSURLSessionTask *)task
    willPerformHTTPRedirection:(NSHTTPURLResponse *)response
                    newRequest:(NSURLRequest *)request
             completionHandler:(void (NS_SENDABLE ^)(NSURLRequest *_Nullable))completionHandler;
- (void)URLSession:(NSURLSession *)session
                   task:(NSURLSessionTask *)task
    didReceiveChallenge:(NSURLAuthenticationChallenge *)challenge
      completionHandler:
          (void (NS_SENDABLE ^)(NSURLSessionAuthChallengeDisposition disposition, NSURLCredential *_Nullable credential))completionHandler;
- (void)URLSession:(NSURLSession *)session
                        task:(NSURLSessionTask *)task
             didSendBodyData:(int64_t)bytesSent
              totalBytesSent:(int64_t)totalBytesSent
    totalBytesExpectedToSend:(int64_t)totalBytesExpectedToSend;
- (void)URLSession:(NSURLSession *)session
                          task:(NSURLSessionTask *)task
    didFinishCollectingMetrics:(NSURLSessionTaskMetrics *)metrics;
- (void)URLSession:(NSURLSession *)session task:(NSURLSessionTask *)task didCompleteWithError:(nullable NSError *)error;
// https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:taskiswaitingforconnectivity:)
- (void)URLSession:(NSURLSession *)session taskIsWaitingForConnectivity:(NSURLSessionTask *)task
    API_SINCE(10.13, 11.0, 11.0, 4.0);
// https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:task:neednewbodystream:)
- (void)URLSession:(NSURLSession *)session
                 task:(NSURLSessionTask *)task
    needNewBodyStream:(void (NS_SENDABLE ^)(NSInputStream *_Nullable bodyStream))completionHandler;
@end

// https://developer.apple.com/documentation/foundation/urlsessiondatadelegate
NS_NAME("URLSessionDataDelegate") NS_SENDABLE
@protocol NSURLSessionDataDelegate <NSURLSessionTaskDelegate>
@optional
- (void)URLSession:(NSURLSession *)session
              dataTask:(NSURLSessionDataTask *)dataTask
    didReceiveResponse:(NSURLResponse *)response
     completionHandler:(void (NS_SENDABLE ^)(NSURLSessionResponseDisposition disposition))completionHandler;
- (void)URLSession:(NSURLSession *)session dataTask:(NSURLSessionDataTask *)dataTask didReceiveData:(NSData *)data;
@end

// https://developer.apple.com/documentation/foundation/urlsessiondownloaddelegate
NS_NAME("URLSessionDownloadDelegate") NS_SENDABLE
@protocol NSURLSessionDownloadDelegate <NSURLSessionTaskDelegate>
- (void)URLSession:(NSURLSession *)session
                 downloadTask:(NSURLSessionDownloadTask *)downloadTask
    didFinishDownloadingToURL:(NSURL *)location;
@optional
- (void)URLSession:(NSURLSession *)session
                 downloadTask:(NSURLSessionDownloadTask *)downloadTask
                 didWriteData:(int64_t)bytesWritten
            totalBytesWritten:(int64_t)totalBytesWritten
    totalBytesExpectedToWrite:(int64_t)totalBytesExpectedToWrite;
@end

// https://developer.apple.com/documentation/foundation/urlsessionwebsocketdelegate
NS_NAME("URLSessionWebSocketDelegate") NS_SENDABLE API_SINCE(10.15, 13.0, 13.0, 6.0)
@protocol NSURLSessionWebSocketDelegate <NSURLSessionTaskDelegate>
@optional
- (void)URLSession:(NSURLSession *)session
           webSocketTask:(NSURLSessionWebSocketTask *)webSocketTask
    didOpenWithProtocol:(nullable NSString *)protocol;
- (void)URLSession:(NSURLSession *)session
       webSocketTask:(NSURLSessionWebSocketTask *)webSocketTask
    didCloseWithCode:(NSURLSessionWebSocketCloseCode)closeCode
              reason:(nullable NSData *)reason;
@end

// https://developer.apple.com/documentation/foundation/urlsession
NS_NAME("URLSession") NS_SENDABLE
@interface NSURLSession : NSObject
@property(class, readonly, strong) NSURLSession *sharedSession;
+ (NSURLSession *)sessionWithConfiguration:(NSURLSessionConfiguration *)configuration;
+ (NSURLSession *)sessionWithConfiguration:(NSURLSessionConfiguration *)configuration
                                  delegate:(nullable id<NSURLSessionDelegate>)delegate
                             delegateQueue:(nullable NSOperationQueue *)queue;
- (void)finishTasksAndInvalidate;
- (void)invalidateAndCancel;
- (NSURLSessionDataTask *)dataTaskWithRequest:(NSURLRequest *)request;
- (NSURLSessionUploadTask *)uploadTaskWithRequest:(NSURLRequest *)request fromData:(NSData *)bodyData;
- (NSURLSessionUploadTask *)uploadTaskWithRequest:(NSURLRequest *)request fromFile:(NSURL *)fileURL;
// https://developer.apple.com/documentation/foundation/urlsession/uploadtask(withstreamedrequest:)
- (NSURLSessionUploadTask *)uploadTaskWithStreamedRequest:(NSURLRequest *)request;
- (NSURLSessionDownloadTask *)downloadTaskWithRequest:(NSURLRequest *)request;
- (NSURLSessionDownloadTask *)downloadTaskWithResumeData:(NSData *)resumeData;
// https://developer.apple.com/documentation/foundation/urlsession/getalltasks(completionhandler:)
- (void)getAllTasksWithCompletionHandler:(void (NS_SENDABLE ^)(NSArray<NSURLSessionTask *> *tasks))completionHandler
    API_SINCE(10.11, 9.0, 9.0, 2.0);
// https://developer.apple.com/documentation/foundation/urlsession/websockettask(with:)-3vh4u
- (NSURLSessionWebSocketTask *)webSocketTaskWithRequest:(NSURLRequest *)request API_SINCE(10.15, 13.0, 13.0, 6.0);
@end

// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics
NS_NAME("URLSessionTaskTransactionMetrics") NS_SENDABLE API_SINCE(10.12, 10.0, 10.0, 3.0)
@interface NSURLSessionTaskTransactionMetrics : NSObject
@property(nullable, copy, readonly) NSDate *fetchStartDate;
@property(nullable, copy, readonly) NSDate *domainLookupStartDate;
@property(nullable, copy, readonly) NSDate *domainLookupEndDate;
@property(nullable, copy, readonly) NSDate *connectStartDate;
@property(nullable, copy, readonly) NSDate *secureConnectionStartDate;
@property(nullable, copy, readonly) NSDate *secureConnectionEndDate;
@property(nullable, copy, readonly) NSDate *connectEndDate;
@property(nullable, copy, readonly) NSDate *requestStartDate;
@property(nullable, copy, readonly) NSDate *requestEndDate;
@property(nullable, copy, readonly) NSDate *responseStartDate;
@property(nullable, copy, readonly) NSDate *responseEndDate;
@property(nullable, copy, readonly) NSString *networkProtocolName;
@property(readonly, getter=isProxyConnection) BOOL proxyConnection;
@property(readonly, getter=isReusedConnection) BOOL reusedConnection;
@property(readonly) int64_t countOfRequestBodyBytesSent API_SINCE(10.15, 13.0, 13.0, 6.0);
@property(nullable, copy, readonly) NSString *remoteAddress API_SINCE(10.15, 13.0, 13.0, 6.0);
// Refined for Swift: see Foundation.swiftinterface.
@property(nullable, copy, readonly) NSNumber *remotePort API_SINCE(10.15, 13.0, 13.0, 6.0) __attribute__((swift_private));
@end

// https://developer.apple.com/documentation/foundation/urlsessiontaskmetrics
NS_NAME("URLSessionTaskMetrics") NS_SENDABLE API_SINCE(10.12, 10.0, 10.0, 3.0)
@interface NSURLSessionTaskMetrics : NSObject
@property(copy, readonly) NSArray<NSURLSessionTaskTransactionMetrics *> *transactionMetrics;
@property(readonly) NSUInteger redirectCount;
@end

#pragma clang assume_nonnull end
