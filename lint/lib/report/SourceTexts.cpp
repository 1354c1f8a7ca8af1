//===- SourceTexts.cpp - The text of source files -------------------------===//

#include "spmd/lint/SourceTexts.h"

using namespace llvm;
using namespace spmd::lint;

StringRef SourceTexts::text(StringRef File) const {
  if (auto It = Overlay.find(File.str()); It != Overlay.end())
    return It->second;
  auto [It, New] = Files.try_emplace(File.str());
  if (New && !File.empty())
    if (auto Buffer = MemoryBuffer::getFile(File))
      It->second = std::move(*Buffer);
  return It->second ? It->second->getBuffer() : StringRef();
}

StringRef SourceTexts::line(StringRef File, unsigned Line) const {
  StringRef Rest = text(File);
  for (; Line > 1 && !Rest.empty(); --Line)
    Rest = Rest.split('\n').second;
  return Line == 1 ? Rest.split('\n').first.rtrim('\r') : StringRef();
}
