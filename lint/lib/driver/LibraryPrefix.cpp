//===- LibraryPrefix.cpp - The headers that files begin with --------------===//

#include "LibraryPrefix.h"

#include "ParseSetup.h"

#include "spmd/lint/UserFiles.h"

#include "clang/AST/ASTContext.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/Lexer.h"
#include "clang/Serialization/ASTWriter.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace spmd::lint;

namespace {

/// A file's first lines, as long as they are comments and `#include <…>`.
struct Head {
  std::vector<std::string> Headers;
  unsigned Bytes = 0; ///< to the end of the last of these lines
};

/// The header that the rest of an `#include` line names: nothing but one in
/// angle brackets, which is the same for every file.
std::optional<StringRef> angled(StringRef Rest) {
  Rest = Rest.trim();
  if (!Rest.consume_front("<"))
    return std::nullopt;
  const auto [Name, After] = Rest.split('>');
  const StringRef Tail = After.trim();
  if (Name.empty() || (!Tail.empty() && !Tail.starts_with("//")))
    return std::nullopt;
  return Name;
}

Head headOf(StringRef Text) {
  Head Out;
  clang::LangOptions Opts;
  Opts.LineComment = true;
  clang::Lexer Lex(clang::SourceLocation(), Opts, Text.begin(), Text.begin(),
                   Text.end());
  clang::Token T;
  // At the top every line but a comment is a directive or the end of the head.
  while (!Lex.LexFromRawLexer(T) && T.is(clang::tok::hash) &&
         T.isAtStartOfLine() && !Lex.LexFromRawLexer(T) &&
         T.is(clang::tok::raw_identifier) && !T.isAtStartOfLine() &&
         T.getRawIdentifier() == "include") {
    const std::size_t At =
        static_cast<std::size_t>(Lex.getBufferLocation() - Text.begin());
    const std::size_t End = Text.find('\n', At);
    const std::optional<StringRef> Name =
        End == StringRef::npos ? std::nullopt : angled(Text.slice(At, End));
    if (!Name)
      break;
    Out.Headers.push_back(Name->str());
    Out.Bytes = static_cast<unsigned>(End + 1);
    Lex.seek(Out.Bytes, /*IsAtStartOfLine=*/true);
  }
  return Out;
}

bool mayHavePrefix(const LintJob &Job) {
  // Contracts are the user's own and always read.
  return Job.Cfg->Contracts.empty() && !Job.Command.Args.empty() &&
         Job.Command.Args.back() == Job.File &&
         llvm::none_of(Job.Command.Args, [](StringRef A) {
           return A.starts_with("-fmodule") || A == "-imacros" ||
                  A == "-include-pch";
         });
}

/// Whether \p A, a word of a command, means the same in every folder, as far as
/// that is known of it: a path in it is absolute.
bool meansTheSameAnywhere(StringRef A) {
  if (sys::path::is_absolute(A) || A == "-w" || A == "--")
    return true;
  for (StringRef TakesPath :
       {"-isystem", "-idirafter", "-iquote", "-include", "-isysroot", "-I",
        "-resource-dir=", "--cuda-path="})
    if (A.starts_with(TakesPath))
      // The path may be the next word.
      return A == TakesPath ||
             sys::path::is_absolute(A.drop_front(TakesPath.size()));
  return (A.starts_with("-f") && !A.contains('=')) ||
         (A.starts_with("-W") && !A.contains(',')) ||
         llvm::any_of(
             std::initializer_list<StringRef>{
                 "-std=", "-ferror-limit=", "-O", "-g", "-m", "-D", "-U", "-x",
                 "-pedantic", "-pthread", "-nostdinc", "-nocuda",
                 "--cuda-host-only"},
             [&](StringRef TakesNone) { return A.starts_with(TakesNone); });
}

bool meanTheSameAnywhere(ArrayRef<std::string> Args) {
  // An empty name among these folders is that of where the compiler runs.
  for (const char *Folders : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
    if (std::getenv(Folders))
      return false;
  if (sys::path::has_parent_path(Args.front()) &&
      !sys::path::is_absolute(Args.front()))
    return false;
  for (std::size_t I = 1; I < Args.size(); ++I)
    if (Args[I] == "-D" || Args[I] == "-U" || Args[I] == "-x")
      ++I; // and its value
    else if (!meansTheSameAnywhere(Args[I]))
      return false;
  return true;
}

/// The job's head, and a name for its prefix; no name when it has none.
struct Beginning {
  Head H;
  std::string Key;
  std::string ForcedKey; ///< of that without the head, where it has both
};

Beginning beginningOf(const LintJob &Job, const FileOverlay &Overlay,
                      StringRef ToolIdentity) {
  if (!mayHavePrefix(Job))
    return {};
  const auto Text =
      fileSystem(Job.Command.Directory, Overlay)->getBufferForFile(Job.File);
  if (!Text)
    return {};
  Beginning Out{headOf((*Text)->getBuffer()), "", ""};
  const bool Forces = llvm::is_contained(Job.Command.Args, "-include");
  if (Out.H.Headers.empty() && !Forces)
    return {};
  const auto KeyWith = [&](ArrayRef<std::string> Headers) {
    Digest Key;
    Key << ToolIdentity;
    const ArrayRef<std::string> Flags = ArrayRef(Job.Command.Args).drop_back();
    if (!meanTheSameAnywhere(Flags))
      Key << Job.Command.Directory;
    for (const std::string &A : Flags)
      Key << A;
    Key << "headers";
    for (const std::string &Name : Headers)
      Key << Name;
    return Key.str();
  };
  Out.Key = KeyWith(Out.H.Headers);
  if (Forces && !Out.H.Headers.empty())
    Out.ForcedKey = KeyWith({});
  return Out;
}

/// Whether all of \p Headers are read in it.
bool hasRead(const LibraryPrefix &Prefix, ArrayRef<std::string> Headers) {
  return llvm::all_of(Headers, [&](const std::string &Name) {
    return llvm::any_of(Prefix.FilesRead, [&](StringRef File) {
      return File.consume_back(Name) && File.ends_with("/");
    });
  });
}

/// Writes the precompiled header to memory, and notes who declares something.
class PrefixConsumer : public clang::PCHGenerator {
public:
  PrefixConsumer(clang::CompilerInstance &Compiler,
                 std::shared_ptr<clang::PCHBuffer> Buffer,
                 std::set<std::string> &Declaring)
      : PCHGenerator(Compiler.getPreprocessor(), Compiler.getModuleCache(),
                     /*OutputFile=*/"", /*isysroot=*/"", std::move(Buffer),
                     Compiler.getCodeGenOpts(), /*Extensions=*/{},
                     /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false),
        Sources(Compiler.getSourceManager()), Declaring(Declaring) {}

  bool shouldSkipFunctionBody(clang::Decl *) override { return true; }

  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    for (const clang::Decl *D : Group) {
      const clang::SourceLocation At =
          Sources.getExpansionLoc(D->getLocation());
      if (At.isInvalid() ||
          clang::SrcMgr::isSystem(Sources.getFileCharacteristic(At)))
        continue;
      if (clang::OptionalFileEntryRef File =
              Sources.getFileEntryRefForID(Sources.getFileID(At)))
        Declaring.insert(
            absolutePath(Sources.getFileManager(), File->getName()));
    }
    return true;
  }

private:
  clang::SourceManager &Sources;
  std::set<std::string> &Declaring;
};

class PrefixAction : public clang::ASTFrontendAction {
public:
  std::shared_ptr<clang::PCHBuffer> Buffer =
      std::make_shared<clang::PCHBuffer>();
  std::set<std::string> Declaring;

  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &Compiler, StringRef) override {
    return std::make_unique<PrefixConsumer>(Compiler, Buffer, Declaring);
  }
  clang::TranslationUnitKind getTranslationUnitKind() override {
    return clang::TU_Prefix;
  }
};

