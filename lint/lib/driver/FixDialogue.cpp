//===- FixDialogue.cpp - --fix-interactive --------------------------------===//

#include "FixDialogue.h"

#include "spmd/lint/Fixes.h"

#include <cstdio>

using namespace llvm;
using namespace spmd::lint;

/// A line of standard input without its end; nothing when there are no more.
static std::optional<std::string> readLine() {
  std::string Line;
  for (int C; (C = std::getchar()) != EOF;) {
    if (C == '\n')
      return Line;
    Line += static_cast<char>(C);
  }
  return Line.empty() ? std::nullopt : std::optional(Line);
}

void FixDialogue::preview(const Diagnostic &D, const Fix &F,
                          const SourceTexts &Texts) {
  Diagnostic Alone = D;
  Alone.Fixes = {F};
  writeText(OS, Alone, Texts, Options);
  std::map<std::string, std::vector<Edit>> ByFile;
  for (const Edit &E : normalisedEdits(F.Edits))
    ByFile[E.File].push_back(E);
  for (const auto &[File, Edits] : ByFile)
    OS << unifiedDiff(pathFrom(Options.WorkingDirectory, File),
                      Texts.text(File), applyEdits(Texts.text(File), Edits));
}

bool FixDialogue::ask() {
  while (true) {
    OS << "apply this fix? [y]es, [n]o, [a]ll, [q]uit: ";
    OS.flush();
    const std::optional<std::string> Line = readLine();
    const StringRef Answer = Line ? StringRef(*Line).trim() : "q";
    if (Answer.equals_insensitive("y") || Answer.equals_insensitive("yes"))
      return true;
    if (Answer.equals_insensitive("n") || Answer.equals_insensitive("no"))
      return false;
    if (Answer.equals_insensitive("a") || Answer.equals_insensitive("all"))
      return All = true;
    if (Answer.equals_insensitive("q") || Answer.equals_insensitive("quit")) {
      Quit = true;
      return false;
    }
  }
}

bool FixDialogue::wants(const Diagnostic &D, const Fix &F,
                        const SourceTexts &Texts) {
  // Offsets move as fixes are made; the line's text does not.
  std::string Key = D.Where.File + "\n" + D.Check + "\n" + D.Message + "\n" +
                    Texts.line(D.Where.File, D.Where.Line).trim().str();
  if (auto It = Answers.find(Key); It != Answers.end())
    return It->second;
  if (All || Quit)
    return All;
  preview(D, F, Texts);
  return Answers[std::move(Key)] = ask();
}
