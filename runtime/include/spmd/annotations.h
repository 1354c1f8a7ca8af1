//===- annotations.h - SPMD types as attributes -----------------*- C++ -*-===//
//
// The attributes that spmd-tidy reads, in a spelling that builds without
// warnings on every compiler. Erased: no macro here changes generated code; a
// Clang that does not know the attributes keeps the payloads of annotated
// locals as unused strings.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ANNOTATIONS_H
#define SPMD_ANNOTATIONS_H

// Each macro takes quoted strings: fix-its work inside a macro argument, not
// through the preprocessor's stringification.
// GCC's preprocessor cannot read the scoped name in C; it has no such
// attribute.
#if defined(__clang__) && defined(__has_cpp_attribute)
#if __has_cpp_attribute(spmd::type)
#define SPMD_ATTRIBUTE(NAME, ...) [[spmd::NAME(__VA_ARGS__)]]
#endif
#endif
#ifndef SPMD_ATTRIBUTE
#if defined(__clang__) && defined(__cplusplus)
#define SPMD_ATTRIBUTE(NAME, ...)                                              \
  [[clang::annotate("spmd::" #NAME, __VA_ARGS__)]]
#elif defined(__clang__) // C before C23 has no attributes in brackets
#define SPMD_ATTRIBUTE(NAME, ...)                                              \
  __attribute__((annotate("spmd::" #NAME, __VA_ARGS__)))
#else
#define SPMD_ATTRIBUTE(NAME, ...)
#endif
#endif

/// SPMD_TYPE("tp: V, dp: R") on a parameter, local, field or alias is its type;
/// on a function, that of the result.
#define SPMD_TYPE(PAYLOAD) SPMD_ATTRIBUTE(type, PAYLOAD)
/// SPMD_AXIS("tp") on a communicator or process group: the axis it spans.
#define SPMD_AXIS(PAYLOAD) SPMD_ATTRIBUTE(axis, PAYLOAD)
/// SPMD_SIZE("tp") on a number: how many ranks the axis has.
#define SPMD_SIZE(PAYLOAD) SPMD_ATTRIBUTE(size, PAYLOAD)
/// SPMD_MESH("dp=8:V, tp=4") on a namespace, class or function.
#define SPMD_MESH(PAYLOAD) SPMD_ATTRIBUTE(mesh, PAYLOAD)
/// SPMD_OP("m k, k n -> m n") on a function whose body cannot be analysed.
#define SPMD_OP(PAYLOAD) SPMD_ATTRIBUTE(op, PAYLOAD)
/// SPMD_ALLOW("spmd-contract", "reason") suppresses one check.
#define SPMD_ALLOW(CHECK, REASON) SPMD_ATTRIBUTE(allow, CHECK, REASON)

#endif // SPMD_ANNOTATIONS_H