/// The header that stands for what files begin with.
std::string sourceOf(ArrayRef<std::string> Headers) {
  std::string Text;
  for (const std::string &Name : Headers)
    Text += "#include <" + Name + ">\n";
  return Text;
}

/// The prefix has no AST when the headers have errors: what they are is said by
/// each file's own parse.
LibraryPrefix precompile(const LintJob &Job, ArrayRef<std::string> Headers,
                         StringRef Key) {
  LibraryPrefix Out;
  const std::string Source = ("/spmd-tidy-prefix/" + Key + ".h").str();
  Out.Path = ("/spmd-tidy-prefix/" + Key + ".pch").str();
  const std::string Text = sourceOf(Headers);
  std::vector<std::string> Args = Job.Command.Args;
  Args.back() = Source;
  const FileOverlay Overlay{{Source, Text}}; // read as long as Clang runs
  clang::IgnoringDiagConsumer Errors;
  const std::unique_ptr<clang::CompilerInstance> Compiler =
      compilerFor(Args, fileSystem(Job.Command.Directory, Overlay), Errors);
  if (!Compiler)
    return Out;
  Compiler->getLangOpts().CompilingPCH = true;
  Compiler->getFrontendOpts().ProgramAction = clang::frontend::GeneratePCH;
  PrefixAction Action;
  const bool Done = Compiler->ExecuteAction(Action) &&
                    !Compiler->getDiagnostics().hasErrorOccurred() &&
                    Action.Buffer->IsComplete;
  Out.FilesRead = filesRead(Compiler->getFileManager());
  llvm::erase(Out.FilesRead, Source);
  Out.Declaring.assign(Action.Declaring.begin(), Action.Declaring.end());
  if (Done)
    Out.AST = MemoryBuffer::getMemBufferCopy(
        StringRef(Action.Buffer->Data.data(), Action.Buffer->Data.size()),
        Out.Path);
  return Out;
}

} // namespace

