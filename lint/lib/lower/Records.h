//===- Records.h - Arrays of structs of numbers -----------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_RECORDS_H
#define SPMD_LINT_LOWER_RECORDS_H

namespace clang {
class MemberExpr;
} // namespace clang

namespace spmd::lint::lower {

/// Whether \p E is a number in an array of structs that hold numbers alone,
/// some of them real, as `samples[i].label` is: it is an element of the array.
bool isNumberOfRecords(const clang::MemberExpr *E);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_RECORDS_H
