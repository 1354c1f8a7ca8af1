//===- Secret.h - Who may join a TCP store ----------------------*- C++ -*-===//
//
// Ranks that share a secret prove that they know it without sending it: HMAC
// with SHA-256 (RFC 2104, FIPS 180-4) of what rank 0 has drawn for them.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LIB_BOOTSTRAP_SECRET_H
#define SPMD_LIB_BOOTSTRAP_SECRET_H

#include <string>

namespace spmd::bootstrap {

/// What SPMD_STORE_SECRET is, or the file that SPMD_STORE_SECRET_FILE names
/// holds, without the end of its line; empty where neither is set. A file that
/// cannot be read, or holds nothing, is an Error.
std::string sharedSecret();

/// Bytes that nobody has drawn before.
std::string drawChallenge();

std::string sha256(const std::string &Of);
/// What only who knows \p Secret says to \p Challenge.
std::string proofOf(const std::string &Secret, const std::string &Challenge);

/// In a time that does not depend on where they differ.
bool areEqual(const std::string &A, const std::string &B);

} // namespace spmd::bootstrap

#endif // SPMD_LIB_BOOTSTRAP_SECRET_H
