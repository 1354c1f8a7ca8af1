//===- TypeSpec.cpp - Types, axes and meshes as values --------------------===//

#include "spmd/types/TypeSpec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace spmd::rules {

char PayloadError::ID;

void PayloadError::log(llvm::raw_ostream &OS) const { OS << Message; }
std::error_code PayloadError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

const AxisAtom *TypeSpec::find(llvm::StringRef Axis) const {
  const auto It =
      llvm::find_if(Axes, [&](const AxisAtom &A) { return A.Axis == Axis; });
  return It == Axes.end() ? nullptr : &*It;
}

const MeshAxis *MeshSpec::find(llvm::StringRef Axis) const {
  const auto It =
      llvm::find_if(Axes, [&](const MeshAxis &A) { return A.Name == Axis; });
  return It == Axes.end() ? nullptr : &*It;
}

std::string printAtom(const Atom &A) {
  if (A.ShardDim)
    return "S(" + std::to_string(*A.ShardDim) + ")";
  return std::string(1, letter(A.Type));
}

std::string printTypeSpec(const TypeSpec &T) {
  std::string Out;
  auto List = [&](bool SkipSharding) {
    std::string Text;
    for (const AxisAtom &A : T.Axes) {
      if (SkipSharding && llvm::any_of(T.Global->Dims, [&](const DimSpec &D) {
            return llvm::is_contained(D.Axes, A.Axis);
          }))
        continue;
      Text += (Text.empty() ? "" : ", ") + A.Axis + ": " + printAtom(A.Value);
    }
    return Text;
  };
  if (!T.Global)
    return List(false);
  Out = T.Global->DType + "[";
  for (const DimSpec &D : T.Global->Dims) {
    if (&D != T.Global->Dims.data())
      Out += ", ";
    Out += D.Extent;
    if (D.Axes.size() == 1)
      Out += "@" + D.Axes[0];
    else if (!D.Axes.empty())
      Out += "@(" + llvm::join(D.Axes, ",") + ")";
  }
  Out += "]";
  if (const std::string Rest = List(true); !Rest.empty())
    Out += "{" + Rest + "}";
  return Out;
}

const TypeSpec *TypeAnnotation::findMember(llvm::StringRef Name) const {
  const auto It = llvm::find_if(
      Members, [&](const MemberType &M) { return M.Name == Name; });
  return It == Members.end() ? nullptr : &It->Type;
}

/// What all members of an annotated object are.
static TypeSpec commonType(llvm::ArrayRef<MemberType> Members) {
  TypeSpec Out{Members.front().Type.Axes, std::nullopt};
  for (const MemberType &M : Members.drop_front()) {
    llvm::erase_if(Out.Axes, [&](const AxisAtom &A) {
      const AxisAtom *Same = M.Type.find(A.Axis);
      return !Same || Same->Value.Type != A.Value.Type;
    });
    for (AxisAtom &A : Out.Axes)
      if (M.Type.find(A.Axis)->Value != A.Value)
        A.Value.ShardDim.reset();
  }
  return Out;
}

std::shared_ptr<const TypeAnnotation>
memberAnnotation(const std::shared_ptr<const TypeAnnotation> &Of,
                 llvm::StringRef Member) {
  if (!Of || Of->Members.empty())
    return Of;
  if (const TypeSpec *Said = Of->findMember(Member))
    return std::make_shared<const TypeAnnotation>(TypeAnnotation{*Said, {}});
  return Member == ParametersMember
             ? std::make_shared<const TypeAnnotation>(
                   TypeAnnotation{commonType(Of->Members), {}})
             : nullptr;
}

std::string printTypeAnnotation(const TypeAnnotation &A) {
  std::string Out;
  for (const MemberType &M : A.Members)
    Out += (Out.empty() ? "" : "; ") + M.Name + ": " + printTypeSpec(M.Type);
  Out += printTypeSpec(A.Entry);
  if (A.Exit)
    Out += (A.isOutput() ? "-> " : " -> ") + printTypeSpec(*A.Exit);
  return Out;
}

std::string printAxes(llvm::ArrayRef<std::string> Axes) {
  return Axes.size() == 1 ? Axes[0] : "(" + llvm::join(Axes, ",") + ")";
}

std::string printMesh(const MeshSpec &M) {
  std::string Out;
  for (const MeshAxis &A : M.Axes) {
    Out += (Out.empty() ? "" : ", ") + A.Name;
    if (!A.Of.empty())
      Out += "=" + (A.Of.size() == 1 ? "(" + A.Of[0] + ")" : printAxes(A.Of));
    else if (A.Size)
      Out += "=" + std::to_string(A.Size);
    if (A.Default)
      Out += ":" + printAtom(*A.Default);
  }
  return Out;
}

} // namespace spmd::rules
