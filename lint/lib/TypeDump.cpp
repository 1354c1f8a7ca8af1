//===- TypeDump.cpp - The inferred types as text or JSON ------------------===//

#include "TypeDump.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace spmd::lint {

static std::string onOneLine(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef> Words;
  llvm::SplitString(Text, Words);
  return llvm::join(Words, " ");
}

void TypeDump::add(const rules::TypedSlot &T) {
  Line L;
  L.Where = View.place(T.In, T.At);
  if (!L.Where.Line)
    return;
  L.Name = T.In->slot(T.Slot).Name;
  if (L.Name.empty())
    if (const auto Text = View.text(T.In, T.At))
      L.Name = onOneLine(Text->Text);
  for (const auto &[Axis, Type] : T.Types) {
    // "Not P" and the like decide nothing.
    if (Type.Set.size() > 2)
      continue;
    if (!T.Spec.empty() && Type.ShardDim) // the spec says it
      continue;
    if (!L.Type.empty())
      L.Type += ", ";
    L.Type += Axis + ": " + rules::printAxisType(Type);
  }
  if (!T.Spec.empty())
    L.Type = T.Spec + (L.Type.empty() ? "" : "{" + L.Type + "}");
  if (!L.Type.empty())
    Lines.insert(std::move(L));
}

std::string TypeDump::str() const {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  if (Format == DumpFormat::Text) {
    for (const Line &L : Lines)
      OS << pathFrom(Folder, L.Where.File) << ':' << L.Where.Line << ':'
         << L.Where.Column << ": " << L.Name << ": " << L.Type << '\n';
  } else if (Format == DumpFormat::JSON) {
    llvm::json::OStream J(OS, 2);
    J.array([&] {
      for (const Line &L : Lines)
        J.object([&] {
          J.attribute("file", L.Where.File);
          J.attribute("line", L.Where.Line);
          J.attribute("column", L.Where.Column);
          J.attribute("length", L.Where.Length);
          J.attribute("name", L.Name);
          J.attribute("type", L.Type);
        });
    });
    OS << '\n';
  }
  return Out;
}

} // namespace spmd::lint
