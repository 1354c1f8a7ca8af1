//===- BufferParts.h - Pointers to places in one allocation -----*- C++ -*-===//
//
//   float *grads = malloc(…), *dw = grads, *db = dw + n;
//
// What is done by way of `db` is done to what is behind the first n numbers,
// and by way of `dw` mostly to those alone: how many are meant, calls say.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_BUFFERPARTS_H
#define SPMD_LINT_LOWER_BUFFERPARTS_H

#include "SymbolicCounts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace spmd::lint::lower {

class BufferParts {
public:
  BufferParts(const clang::FunctionDecl *FD, const Constancy &Constant);

  /// A part of a buffer, or its beginning, which has number 0.
  struct Part {
    const clang::VarDecl *Buffer = nullptr;
    unsigned Number = 0;
    explicit operator bool() const { return Buffer; }
  };

  /// The part that the variable \p VD always points to.
  const Part *of(const clang::VarDecl *VD) const {
    return found(Variables, VD);
  }
  const llvm::MapVector<const clang::VarDecl *, Part> &variables() const {
    return Variables;
  }
  /// The part that \p E, `grads + n` or `&grads[n]`, is.
  const Part *at(const clang::Expr *E) const { return found(Places, E); }

  /// What code that names a place where a buffer begins means of it.
  enum class Extent : std::uint8_t {
    Beginning, ///< what is in front of the second part
    GoesOn,    ///< that, and perhaps what is behind it
    Whole,
  };
  struct Mention {
    const clang::VarDecl *Buffer;
    Extent Of;
  };
  /// Where the name \p E of where a buffer begins is used.
  const Mention *mention(const clang::Expr *E) const {
    return found(Mentions, E);
  }

private:
  template <typename Map, typename Key>
  static auto found(const Map &In, Key Of) -> decltype(&In.find(Of)->second) {
    const auto At = In.find(Of);
    return At == In.end() ? nullptr : &At->second;
  }

  llvm::MapVector<const clang::VarDecl *, Part> Variables;
  llvm::DenseMap<const clang::Expr *, Part> Places;
  llvm::DenseMap<const clang::Expr *, Mention> Mentions;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_BUFFERPARTS_H
