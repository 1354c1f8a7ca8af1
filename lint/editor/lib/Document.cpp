//===- Document.cpp - A text as the protocol counts in it -----------------===//

#include "Document.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace json = llvm::json;

namespace spmd::editor {

/// How many bytes the character that begins with \p Lead has, and how many
/// units of the encoding.
static std::pair<std::size_t, std::size_t> sizes(unsigned char Lead,
                                                 Encoding In) {
  const std::size_t Bytes = Lead < 0xC0   ? 1
                            : Lead < 0xE0 ? 2
                            : Lead < 0xF0 ? 3
                                          : 4;
  switch (In) {
  case Encoding::UTF8:
    return {Bytes, Bytes};
  case Encoding::UTF16:
    return {Bytes, Bytes == 4 ? 2 : 1};
  case Encoding::UTF32:
    return {Bytes, 1};
  }
  return {1, 1};
}

std::size_t offsetOf(llvm::StringRef Text, const json::Object &Position,
                     Encoding In) {
  std::size_t At = 0;
  for (std::int64_t Line = Position.getInteger("line").value_or(0); Line > 0;
       --Line) {
    const std::size_t End = Text.find('\n', At);
    if (End == llvm::StringRef::npos)
      return Text.size();
    At = End + 1;
  }
  auto Left = static_cast<std::size_t>(
      std::max<std::int64_t>(0, Position.getInteger("character").value_or(0)));
  while (Left && At < Text.size() && Text[At] != '\n') {
    const auto [Bytes, Units] = sizes(static_cast<unsigned char>(Text[At]), In);
    At = std::min(At + Bytes, Text.size());
    Left -= std::min(Left, Units);
  }
  return At;
}

json::Object Positions::of(std::size_t Offset) const {
  if (Lines.empty()) {
    Lines.push_back(0);
    for (std::size_t At = 0;
         (At = Text.find('\n', At)) != llvm::StringRef::npos;)
      Lines.push_back(++At);
  }
  Offset = std::min(Offset, Text.size());
  const auto Line = std::prev(llvm::upper_bound(Lines, Offset));
  std::size_t Character = 0;
  for (std::size_t At = *Line; At < Offset;) {
    const auto [Bytes, Units] = sizes(static_cast<unsigned char>(Text[At]), In);
    At += Bytes;
    Character += Units;
  }
  return json::Object{{"line", std::distance(Lines.begin(), Line)},
                      {"character", static_cast<std::int64_t>(Character)}};
}

json::Object Positions::range(std::size_t Offset, std::size_t Length) const {
  return json::Object{{"start", of(Offset)}, {"end", of(Offset + Length)}};
}

void applyChanges(std::string &Text, const json::Array &Changes, Encoding In) {
  for (const json::Value &V : Changes) {
    const json::Object *Change = V.getAsObject();
    const auto New = Change ? Change->getString("text") : std::nullopt;
    if (!New)
      continue;
    const json::Object *Range = Change->getObject("range");
    const json::Object *Start = Range ? Range->getObject("start") : nullptr;
    const json::Object *End = Range ? Range->getObject("end") : nullptr;
    if (!Start || !End) {
      Text = New->str();
      continue;
    }
    const std::size_t From = offsetOf(Text, *Start, In);
    const std::size_t To = std::max(From, offsetOf(Text, *End, In));
    Text.replace(From, To - From, New->str());
  }
}

json::Object workspaceEdit(llvm::StringRef Uri, const Positions &In,
                           const std::vector<lint::Edit> &Edits) {
  json::Array Out;
  for (const lint::Edit &E : Edits)
    Out.push_back(json::Object{{"range", In.range(E.Offset, E.Length)},
                               {"newText", E.Text}});
  return json::Object{{"changes", json::Object{{Uri.str(), std::move(Out)}}}};
}

std::string pathOf(llvm::StringRef Uri) {
  if (!Uri.consume_front("file://"))
    return {};
  std::string Out;
  for (std::size_t I = 0; I != Uri.size(); ++I) {
    unsigned Byte = 0;
    if (Uri[I] == '%' && I + 2 < Uri.size() &&
        !Uri.substr(I + 1, 2).getAsInteger(16, Byte)) {
      Out += static_cast<char>(Byte);
      I += 2;
    } else {
      Out += Uri[I];
    }
  }
  return Out;
}

std::string uriOf(llvm::StringRef Path) {
  std::string Out = "file://";
  for (const char C : Path)
    if (llvm::isAlnum(C) || llvm::StringRef("-._~/").contains(C))
      Out += C;
    else
      Out += "%" + llvm::utohexstr(static_cast<unsigned char>(C),
                                   /*LowerCase=*/false, 2);
  return Out;
}

} // namespace spmd::editor
