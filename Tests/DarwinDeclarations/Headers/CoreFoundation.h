// Core Foundation: https://developer.apple.com/documentation/corefoundation
#pragma once
#include "Darwin.h"

#define CF_TYPE(object) __attribute__((objc_bridge(object)))


#pragma clang assume_nonnull begin
#pragma clang arc_cf_code_audited begin
typedef const CF_TYPE(id) void *CFTypeRef;
typedef signed long CFIndex;
typedef unsigned char Boolean;
typedef int32_t OSStatus;
// https://developer.apple.com/documentation/corefoundation/cfallocator
typedef const struct CF_TYPE(id) __CFAllocator *CFAllocatorRef;
// https://developer.apple.com/documentation/corefoundation/cfstring
typedef const struct CF_TYPE(NSString) __CFString *CFStringRef;
// https://developer.apple.com/documentation/corefoundation/cfarray
typedef const struct CF_TYPE(NSArray) __CFArray *CFArrayRef;
// https://developer.apple.com/documentation/corefoundation/cfdata
typedef const struct CF_TYPE(NSData) __CFData *CFDataRef;
// https://developer.apple.com/documentation/corefoundation/cferror
typedef struct CF_TYPE(NSError) __CFError *CFErrorRef;
// https://developer.apple.com/documentation/corefoundation/cferrorgetcode(_:)
CFIndex CFErrorGetCode(CFErrorRef err);
// https://developer.apple.com/documentation/corefoundation/cferrorcopydescription(_:)
CFStringRef _Null_unspecified CFErrorCopyDescription(CFErrorRef err) __attribute__((cf_returns_retained));
#pragma clang arc_cf_code_audited end
#pragma clang assume_nonnull end
