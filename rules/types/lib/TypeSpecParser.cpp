//===- TypeSpecParser.cpp - Payloads of the attributes --------------------===//

#include "spmd/types/PayloadScanner.h"
#include "spmd/types/TypeOnMesh.h"

#include "spmd/types/AtomNames.h"
#include "spmd/types/AxisAlgebra.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace spmd::rules {

namespace {

class TypeParser {
public:
  explicit TypeParser(llvm::StringRef Payload, const MeshSpec *Mesh = nullptr)
      : In(Payload), Mesh(Mesh) {}

  llvm::Expected<TypeAnnotation> annotation() {
    TypeAnnotation Out;
    if (atMember(In))
      return members();
    const bool IsOutput = In.accept("->");
    if (!IsOutput)
      Out.Entry = type();
    if (IsOutput || In.accept("->"))
      Out.Exit = type();
    if (!finish(Out.Exit ? after(*Out.Exit)
                         : (Out.Entry.Global ? "'->' or " : "'->', ") +
                               after(Out.Entry)))
      return In.takeError();
    return Out;
  }
  llvm::Expected<TypeSpec> spec() {
    TypeSpec Out = type();
    if (!finish(after(Out)))
      return In.takeError();
    return Out;
  }
  llvm::Expected<std::vector<std::string>>
  axes(llvm::SmallVectorImpl<std::size_t> *Offsets) {
    const std::vector<NamedAxis> List = axisList();
    if (!In.failed() && In.at(','))
      In.fail("several axes are written in parentheses, as in \"(dp,tp)\"");
    if (!finish("the end"))
      return In.takeError();
    std::vector<std::string> Out;
    for (const NamedAxis &A : List) {
      Out.push_back(A.Name.str());
      if (Offsets)
        Offsets->push_back(A.Offset);
    }
    return Out;
  }
  llvm::Expected<MeshSpec> mesh() {
    MeshSpec Out;
    do {
      MeshAxis A;
      A.Offset = In.offset();
      A.Name = axisName().str();
      if (!In.failed() && Out.find(A.Name))
        twice(A.Name, A.Offset);
      if (In.accept("="))
        sizeOrParts(A);
      if (A.Of.empty() && In.accept(":"))
        A.Default = atom();
      Out.Axes.push_back(std::move(A));
      limit(Out.Axes.size(), "axes");
    } while (!In.failed() && In.accept(","));
    if (!finish("',' or the end"))
      return In.takeError();
    if (llvm::Error E = checkFlattened(Out))
      return std::move(E);
    return Out;
  }

private:
  /// `name: axis: atom` and `name: dtype[`: the type of a member by its name.
  static bool atMember(PayloadScanner Ahead) {
    if (Ahead.name().empty() || !Ahead.accept(":"))
      return false;
    const bool Names = !Ahead.name().empty();
    return Ahead.at('[') || (Names && Ahead.at(':'));
  }
  static bool atNextMember(PayloadScanner Ahead) {
    return Ahead.accept(";") && atMember(Ahead);
  }
  llvm::Expected<TypeAnnotation> members() {
    TypeAnnotation Out;
    do {
      const std::size_t At = In.offset();
      MemberType M;
      M.Name = In.name().str();
      In.expect(":", "after member " + PayloadScanner::quoted(M.Name));
      if (Out.findMember(M.Name))
        In.failAt(At, "member " + PayloadScanner::quoted(M.Name) +
                          " is given twice");
      M.Type = type();
      Out.Members.push_back(std::move(M));
      limit(Out.Members.size(), "members");
    } while (!In.failed() && atNextMember(In) && In.accept(";"));
    if (!finish("';' and another member, or the end"))
      return In.takeError();
    return Out;
  }

  void sizeOrParts(MeshAxis &A) {
    if (In.accept("(")) {
      do
        A.Of.push_back(axisName().str());
      while (!In.failed() && In.accept(","));
      if (!In.failed() && !In.accept(")"))
        In.fail("expected ',' or ')', got " + In.found());
      return;
    }
    const auto Size = In.number(1, MaxAxisSize);
    if (!Size)
      In.fail("expected the axis's size, 1 to " + llvm::Twine(MaxAxisSize) +
              ", or the axes that it is flattened of, as in (dp,tp), got " +
              In.found());
    A.Size = static_cast<unsigned>(Size.value_or(0));
  }

  /// No mesh and no tensor comes near; look-ups stay cheap on any payload.
  static constexpr std::size_t MaxAxes = 64;
  static constexpr int MaxAxisSize = 1 << 24;

