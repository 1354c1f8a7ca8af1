//===- TextReport.cpp - Clang's own format --------------------------------===//
//
// Not clang::TextDiagnostic, which reads source through a SourceManager:
// findings here are shown after the file's AST is gone, many come from the
// cache.
//
//===----------------------------------------------------------------------===//

#include "spmd/lint/Report.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/Unicode.h"

using namespace llvm;
using namespace spmd::lint;

namespace {

constexpr unsigned TabStop = 8;
constexpr unsigned MaxWidth = 160;

/// A source line as it is shown: tabs expanded, bytes that are not UTF-8
/// replaced; and where each byte of the original went.
struct ShownLine {
  std::string Text;
  std::vector<unsigned> ColumnOf; ///< byte offset -> 0-based display column

  explicit ShownLine(StringRef Line) {
    unsigned Column = 0;
    for (std::size_t I = 0; I < Line.size();) {
      if (Line[I] == '\t') {
        const unsigned Width = TabStop - Column % TabStop;
        Text.append(Width, ' ');
        ColumnOf.push_back(Column);
        Column += Width;
        ++I;
        continue;
      }
      std::size_t Length = 1;
      while (I + Length < Line.size() &&
             (static_cast<unsigned char>(Line[I + Length]) & 0xC0) == 0x80)
        ++Length;
      StringRef Char = Line.substr(I, Length);
      const int Width =
          json::isUTF8(Char) ? sys::unicode::columnWidthUTF8(Char) : -1;
      if (Width < 0)
        Text += '?'; // also what a terminal would not print
      else
        Text += Char;
      ColumnOf.insert(ColumnOf.end(), Length, Column);
      Column += Width < 0 ? 1 : Width;
      I += Length;
    }
    ColumnOf.push_back(Column);
  }

  unsigned column(std::size_t Byte) const {
    return ColumnOf[std::min(Byte, ColumnOf.size() - 1)];
  }
};

class TextWriter {
public:
  TextWriter(raw_ostream &OS, const SourceTexts &Texts,
             const ReportOptions &Options)
      : OS(OS), Texts(Texts), Options(Options) {}

  void diagnostic(const Diagnostic &D);

private:
  void headline(const Place &Where, StringRef Kind, raw_ostream::Colors Color,
                StringRef Message, StringRef Check);
  void snippet(const Place &Where, const Fix *Repair);
  void fix(const Fix &F, const Place &Fallback);
  void color(raw_ostream::Colors C, bool Bold) {
    if (Options.Colors)
      OS.changeColor(C, Bold);
  }
  void reset() {
    if (Options.Colors)
      OS.resetColor();
  }
  StringRef shown(StringRef File) const {
    return pathFrom(Options.WorkingDirectory, File);
  }