PrefixCache::PrefixCache(std::string Folder, const char *Program)
    : Folder(std::move(Folder)), ToolIdentity(toolIdentity(Program)) {
  if (ToolIdentity.empty())
    this->Folder.clear();
}

/// An entry is the stamps of the files read, the declaring files, and the size
/// of the precompiled header, which lies beside it.
std::shared_ptr<const LibraryPrefix> PrefixCache::read(StringRef Key) const {
  auto Entry = MemoryBuffer::getFile(entryFile(Folder, Key));
  if (!Entry)
    return nullptr;
  StringRef Rest = (*Entry)->getBuffer();
  auto Files = Stamps.read(Rest);
  if (!Files)
    return nullptr;
  auto Out = std::make_shared<LibraryPrefix>();
  Out->Path = ("/spmd-tidy-prefix/" + Key + ".pch").str();
  Out->FilesRead = std::move(*Files);
  StringRef Line;
  for (std::tie(Line, Rest) = Rest.split('\n'); !Line.empty();
       std::tie(Line, Rest) = Rest.split('\n'))
    Out->Declaring.push_back(Line.str());
  std::size_t Size = 0;
  if (!Rest.consume_back("\n") || Rest.getAsInteger(10, Size))
    return nullptr;
  if (!Size)
    return Out;
  auto AST = MemoryBuffer::getFile(entryFile(Folder, (Key + ".pch").str()),
                                   /*IsText=*/false,
                                   /*RequiresNullTerminator=*/false);
  if (!AST || (*AST)->getBufferSize() != Size)
    return nullptr;
  Out->AST = std::move(*AST);
  return Out;
}

