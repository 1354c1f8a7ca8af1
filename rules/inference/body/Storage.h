//===- Storage.h - Slots, cells, aliases and parts --------------*- C++ -*-===//
//
// How a fact reads and writes the state that it is run in. What is written to
// one of several names, parts, views and lists changes the others.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_BODY_STORAGE_H
#define SPMD_INFERENCE_BODY_STORAGE_H

#include "Declarations.h"
#include "WriteLog.h"
#include "domain/Cells.h"
#include "passes/BodyFacts.h"

#include "llvm/ADT/SetVector.h"

namespace spmd::rules::inference {

class Storage {
public:
  Storage(Engine &E, const Function &F, const Declarations &Decls,
          const BodyFacts &Facts, const CellNumbers &Numbers,
          ProgramPoint &Point, MayAlias &Alias, WriteLog &Log)
      : E(E), F(F), Decls(Decls), Facts(Facts), Numbers(Numbers), Point(Point),
        Alias(Alias), Log(Log) {}

  //===--- Reading --------------------------------------------------------===//
  CellId cellOf(SlotId Slot);
  const AbstractValue &read(SlotId Slot);
  /// Null for what was never read nor written.
  const AbstractValue *contents(CellId Id) const {
    return Point.Now->contents(Id);
  }
  /// What a slot holds before the body touches it.
  AbstractValue initialValue(const Slot &S) const;
  AbstractValue valueInObject(const Slot &Field, SlotId Of) const;
  /// What \p Id holds in \p S, where some path had it.
  /// \p Initial has room for what is not in \p S yet.
  const AbstractValue &valueIn(const State &S, CellId Id,
                               AbstractValue &Initial) const;
  /// \p Id, what that is a part or view of, and so on.
  llvm::SmallSetVector<CellId, 4> wholesOf(CellId Id) const;
  /// Another name in this function of the object that \p Slot names, in the
  /// cell \p Id. None if there is none.
  SlotId nameOf(CellId Id, SlotId Slot) const;

  //===--- Names ----------------------------------------------------------===//
  /// \p Slot names other storage from now on; so do the other names of the
  /// object whose field it is.
  void bind(SlotId Slot, CellId Id);
  /// Only this name does: it was of another object, or of none, before.
  void repoint(SlotId Slot, CellId Id);
  /// It is not known what \p Slot names.
  void forget(SlotId Slot);
  /// After `a = b` the fields of a name what the fields of b name.
  void bindFields(SlotId Dst, SlotId Src, bool Refers = false);
  /// \p Of is a new object, no member of which was written.
  void undefineFields(SlotId Of);

