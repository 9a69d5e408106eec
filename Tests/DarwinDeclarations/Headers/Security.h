// Trust in certificates: https://developer.apple.com/documentation/security
#pragma once
#include "CoreFoundation.h"

#pragma clang assume_nonnull begin
#pragma clang arc_cf_code_audited begin
// https://developer.apple.com/documentation/security/seccertificate, Sendable as every type of Security that cannot be changed
typedef struct CF_TYPE(id) __attribute__((__swift_attr__("@Sendable"))) __SecCertificate *SecCertificateRef;
// https://developer.apple.com/documentation/security/sectrust
typedef struct CF_TYPE(id) __SecTrust *SecTrustRef;

// https://developer.apple.com/documentation/security/seccertificatecreatewithdata(_:_:)
SecCertificateRef _Nullable SecCertificateCreateWithData(CFAllocatorRef _Nullable allocator, CFDataRef data) API_SINCE(10.6, 2.0, 9.0, 2.0);
// https://developer.apple.com/documentation/security/seccertificatecopydata(_:)
CFDataRef SecCertificateCopyData(SecCertificateRef certificate) API_SINCE(10.6, 2.0, 9.0, 2.0);
// https://developer.apple.com/documentation/security/sectrustsetanchorcertificates(_:_:)
OSStatus SecTrustSetAnchorCertificates(SecTrustRef trust, CFArrayRef _Nullable anchorCertificates) API_SINCE(10.3, 2.0, 9.0, 2.0);
// https://developer.apple.com/documentation/security/sectrustsetanchorcertificatesonly(_:_:)
OSStatus SecTrustSetAnchorCertificatesOnly(SecTrustRef trust, Boolean anchorCertificatesOnly) API_SINCE(10.6, 2.0, 9.0, 2.0);
// https://developer.apple.com/documentation/security/sectrustevaluatewitherror(_:_:)
__attribute__((warn_unused_result)) bool SecTrustEvaluateWithError(
    SecTrustRef trust, CFErrorRef _Nullable * _Nullable __attribute__((cf_returns_retained)) error) API_SINCE(10.14, 12.0, 12.0, 5.0);
// https://developer.apple.com/documentation/security/sectrustcopycertificatechain(_:)
CFArrayRef _Nullable SecTrustCopyCertificateChain(SecTrustRef trust) API_SINCE(12.0, 15.0, 15.0, 8.0);

// https://developer.apple.com/documentation/security/security-framework-result-codes
enum : OSStatus {
    errSecSuccess = 0,
    errSecHostNameMismatch = -67602,
    errSecCertificateExpired = -67818,
    errSecCertificateNotValidYet = -67819,
    errSecCertificateRevoked = -67820,
    errSecCreateChainFailed = -25318,
    errSecNotTrusted = -67843,
};

// https://developer.apple.com/documentation/security/tls_protocol_version_t
typedef enum __attribute__((enum_extensibility(open))) tls_protocol_version : uint16_t tls_protocol_version_t;
enum __attribute__((enum_extensibility(open))) __attribute__((swift_name("tls_protocol_version_t"))) tls_protocol_version : uint16_t {
    tls_protocol_version_TLSv12 __attribute__((swift_name("TLSv12"))) = 0x0303,
    tls_protocol_version_TLSv13 __attribute__((swift_name("TLSv13"))) = 0x0304,
};
#pragma clang arc_cf_code_audited end
#pragma clang assume_nonnull end