  struct NamedAxis {
    llvm::StringRef Name;
    std::size_t Offset;
  };

  static std::string after(const TypeSpec &T) {
    return T.Global ? "the end" : "',' or the end";
  }
  bool finish(const llvm::Twine &Expected) {
    if (!In.failed() && !In.atEnd())
      In.fail("expected " + Expected + ", got " + In.found());
    return !In.failed();
  }
  void limit(std::size_t Count, llvm::StringRef What) {
    if (Count > MaxAxes)
      In.fail("more than " + llvm::Twine(MaxAxes) + " " + What);
  }
  void twice(llvm::StringRef Axis, std::size_t Offset) {
    In.failAt(Offset,
              "axis " + PayloadScanner::quoted(Axis) + " is given twice");
  }
  llvm::StringRef axisName() { return In.expectName("an axis name"); }

  Atom atom() {
    const std::size_t At = In.offset();
    const llvm::StringRef Name = In.name();
    const llvm::StringRef Expected = "expected R, I, V, P or S(dim)";
    if (Name.empty()) {
      In.fail(Expected + ", got " + In.found());
      return {};
    }
    if (Name == "S" || Name == "shard" || Name == "Shard") {
      if (!In.expect("(", "and a tensor dim after '" + Name.str() + "'"))
        return {};
      const auto Dim = In.number(-64, 63);
      if (!Dim) {
        In.fail("expected a tensor dim, -64 to 63, got " + In.found());
        return {};
      }
      In.expect(")");
      return {LocalType::V, static_cast<int>(*Dim)};
    }
    for (const AtomName &A : AtomNames)
      if (llvm::StringRef(A.Name) == Name)
        return {A.Type, std::nullopt};
    In.failAt(At, Expected + ", got " + PayloadScanner::quoted(Name) +
                      nearest(Name));
    return {};
  }

  static std::string nearest(llvm::StringRef Name) {
    llvm::StringRef Best;
    unsigned Distance = 3;
    for (const AtomName &A : AtomNames) {
      // One letter is near every other one: only the case may differ.
      const unsigned Near = A.Name.size() == 1 ? 1 : Distance;
      const unsigned D =
          Name.take_front(40).edit_distance_insensitive(A.Name, true, Near);
      if (D < Near) {
        Best = A.Name;
        Distance = D;
      }
    }
    return Best.empty() ? "" : "; did you mean '" + Best.str() + "'?";
  }

  /// `axis: atom, axis: atom` up to \p Close or the end.
  void local(TypeSpec &Out, char Close) {
    do {
      AxisAtom A;
      A.Offset = In.offset();
      const llvm::StringRef Name = axisName();
      if (In.failed() ||
          !In.expect(":", "after axis " + PayloadScanner::quoted(Name)))
        return;
      A.Axis = Name.str();
      A.Value = atom();
      if (In.failed())
        return;
      const AxisAtom *Other = Out.find(Name);
      // Whole, and which of the two its uses decide.
      const bool IsEither = Other && !Close &&
                            Other->Value == Atom{LocalType::R, std::nullopt} &&
                            A.Value == Atom{LocalType::I, std::nullopt};
      if (Other && !IsEither) {
        if (Close && A.Value != Other->Value && Other->Value.ShardDim)
          In.failAt(A.Offset, "axis " + PayloadScanner::quoted(Name) +
                                  " shards dim " +
                                  llvm::Twine(*Other->Value.ShardDim) +
                                  " but is declared " + printAtom(A.Value));
        else
          twice(Name, A.Offset);
        return;
      }
      Out.Axes.push_back(std::move(A));
      limit(Out.Axes.size(), "axes");
    } while (!In.failed() && !atNextMember(In) &&
             (In.accept(",") || In.accept(";")) && !(Close && In.at(Close)));
  }

  std::vector<NamedAxis> axisList() {
    std::vector<NamedAxis> Out;
    const bool Several = In.accept("(");
    do {
      const std::size_t At = In.offset();
      const llvm::StringRef Name = axisName();
      if (!In.failed() &&
          llvm::any_of(Out, [&](const NamedAxis &A) { return A.Name == Name; }))
        twice(Name, At);
      Out.push_back({Name, At});
      limit(Out.size(), "axes");
    } while (Several && !In.failed() && In.accept(","));
    if (Several)
      In.expect(")");
    return Out;
  }