  //===--- Contents -------------------------------------------------------===//
  /// What was there before stays readable until the fact that is run is done.
  void put(CellId Id, AbstractValue C) {
    Before.push_back(Point.Now->share(Id));
    Point.Now->put(Id, std::move(C));
  }
  /// New storage for the fact being run, bound to \p Slot.
  void define(SlotId Slot, AbstractValue C);
  /// New contents of the storage of \p Slot; parts change their whole.
  void write(SlotId Slot, const AbstractValue &C, bool Partial) {
    writeCell(cellOf(Slot), C, Partial);
  }
  /// \p From is the view of it, or what it is a view of, that was written.
  /// Then \p Written is what was written there, if that is known.
  void writeCell(CellId Id, const AbstractValue &C, bool Partial,
                 CellId From = NoCell, const AbstractValue *Written = nullptr);
  /// Of \p C, which is written to \p Slot, what nobody knows is what that is
  /// declared to be, if it is a local, which nobody else hands on, or a member
  /// that is the same on all ranks; and so are cleared gradients that are a
  /// pending sum.
  void believeDeclared(SlotId Slot, AbstractValue &C) const;
  /// On the axes \p On somebody changed gradients, nobody knows of which
  /// tensors: all that are known so far may be these, but for \p Changed.
  void noteForeignGradients(AxisMask On, CellId Changed = NoCell);
  /// What \p Slot holds; shards of which nobody knows how they lie do as it is
  /// declared.
  AbstractValue asDeclared(SlotId Slot);
  /// Whatever held nothing but zeros may hold something else: code that is not
  /// seen, or a pointer to who knows what, has written. The gradients of
  /// tensors are what only others \p OfGradients change.
  void loseZeros(bool OfGradients);
  /// Somebody keeps a pointer to a place behind the beginning of \p Id.
  void noteParts(CellId Id);
  /// Code that is not seen has \p Slot and its fields.
  void expose(SlotId Slot);
  /// The storage was written, and holds what it did.
  void noteRewritten(CellId Id);
  void narrow(SlotId Slot, AxisId A, TypeSet Set, const Origin *Why);
  /// \p Slot, its fields and their gradients may be of a place beside the one
  /// that a collective took, whose end nobody knows.
  /// As far as \p Moves holds of it.
  using MovesFn = llvm::function_ref<bool(const AxisState &)>;
  void moveOn(SlotId Slot, MovesFn Moves);
  void moveOn(SlotId Slot) {
    moveOn(Slot, [](const AxisState &) { return true; });
  }
  /// Whether a collective in a loop over all elements of a list has left \p A.
  bool isOfEach(const AxisState &A) const;
  /// \p C is what all elements of a list have behind a loop over them: what no
  /// collective of that loop's own has left may be that of some.
  void leaveLoop(AbstractValue &C) const;
  /// The storage may have other dims from now on.
  void forgetSpec(CellId Id);
  /// Whether \p Member, which is to name the elements of other lists for all of
  /// its own one's, names none of these in \p S.
  bool isUnfilled(const State &S, SlotId Member) const;
  /// What all elements have where \p Slot is the member of one of several;
  /// NoCell if it is none: a buffer that it is bound to is one of those.
  CellId wholeOfElement(SlotId Slot);
  /// A handle to \p Member is put into \p List, and so into a list that it is
  /// in.
  void joinList(CellId List, CellId Member);
  /// A callee left the storage \p Id different between ranks, and with it what
  /// it is a part of.
  void noteDiverged(CellId Id, AxisId A, const AxisState &As);

  //===--- Temporaries ----------------------------------------------------===//
  void beginBlock();
  /// The facts before the cell \p UpTo have run: nobody sees any more what only
  /// their temporaries name.
  void forgetTemporaries(CellId UpTo);

private:
  void believeStored(SlotId Field, CellId Id);
  void moveOnFrom(CellId Id, MovesFn Moves);
  static void moveOn(AxisState &A);
  bool staysDeclared(const Slot &S, AxisId A) const;
  /// Whether \p Is, the same on all ranks and R or I, is the replica that is
  /// declared as \p Said.
  static bool isReplicaOf(const AxisState &Is, TypeSet Said);
  void keepReplicas(CellId Id, AbstractValue &Now) const;
  AbstractValue mayBecome(CellId Id, const AbstractValue &New);
  AxisMask foreignGradient(CellId Id, const AbstractValue &Written) const;
  bool spreadsTo(CellId Id, const AbstractValue &Value, bool Partial);
  bool hasVaryingRegion(CellId Whole, AxisId A, CellId Written,
                        const AbstractValue &Part) const;
  void writeWhole(CellId Id, const AbstractValue &Part, bool Partial);
  void writeViews(CellId Whole, const AbstractValue &Old,
                  const AbstractValue &New, CellId Except,
                  const AbstractValue *Written = nullptr);

  Engine &E;
  const Function &F;
  const Declarations &Decls;
  const BodyFacts &Facts;
  const CellNumbers &Numbers;
  ProgramPoint &Point;
  MayAlias &Alias;
  WriteLog &Log;
  std::size_t NextMention = 0; ///< of SlotLiveness, in the block that is run
  llvm::SmallVector<CellId, 4> Unnamed;  ///< by the fact that is run
  llvm::SmallVector<ValueRef, 4> Before; ///< what it replaced
  /// What the write that is run has given to which cells so far, and which cell
  /// that began with.
  CellId SpreadFrom = NoCell;
  std::map<std::pair<CellId, bool>, llvm::SmallVector<AbstractValue, 1>> Spread;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_STORAGE_H
