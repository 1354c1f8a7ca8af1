//===- Shape.h - What statements do, seen from outside ----------*- C++ -*-===//

#ifndef SPMD_COLLECTIVES_SHAPE_H
#define SPMD_COLLECTIVES_SHAPE_H

#include "spmd/collectives/EffectProgram.h"

#include "llvm/ADT/DenseMap.h"

namespace spmd::collectives {

class Shape {
public:
  explicit Shape(const EffectProgram &P);

  /// Nothing in it communicates or leaves it.
  bool isInert(const Stmt *S) const;
  /// The places that it may write.
  void writes(const Stmt *S, std::vector<const Expr *> &Out) const {
    writes(S, Out, 0);
  }

private:
  bool isQuiet(const Stmt *S) const;
  void writes(const Stmt *S, std::vector<const Expr *> &Out,
              unsigned Depth) const;

  const EffectProgram &P;
  std::vector<bool> Communicates; ///< by function
};

/// The place that is written when one of an array is.
const Expr *written(const Expr *Place);

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_SHAPE_H
