//===- TypeDump.cpp - The inferred types as text or JSON ------------------===//

#include "TypeDump.h"

#include "TypeText.h"

#include "llvm/Support/JSON.h"

namespace spmd::lint {

void TypeDump::add(const rules::TypedSlot &T) {
  if (T.As != rules::TypedSlot::Role::Made)
    return;
  Line L;
  L.Where = View.place(T.In, T.At);
  L.Name = nameText(T, View);
  L.Type = typeText(T);
  if (L.Where.Line && !L.Type.empty())
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
