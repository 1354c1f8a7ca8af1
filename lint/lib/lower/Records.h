//===- Records.h - Structs of numbers ---------------------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_RECORDS_H
#define SPMD_LINT_LOWER_RECORDS_H

namespace clang {
class FieldDecl;
class MemberExpr;
class QualType;
} // namespace clang

namespace spmd::lint::lower {

/// Whether \p E is a number in an array of structs that hold numbers alone,
/// some of them real, as `samples[i].label` is: it is an element of the array.
bool isNumberOfRecords(const clang::MemberExpr *E);

/// Whether \p T is a struct that holds numbers alone, some of them real, of
/// which none has an annotation of its own.
bool isRecordOfNumbers(clang::QualType T);
/// The same, whatever annotations say of its members: code may send them as one
/// run of numbers.
bool isRunOfNumbers(clang::QualType T);

/// Whether \p T is a struct that holds numbers alone, whole ones too.
bool isStructOfNumbers(clang::QualType T);

/// Whether \p D is a member of a struct that holds numbers alone: what is said
/// of the struct is said of them.
bool isInSettings(const clang::FieldDecl *D);

/// Whether \p D is the shape of the data beside it: integers for each dim, as
/// many as tensors have dims or named so. It is no data, whatever that is.
bool isShapeOfData(const clang::FieldDecl *D);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_RECORDS_H