  raw_ostream &OS;
  const SourceTexts &Texts;
  const ReportOptions &Options;
};

void TextWriter::headline(const Place &Where, StringRef Kind,
                          raw_ostream::Colors Color, StringRef Message,
                          StringRef Check) {
  color(raw_ostream::SAVEDCOLOR, true);
  if (!Where.File.empty())
    OS << shown(Where.File) << ':';
  if (Where.Line)
    OS << Where.Line << ':' << Where.Column << ':';
  if (!Where.File.empty())
    OS << ' ';
  color(Color, true);
  OS << Kind << ": ";
  reset();
  color(raw_ostream::SAVEDCOLOR, Kind != "note");
  OS << json::fixUTF8(Message);
  if (!Check.empty())
    OS << " [" << Check << ']';
  reset();
  OS << '\n';
}

/// The text to show below the caret for edits on the caret's own line: what is
/// inserted, below its place. Where that has no room, what the edits make of
/// the line, from the first to the last of them.
std::string insertedText(const Fix &F, const SourceTexts &Texts, StringRef File,
                         std::size_t LineStart, StringRef Line,
                         const ShownLine &Shown) {
  std::vector<const Edit *> Here;
  for (const Edit &E : F.Edits)
    if (E.File == File && E.Offset >= LineStart &&
        E.Offset + E.Length <= LineStart + Line.size() && !E.Text.empty() &&
        !StringRef(E.Text).contains('\n'))
      Here.push_back(&E);
  sort(Here,
       [](const Edit *A, const Edit *B) { return A->Offset < B->Offset; });
  std::string Inserted, Becomes;
  bool HasRoom = true;
  std::size_t Done = 0;
  for (const Edit *E : Here) {
    const unsigned Column = Shown.column(E->Offset - LineStart);
    HasRoom &= Column >= Inserted.size();
    if (HasRoom) {
      Inserted.resize(Column, ' ');
      Inserted += E->Text;
    }
    Becomes += E == Here.front()
                   ? std::string(Column, ' ')
                   : Texts.text(File).slice(Done, E->Offset).str();
    Becomes += E->Text;
    Done = E->Offset + E->Length;
  }
  return HasRoom ? Inserted : Becomes;
}

void TextWriter::snippet(const Place &Where, const Fix *Repair) {
  if (!Where.Line || !Where.Column)
    return;
  StringRef Line = Texts.line(Where.File, Where.Line);
  if (Line.empty())
    return;
  std::size_t First = Where.Column - 1;
  std::size_t LineStart = Where.Offset - First;
  if (Line.size() > MaxWidth) {
    // A window of a line that no terminal could show.
    const std::size_t Skip = First > MaxWidth / 2 ? First - MaxWidth / 2 : 0;
    Line = Line.substr(Skip, MaxWidth);
    First -= Skip;
    LineStart += Skip;
  }
  const ShownLine Shown(Line);
  const unsigned From = Shown.column(First);
  const unsigned To =
      Shown.column(std::min<std::size_t>(First + Where.Length, Line.size()));
  const std::string Number = std::to_string(Where.Line);
  const std::string Gutter(std::max<std::size_t>(5, Number.size() + 1), ' ');
  OS << std::string(Gutter.size() - Number.size(), ' ') << Number << " | "
     << Shown.Text << '\n';
  OS << Gutter << " | " << std::string(From, ' ');
  color(raw_ostream::GREEN, true);
  OS << '^' << std::string(To > From + 1 ? To - From - 1 : 0, '~');
  reset();
  OS << '\n';
  if (!Repair)
    return;
  const std::string Inserted =
      insertedText(*Repair, Texts, Where.File, LineStart, Line, Shown);
  if (Inserted.empty())
    return;
  OS << Gutter << " | ";
  color(raw_ostream::GREEN, false);
  OS << Inserted;
  reset();
  OS << '\n';
}

void TextWriter::fix(const Fix &F, const Place &Fallback) {
  std::string Message = "fix: " + F.Description;
  if (!F.Cost.empty())
    Message += " (" + F.Cost + ")";
  if (!F.Safe)
    Message += " [unsafe]";
  Place Where = Fallback;
  if (!F.Edits.empty()) {
    // Not an #include that the repair needs as well.
    const auto Away = [&](const Edit &E) {
      return E.Offset > Fallback.Offset ? E.Offset - Fallback.Offset
                                        : Fallback.Offset - E.Offset;
    };
    const Edit &E = *llvm::min_element(F.Edits, [&](auto &A, auto &B) {
      return std::pair(A.File != Fallback.File, Away(A)) <
             std::pair(B.File != Fallback.File, Away(B));
    });
    StringRef Text = Texts.text(E.File);
    if (E.Offset <= Text.size()) {
      StringRef Before = Text.take_front(E.Offset);
      const std::size_t LineStart = Before.rfind('\n') + 1;
      Where = {E.File, E.Offset, std::max(1u, E.Length),
               static_cast<unsigned>(Before.count('\n') + 1),
               static_cast<unsigned>(E.Offset - LineStart + 1)};
    }
  }
  headline(Where, "note", raw_ostream::BLACK, Message, "");
  snippet(Where, &F);
}

void TextWriter::diagnostic(const Diagnostic &D) {
  const raw_ostream::Colors Color =
      D.Level == Severity::Error     ? raw_ostream::RED
      : D.Level == Severity::Warning ? raw_ostream::MAGENTA
                                     : raw_ostream::BLACK;
  headline(D.Where, severityName(D.Level), Color, D.Message, D.Check);
  snippet(D.Where, nullptr);
  for (const Note &N : D.Notes) {
    headline(N.Where, "note", raw_ostream::BLACK, N.Message, "");
    snippet(N.Where, nullptr);
  }
  if (Options.ExplainFindings && !D.Witness.empty())
    headline(D.Where, "note", raw_ostream::BLACK, "for example, " + D.Witness,
             "");
  for (const Fix &F : D.Fixes)
    fix(F, D.Where);
}

void writeTextReport(raw_ostream &OS, const Report &R, const SourceTexts &Texts,
                     const ReportOptions &Options) {
  for (const Diagnostic &D : R.Diagnostics)
    writeText(OS, D, Texts, Options);
}

const ReportFormatRegistration Register({"text", writeTextReport});

} // namespace

void spmd::lint::writeText(raw_ostream &OS, const Diagnostic &D,
                           const SourceTexts &Texts,
                           const ReportOptions &Options) {
  TextWriter(OS, Texts, Options).diagnostic(D);
}
