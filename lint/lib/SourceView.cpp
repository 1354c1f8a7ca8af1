//===- SourceView.cpp - The program's text behind the IR ------------------===//

#include "SourceView.h"

#include "cxx/OwnTensor.h"
#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ParentMap.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallString.h"

using namespace clang;

namespace spmd::lint {

const PlaceSource *SourceView::source(const rules::Function *F,
                                      rules::PlaceId At) const {
  auto It = Lowered.Sources.find(F);
  const auto I = rules::index(At);
  if (At == rules::PlaceId::None || It == Lowered.Sources.end() ||
      I >= It->second.Places.size())
    return nullptr;
  return &It->second.Places[I];
}

std::string SourceView::path(FileID File) const {
  const SourceManager &SM = Ctx.getSourceManager();
  OptionalFileEntryRef Ref = SM.getFileEntryRefForID(File);
  if (!Ref)
    return {};
  llvm::SmallString<256> Path(Ref->getName());
  SM.getFileManager().makeAbsolutePath(Path);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

std::optional<fixits::SourceText>
SourceView::textOf(CharSourceRange Range) const {
  const SourceManager &SM = Ctx.getSourceManager();
  Range = Lexer::makeFileCharRange(Range, SM, Ctx.getLangOpts());
  if (Range.isInvalid())
    return std::nullopt;
  const auto [File, Offset] = SM.getDecomposedLoc(Range.getBegin());
  const unsigned End = SM.getFileOffset(Range.getEnd());
  fixits::SourceText Out;
  Out.File = path(File);
  if (Out.File.empty() || End < Offset)
    return std::nullopt;
  Out.Offset = Offset;
  Out.Length = End - Offset;
  Out.Line = SM.getLineNumber(File, Offset);
  Out.Column = SM.getColumnNumber(File, Offset);
  Out.Text = SM.getBufferData(File).substr(Offset, Out.Length).str();
  return Out;
}

std::optional<fixits::SourceText> SourceView::text(const rules::Function *F,
                                                   rules::PlaceId At) const {
  const PlaceSource *S = source(F, At);
  return S ? textOf(CharSourceRange::getTokenRange(S->Range)) : std::nullopt;
}

std::string axisHandle(llvm::ArrayRef<AxisHandle> Handles, llvm::StringRef Axis,
                       llvm::StringRef Like) {
  using K = AxisHandle::Kind;
  llvm::SmallVector<K, 3> Kinds{K::Axis, K::ProcessGroup, K::NcclComm};
  if (!Like.empty())
    Kinds.clear();
  for (const AxisHandle &H : Handles)
    if (H.Text == Like)
      Kinds = {H.K};
  for (K Wanted : Kinds)
    for (const AxisHandle &H : Handles)
      if (H.K == Wanted && H.Axes.size() == 1 && H.Axes[0] == Axis)
        return H.Text;
  return {};
}

std::string meshHandle(llvm::ArrayRef<AxisHandle> Handles) {
  for (const AxisHandle &H : Handles)
    if (H.K == AxisHandle::Kind::Mesh)
      return H.Text;
  return {};
}

std::string SourceView::meshSpelling(const rules::Function *F) const {
  auto It = Lowered.Sources.find(F);
  return It == Lowered.Sources.end() ? std::string()
                                     : meshHandle(It->second.Handles);
}

std::string SourceView::axisSpelling(const rules::Function *F,
                                     llvm::StringRef Axis,
                                     llvm::StringRef Like) const {
  auto It = Lowered.Sources.find(F);
  return It == Lowered.Sources.end()
             ? std::string()
             : axisHandle(It->second.Handles, Axis, Like);
}

bool SourceView::isTensor(const rules::Function *F, rules::PlaceId At) const {
  const PlaceSource *S = source(F, At);
  const auto *E = S ? dyn_cast_or_null<Expr>(S->Node) : nullptr;
  return E && lint::isTensor(E->getType()) && !isOwnTensor(E->getType());
}

/// A struct of bytes and whole numbers.
static bool isOpaque(const RecordDecl *RD) {
  const RecordDecl *Whole = RD ? RD->getDefinition() : nullptr;
  return Whole && llvm::all_of(Whole->fields(), [](const FieldDecl *Field) {
           QualType T = Field->getType();
           while (T->isArrayType())
             T = QualType(T->getArrayElementTypeNoTypeQual(), 0);
           return T->isIntegralOrEnumerationType();
         });
}

static DataKind dataOf(QualType T) {
  T = T.getNonReferenceType().getCanonicalType();
  if (T->isPointerType() || T->isArrayType()) {
    const DataKind Of = dataOf(QualType(T->getPointeeOrArrayElementType(), 0));
    return Of == DataKind::Number ? DataKind::Storage : Of;
  }
  const TypeClass Of = classify(T);
  if (Of == TypeClass::Tensor || Of == TypeClass::TensorList)
    return DataKind::Storage;
  if (Of == TypeClass::Other && isOpaque(T->getAsRecordDecl()))
    return DataKind::Opaque;
  return Of == TypeClass::Scalar && !T->isIntegralOrEnumerationType()
             ? DataKind::Number
             : DataKind::None;
}

DataKind SourceView::dataAt(const rules::Function *F, rules::PlaceId At) const {
  const PlaceSource *S = source(F, At);
  const auto *E = S ? dyn_cast_or_null<Expr>(S->Node) : nullptr;
  return E && !E->isTypeDependent() ? dataOf(E->getType()) : DataKind::None;
}

std::optional<fixits::SourceText>
SourceView::wholeLines(std::optional<fixits::SourceText> Of) const {
  if (!Of)
    return Of;
  const SourceManager &SM = Ctx.getSourceManager();
  const auto File = SM.getFileManager().getOptionalFileRef(Of->File);
  const FileID Id = File ? SM.translateFile(*File) : FileID();
  if (Id.isInvalid())
    return Of;
  const llvm::StringRef Text = SM.getBufferData(Id);
  const llvm::StringRef Before = Text.take_front(Of->Offset).rtrim(" \t");
  const llvm::StringRef After =
      Text.drop_front(Of->Offset + Of->Length).ltrim(" \t\r");
  const bool StartsLine = Before.empty() || Before.back() == '\n';
  if (!After.starts_with("\n") || !StartsLine)
    return Of;
  const auto Begin = static_cast<unsigned>(Before.size());
  const auto End = static_cast<unsigned>(Text.size() - After.size() + 1);
  Of->Offset = Begin;
  Of->Length = End - Begin;
  Of->Text = Text.slice(Begin, End).str();
  return Of;
}

std::optional<fixits::SourceText>
SourceView::checkedStatement(SourceRange Call) const {
  const SourceManager &SM = Ctx.getSourceManager();
  if (!SM.isMacroArgExpansion(Call.getBegin()))
    return std::nullopt;
  const CharSourceRange Macro = SM.getExpansionRange(Call.getBegin());
  const auto Whole = textOf(Macro);
  const auto Inner = textOf(CharSourceRange::getTokenRange(
      SM.getSpellingLoc(Call.getBegin()), SM.getSpellingLoc(Call.getEnd())));
  if (!Whole || !Inner)
    return std::nullopt;
  // NAME(call) and nothing else, where a statement begins.
  const llvm::StringRef Argument =
      llvm::StringRef(Whole->Text).split('(').second;
  if (!Argument.ends_with(")") || Argument.drop_back().trim() != Inner->Text)
    return std::nullopt;
  const llvm::StringRef Before =
      SM.getBufferData(SM.getFileID(Macro.getBegin()))
          .take_front(Whole->Offset)
          .rtrim();
  if (Before.empty() || !llvm::StringRef(";{}").contains(Before.back()))
    return std::nullopt;
  const SourceLocation Semicolon = Lexer::findLocationAfterToken(
      Macro.getEnd(), tok::semi, SM, Ctx.getLangOpts(), false);
  if (Semicolon.isInvalid())
    return std::nullopt;
  return textOf(CharSourceRange::getCharRange(Macro.getBegin(), Semicolon));
}

std::optional<fixits::SourceText>
SourceView::statement(const rules::Function *F, rules::PlaceId At) const {
  const PlaceSource *S = source(F, At);
  const Stmt *Node = S ? S->Node : nullptr;
  if (Node)
    if (auto Checked = checkedStatement(Node->getSourceRange()))
      return wholeLines(std::move(Checked));
  const FunctionDecl *FD = Lowered.Sources.find(F)->second.Decl;
  Stmt *Body = FD && Node ? FD->getBody() : nullptr;
  if (!Body)
    return std::nullopt;
  const ParentMap Parents(Body);
  while (Node) {
    const Stmt *Parent = Parents.getParent(Node);
    if (!Parent)
      return std::nullopt;
    if (isa<CompoundStmt>(Parent))
      break;
    // Waiting for the collective is part of it; macros that check it are not.
    if (!isa<FullExpr, MemberExpr, CXXMemberCallExpr, ImplicitCastExpr,
             MaterializeTemporaryExpr, CXXBindTemporaryExpr,
             CXXOperatorCallExpr>(Parent))
      return std::nullopt;
    Node = Parent;
  }
  if (!Node)
    return std::nullopt;
  const SourceManager &SM = Ctx.getSourceManager();
  const SourceLocation Semicolon = Lexer::findLocationAfterToken(
      Node->getEndLoc(), tok::semi, SM, Ctx.getLangOpts(), false);
  if (Semicolon.isInvalid())
    return std::nullopt;
  return wholeLines(
      textOf(CharSourceRange::getCharRange(Node->getBeginLoc(), Semicolon)));
}

bool SourceView::isWholeBody(const rules::Function *F,
                             rules::PlaceId At) const {
  const PlaceSource *S = source(F, At);
  const auto *Node = S ? dyn_cast_or_null<Expr>(S->Node) : nullptr;
  const FunctionDecl *FD =
      Node ? Lowered.Sources.find(F)->second.Decl : nullptr;
  const auto *Body =
      FD ? dyn_cast_or_null<CompoundStmt>(FD->getBody()) : nullptr;
  if (!Body || Body->size() != 1)
    return false;
  if (const auto *Return = dyn_cast<ReturnStmt>(Body->body_front()))
    return Return->getRetValue() &&
           Return->getRetValue()->IgnoreImplicit() == Node->IgnoreImplicit();
  return statement(F, At).has_value();
}

Place SourceView::definition(const rules::Function *F) const {
  const auto It = Lowered.Sources.find(F);
  const FunctionDecl *D =
      It == Lowered.Sources.end() ? nullptr : It->second.Decl;
  const auto Text =
      D ? textOf(CharSourceRange::getTokenRange(D->getSourceRange()))
        : std::nullopt;
  Place Out;
  if (!Text)
    return Out;
  Out.File = Text->File;
  Out.Offset = Text->Offset;
  Out.Length = Text->Length;
  Out.Line = Text->Line;
  Out.Column = Text->Column;
  return Out;
}

bool SourceView::isIncluded(const rules::Function *F) const {
  const auto It = Lowered.Sources.find(F);
  const SourceManager &SM = Ctx.getSourceManager();
  return It != Lowered.Sources.end() && It->second.Decl &&
         SM.getFileID(SM.getExpansionLoc(It->second.Decl->getLocation())) !=
             SM.getMainFileID();
}

/// Whether <spmd/torch.h> was read with what an editor's parse begins with: of
/// these files only declarations are at hand.
bool SourceView::isLibraryLoaded() const {
  const auto In = [&](const DeclContext *D, llvm::StringRef Name) {
    return D->lookup(&Ctx.Idents.get(Name));
  };
  for (const NamedDecl *Space : In(Ctx.getTranslationUnitDecl(), "spmd"))
    if (const auto *Library = dyn_cast<NamespaceDecl>(Space))
      for (const NamedDecl *D : In(Library, "invariant_to_replicate")) {
        const FileID File = Ctx.getSourceManager().getFileID(D->getLocation());
        if (llvm::StringRef(path(File)).ends_with("spmd/torch.h"))
          return true;
      }
  return false;
}

std::optional<fixits::TextEdit>
SourceView::includeLibrary(llvm::StringRef File) const {
  if (llvm::any_of(Precompiled, [](llvm::StringRef Path) {
        return Path.ends_with("spmd/torch.h");
      }))
    return std::nullopt;
  const SourceManager &SM = Ctx.getSourceManager();
  if (isLibraryLoaded())
    return std::nullopt;
  FileID Id;
  for (unsigned I = 0, E = SM.local_sloc_entry_size(); I != E; ++I) {
    const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    if (!Entry.isFile())
      continue;
    const FileID Candidate = SM.getFileID(SourceLocation::getFromRawEncoding(
        static_cast<SourceLocation::UIntTy>(Entry.getOffset())));
    const std::string Path = path(Candidate);
    if (llvm::StringRef(Path).ends_with("spmd/torch.h"))
      return std::nullopt;
    if (Path == File)
      Id = Candidate;
  }
  if (Id.isInvalid())
    return std::nullopt;
  const llvm::StringRef Text = SM.getBufferData(Id);
  std::size_t Insert = 0;
  for (std::size_t At = 0; (At = Text.find("#include", At)) != Text.npos;) {
    const std::size_t End = Text.find('\n', At);
    const bool LineStart = At == 0 || Text[At - 1] == '\n';
    At = End == Text.npos ? Text.size() : End + 1;
    if (LineStart)
      Insert = At;
  }
  return fixits::TextEdit{File.str(), static_cast<unsigned>(Insert), 0,
                          "#include <spmd/torch.h>\n"};
}

/// The statement in \p S that declares \p VD and nothing else.
static const DeclStmt *declaredBy(const Stmt *S, const VarDecl *VD) {
  for (const Stmt *Child : S->children()) {
    if (!Child)
      continue;
    const auto *D = dyn_cast<DeclStmt>(Child);
    if (D && isa<CompoundStmt>(S) && D->isSingleDecl() &&
        D->getSingleDecl() == VD)
      return D;
    if (const DeclStmt *Inside = declaredBy(Child, VD))
      return Inside;
  }
  return nullptr;
}

std::optional<fixits::TextEdit>
SourceView::annotateVariable(const rules::Function *F, rules::PlaceId At,
                             llvm::StringRef Attribute) const {
  const PlaceSource *S = source(F, At);
  const auto *E = S ? dyn_cast_or_null<Expr>(S->Node) : nullptr;
  const auto *Use =
      E ? dyn_cast<DeclRefExpr>(E->IgnoreUnlessSpelledInSource()) : nullptr;
  const auto *VD = Use ? dyn_cast<VarDecl>(Use->getDecl()) : nullptr;
  const FunctionDecl *FD = Lowered.Sources.find(F)->second.Decl;
  if (!VD || !VD->hasLocalStorage() || !VD->hasInit() || VD->hasAttrs() ||
      !FD || !FD->getBody() || isInstance(F) || !Ctx.getLangOpts().CPlusPlus)
    return std::nullopt;
  const DeclStmt *Statement = declaredBy(FD->getBody(), VD);
  const auto Text =
      Statement
          ? textOf(CharSourceRange::getTokenRange(Statement->getSourceRange()))
          : std::nullopt;
  if (!Text)
    return std::nullopt;
  return fixits::TextEdit{Text->File, Text->Offset, 0, (Attribute + " ").str()};
}

bool SourceView::isInstance(const rules::Function *F) const {
  const auto It = Lowered.Sources.find(F);
  const DeclContext *D =
      It == Lowered.Sources.end() ? nullptr : It->second.Decl;
  for (; D; D = D->getParent())
    if (const auto *FD = dyn_cast<FunctionDecl>(D);
        FD && FD->getTemplateInstantiationPattern())
      return true;
  return false;
}

bool SourceView::saysAll(const rules::Function *F,
                         const rules::TransferFact &T) const {
  const auto Says = [&](const std::optional<rules::Atom> &A,
                        rules::PlaceId At) {
    if (!A || A->Type != rules::LocalType::V || A->ShardDim)
      return true;
    const PlaceSource *S = source(F, At);
    const auto *E = S ? dyn_cast_or_null<Expr>(S->Node) : nullptr;
    return E && className(E->getType()) == "spmd::Varying";
  };
  return !isInstance(F) && Says(T.From, T.FromAt) && Says(T.To, T.ToAt);
}

Place SourceView::place(SourceLocation Loc) const {
  const SourceManager &SM = Ctx.getSourceManager();
  Place Out;
  Loc = SM.getFileLoc(Loc);
  if (Loc.isInvalid())
    return Out;
  const auto [File, Offset] = SM.getDecomposedLoc(Loc);
  Out.File = path(File);
  Out.Offset = Offset;
  Out.Line = SM.getLineNumber(File, Offset);
  Out.Column = SM.getColumnNumber(File, Offset);
  return Out;
}

Place SourceView::place(const rules::Function *F, rules::PlaceId At) const {
  if (const std::optional<fixits::SourceText> T = text(F, At))
    return {T->File, T->Offset, T->Length, T->Line, T->Column};
  const PlaceSource *S = source(F, At);
  return S ? place(S->Range.getBegin()) : Place();
}

} // namespace spmd::lint
