//===- TypeText.cpp - A value's name and type as text ---------------------===//

#include "TypeText.h"

#include "llvm/ADT/StringExtras.h"

namespace spmd::lint {

std::string onOneLine(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef> Words;
  llvm::SplitString(Text, Words);
  return llvm::join(Words, " ");
}

std::string typeText(const rules::TypedSlot &T) {
  std::string Out;
  for (const auto &[Axis, Type] : T.Types) {
    if (!isKnown(Type))
      continue;
    if (!T.Spec.empty() && Type.ShardDim) // the spec says it
      continue;
    if (!Out.empty())
      Out += ", ";
    Out += Axis + ": " + rules::printAxisType(Type);
  }
  return T.Spec.empty() ? Out : T.Spec + (Out.empty() ? "" : "{" + Out + "}");
}

std::string nameText(const rules::TypedSlot &T, const ProgramText &Text) {
  const std::string &Name =
      T.Slot == rules::SlotId::None ? std::string() : T.In->slot(T.Slot).Name;
  if (!Name.empty())
    return Name;
  const auto Written = Text.text(T.In, T.At);
  return Written ? onOneLine(Written->Text) : "";
}

} // namespace spmd::lint