  /// A size, a name, a product of those, or `_`.
  std::string extent() {
    std::string Out;
    do {
      if (!Out.empty())
        Out += '*';
      const llvm::StringRef Name = In.name();
      if (!Name.empty()) {
        Out += Name;
        continue;
      }
      const auto Size = In.number(0, std::numeric_limits<long long>::max());
      if (!Size) {
        In.fail("expected a dim (a size, a name or '_'), got " + In.found());
        return Out;
      }
      Out += std::to_string(*Size);
    } while (!In.failed() && In.accept("*"));
    return Out;
  }

  TypeSpec type() {
    TypeSpec Out;
    if (In.atEnd() || In.at("->")) {
      In.fail("expected a type such as \"tp: R\" or \"f32[8,16@tp]\", got " +
              In.found());
      return Out;
    }
    // `name[` starts a global type, `name:` a local one.
    PayloadScanner Ahead = In;
    Ahead.name();
    if (!In.at('[') && !Ahead.at('[')) {
      local(Out, 0);
      return Out;
    }
    GlobalSpec G;
    G.DType = In.name().str();
    In.expect("[");
    Out.Global.emplace();
    if (!In.accept("]")) {
      do
        dim(Out, G);
      while (!In.failed() && In.accept(","));
      In.expect("]", "after the dims");
    }
    Out.Global = std::move(G);
    const std::size_t Sharding = Out.Axes.size();
    if (In.accept("{")) {
      if (!In.at('}'))
        local(Out, '}');
      In.expect("}");
    }
    const int Rank = static_cast<int>(Out.Global->Dims.size());
    for (const AxisAtom &A : llvm::ArrayRef(Out.Axes).drop_front(Sharding))
      if (const std::optional<int> D = A.Value.ShardDim;
          D && (*D >= Rank || *D < -Rank))
        In.failAt(A.Offset, "axis " + PayloadScanner::quoted(A.Axis) +
                                " shards dim " + llvm::Twine(*D) +
                                " of a tensor that has " + llvm::Twine(Rank) +
                                (Rank == 1 ? " dim" : " dims"));
    return Out;
  }

  void dim(TypeSpec &Out, GlobalSpec &G) {
    DimSpec D;
    D.Extent = extent();
    const int Index = static_cast<int>(G.Dims.size());
    if (In.accept("@")) {
      for (const NamedAxis &Axis : axisList()) {
        if (In.failed())
          return;
        if (const AxisAtom *Other = Out.find(Axis.Name)) {
          if (isOfOneRank(Axis.Name))
            continue;
          In.failAt(Axis.Offset, "axis " + PayloadScanner::quoted(Axis.Name) +
                                     " shards two dims, " +
                                     llvm::Twine(*Other->Value.ShardDim) +
                                     " and " + llvm::Twine(Index));
          return;
        }
        Out.Axes.push_back(
            {Axis.Name.str(), {LocalType::V, Index}, Axis.Offset});
        D.Axes.push_back(Axis.Name.str());
      }
      limit(Out.Axes.size(), "axes");
    }
    G.Dims.push_back(std::move(D));
    limit(G.Dims.size(), "dims");
  }

  bool isOfOneRank(llvm::StringRef Axis) const {
    const MeshAxis *Known = Mesh ? Mesh->find(Axis) : nullptr;
    return Known && Known->Size == 1;
  }

  PayloadScanner In;
  const MeshSpec *Mesh;
};

} // namespace

llvm::Expected<TypeAnnotation> parseTypeAnnotation(llvm::StringRef Payload,
                                                   const MeshSpec *Mesh) {
  return TypeParser(Payload, Mesh).annotation();
}
llvm::Expected<TypeSpec> parseTypeSpec(llvm::StringRef Payload,
                                       const MeshSpec *Mesh) {
  return TypeParser(Payload, Mesh).spec();
}
llvm::Expected<TypeAnnotation> parseTypeAnnotation(llvm::StringRef Payload) {
  return TypeParser(Payload).annotation();
}
llvm::Expected<TypeSpec> parseTypeSpec(llvm::StringRef Payload) {
  return TypeParser(Payload).spec();
}
llvm::Expected<std::vector<std::string>>
parseAxes(llvm::StringRef Payload,
          llvm::SmallVectorImpl<std::size_t> *Offsets) {
  return TypeParser(Payload).axes(Offsets);
}
llvm::Expected<MeshSpec> parseMesh(llvm::StringRef Payload) {
  return TypeParser(Payload).mesh();
}

} // namespace spmd::rules
