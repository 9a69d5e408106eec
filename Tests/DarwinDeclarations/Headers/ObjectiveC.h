// The root of Objective-C's classes: https://developer.apple.com/documentation/objectivec
#pragma once
#include "Darwin.h"

typedef signed char BOOL;
#define YES ((BOOL)1)
#define NO ((BOOL)0)
typedef struct objc_selector *SEL;
typedef struct _NSZone NSZone;
typedef long NSInteger;
typedef unsigned long NSUInteger;

// https://developer.apple.com/documentation/objectivec/nsobjectprotocol
@protocol NSObject
- (BOOL)isEqual:(nullable id)object;
@property(readonly) NSUInteger hash;
- (BOOL)isKindOfClass:(nonnull Class)aClass;
- (BOOL)respondsToSelector:(nullable SEL)aSelector;
@property(readonly, copy, nonnull) id description;
@end

// https://developer.apple.com/documentation/objectivec/nsobject
__attribute__((objc_root_class))
@interface NSObject <NSObject>
- (nonnull instancetype)init __attribute__((objc_designated_initializer));
- (nonnull id)copy;
@end