void PrefixCache::write(StringRef Key, const LibraryPrefix &Prefix,
                        sys::TimePoint<> Begun) const {
  std::optional<std::string> Text = Stamps.write(Prefix.FilesRead, Begun);
  if (!Text)
    return;
  *Text += join(Prefix.Declaring, "\n");
  *Text += Prefix.Declaring.empty() ? "\n" : "\n\n";
  const StringRef AST = Prefix.AST ? Prefix.AST->getBuffer() : StringRef();
  *Text += utostr(AST.size()) + "\n";
  if (!AST.empty())
    writeEntry(entryFile(Folder, (Key + ".pch").str()), AST);
  writeEntry(entryFile(Folder, Key), *Text);
}

bool PrefixCache::wasSeen(StringRef Key) const {
  const std::string Mark = entryFile(Folder, (Key + ".seen").str());
  if (sys::fs::exists(Mark))
    return true;
  writeEntry(Mark, "");
  return false;
}

void PrefixCache::expect(ArrayRef<LintJob> Jobs, const FileOverlay &Overlay) {
  for (const LintJob &Job : Jobs) {
    const Beginning Is = beginningOf(Job, Overlay, ToolIdentity);
    std::lock_guard Guard(Lock);
    for (StringRef Key : {Is.Key, Is.ForcedKey})
      if (!Key.empty())
        ++Known[Key].Expected;
  }
}

std::shared_ptr<const LibraryPrefix>
PrefixCache::obtain(StringRef Key, const LintJob &Job,
                    ArrayRef<std::string> Headers, bool Remember) {
  std::unique_lock Guard(Lock);
  Entry &E = Known[Key];
  std::shared_ptr<const LibraryPrefix> Prefix = E.Prefix;
  if (Prefix || std::exchange(E.Begun, true))
    return Prefix;
  // Made without the lock: a crash in a header ends one thread alone, and
  // would leave the others waiting.
  const bool Shared = E.Expected > 2;
  Guard.unlock();
  if (!Folder.empty())
    Prefix = read(Key);
  const bool Asked = !Folder.empty() && Remember && !Prefix && wasSeen(Key);
  if (!Prefix && (Asked || Shared)) {
    const sys::TimePoint<> Begun = std::chrono::system_clock::now();
    Prefix = std::make_shared<LibraryPrefix>(precompile(Job, Headers, Key));
    if (!Folder.empty())
      write(Key, *Prefix, Begun);
  }
  Guard.lock();
  E.Prefix = Prefix;
  E.Begun = Prefix != nullptr;
  return Prefix;
}

PrefixCache::Use PrefixCache::find(const LintJob &Job,
                                   const FileOverlay &Overlay) {
  const Beginning Is = beginningOf(Job, Overlay, ToolIdentity);
  if (Is.Key.empty())
    return {};
  const UserFiles Users(*Job.Cfg, Job.File);
  const auto IsOfUse = [&](const std::shared_ptr<const LibraryPrefix> &P) {
    return P && P->AST &&
           llvm::none_of(P->Declaring,
                         [&](StringRef F) { return Users.contains(F); }) &&
           llvm::none_of(P->FilesRead, [&](const std::string &F) {
             return Overlay.contains(F);
           });
  };
  std::shared_ptr<const LibraryPrefix> Forced;
  if (!Is.ForcedKey.empty())
    Forced = obtain(Is.ForcedKey, Job, {}, /*Remember=*/false);
  if (!IsOfUse(Forced))
    Forced = nullptr;
  // Behind a precompiled header of the build's own the head says nothing new.
  if (!Forced || !hasRead(*Forced, Is.H.Headers))
    if (auto Whole = obtain(Is.Key, Job, Is.H.Headers, /*Remember=*/true);
        IsOfUse(Whole))
      return {std::move(Whole), Is.H.Bytes, sourceOf(Is.H.Headers)};
  if (!Forced)
    return {};
  return {std::move(Forced), 0, sourceOf({})};
}
