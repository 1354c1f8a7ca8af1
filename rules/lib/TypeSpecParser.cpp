//===- TypeSpecParser.cpp - Payloads of the attributes --------------------===//

#include "PayloadScanner.h"

#include "llvm/ADT/STLExtras.h"
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

namespace {

/// Short, long and DTensor spellings. `Replicate` is DTensor's name for what is
/// invariant here; `replicate` is ours (seed 002).
struct AtomName {
  llvm::StringLiteral Name;
  LocalType Type;
};
constexpr AtomName AtomNames[] = {
    {"R", LocalType::R},         {"I", LocalType::I},
    {"V", LocalType::V},         {"P", LocalType::P},
    {"replicate", LocalType::R}, {"invariant", LocalType::I},
    {"varying", LocalType::V},   {"partial", LocalType::P},
    {"Reduced", LocalType::R},   {"Replicate", LocalType::I},
    {"Partial", LocalType::P},
};

class TypeParser {
public:
  explicit TypeParser(llvm::StringRef Payload) : In(Payload) {}

  llvm::Expected<TypeAnnotation> annotation() {
    TypeAnnotation Out;
    Out.Entry = type();
    if (In.accept("->"))
      Out.Exit = type();
    if (!finish())
      return In.takeError();
    return Out;
  }
  llvm::Expected<TypeSpec> spec() {
    TypeSpec Out = type();
    if (!finish())
      return In.takeError();
    return Out;
  }
  llvm::Expected<std::vector<std::string>> axes() {
    std::vector<std::string> Out = axisList();
    if (!finish())
      return In.takeError();
    return Out;
  }
  llvm::Expected<MeshSpec> mesh() {
    MeshSpec Out;
    do {
      MeshAxis A;
      A.Offset = In.offset();
      A.Name = In.expectName("an axis name").str();
      if (Out.find(A.Name))
        In.failAt(A.Offset, "axis '" + A.Name + "' is given twice");
      if (In.accept("=")) {
        const std::size_t At = In.offset();
        const std::string Got = In.found();
        const std::optional<int> Size = In.number();
        if (!Size || *Size < 1)
          In.failAt(At, "expected a size of at least 1, got " + Got);
        A.Size = static_cast<unsigned>(Size.value_or(0));
      }
      if (In.accept(":"))
        A.Default = atom();
      Out.Axes.push_back(std::move(A));
    } while (!In.failed() && In.accept(","));
    if (!finish())
      return In.takeError();
    return Out;
  }

private:
  bool finish() {
    if (!In.failed() && !In.atEnd())
      In.fail("expected ',' or the end, got " + In.found());
    return !In.failed();
  }

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
      const std::size_t DimAt = In.offset();
      const std::optional<int> Dim = In.number();
      if (!Dim || *Dim < -64 || *Dim > 63) {
        In.failAt(DimAt, "expected a tensor dim, got " + In.found());
        return {};
      }
      In.expect(")");
      return {LocalType::V, Dim};
    }
    for (const AtomName &A : AtomNames)
      if (A.Name == Name)
        return {A.Type, std::nullopt};
    In.failAt(At,
              Expected + ", got '" + Name.take_front(40) + "'" + nearest(Name));
    return {};
  }

  static std::string nearest(llvm::StringRef Name) {
    llvm::StringRef Best;
    unsigned Distance = 3;
    for (const AtomName &A : AtomNames)
      if (A.Name.size() > 1)
        if (const unsigned D = Name.take_front(40).edit_distance_insensitive(
                A.Name, true, Distance);
            D < Distance) {
          Best = A.Name;
          Distance = D;
        }
    return Best.empty() ? "" : "; did you mean '" + Best.str() + "'?";
  }

  /// `axis: atom, axis: atom` up to \p Close or the end.
  void local(TypeSpec &Out, char Close) {
    do {
      AxisAtom A;
      A.Offset = In.offset();
      A.Axis = In.expectName("an axis name").str();
      if (In.failed())
        return;
      if (!In.expect(":", "after axis '" + A.Axis + "'"))
        return;
      A.Value = atom();
      if (const AxisAtom *Other = Out.find(A.Axis)) {
        if (Out.Global && Other->Value.ShardDim)
          In.failAt(A.Offset, "axis '" + A.Axis + "' shards dim " +
                                  llvm::Twine(*Other->Value.ShardDim) +
                                  " and cannot have another type");
        else
          In.failAt(A.Offset, "axis '" + A.Axis + "' is given twice");
        return;
      }
      Out.Axes.push_back(std::move(A));
    } while (!In.failed() && (In.accept(",") || In.accept(";")) &&
             !(Close && In.at(Close)));
  }

  std::vector<std::string> axisList() {
    std::vector<std::string> Out;
    const bool Several = In.accept("(");
    do {
      const std::size_t At = In.offset();
      const std::string Name = In.expectName("an axis name").str();
      if (llvm::is_contained(Out, Name))
        In.failAt(At, "axis '" + Name + "' is given twice");
      Out.push_back(Name);
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
      const std::size_t At = In.offset();
      const std::optional<int> Size = In.number();
      if (!Size || *Size < 0) {
        In.failAt(At,
                  "expected a dim (a size, a name or '_'), got " + In.found());
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
    if (In.accept("{")) {
      if (!In.at('}'))
        local(Out, '}');
      In.expect("}");
    }
    return Out;
  }

  void dim(TypeSpec &Out, GlobalSpec &G) {
    DimSpec D;
    D.Extent = extent();
    const int Index = static_cast<int>(G.Dims.size());
    if (In.accept("@")) {
      const std::size_t At = In.offset();
      for (std::string &Axis : axisList()) {
        if (const AxisAtom *Other = Out.find(Axis)) {
          In.failAt(At, "axis '" + Axis + "' shards two dims, " +
                            llvm::Twine(*Other->Value.ShardDim) + " and " +
                            llvm::Twine(Index));
          return;
        }
        Out.Axes.push_back({Axis, {LocalType::V, Index}, At});
        D.Axes.push_back(std::move(Axis));
      }
    }
    G.Dims.push_back(std::move(D));
  }

  PayloadScanner In;
};

} // namespace

llvm::Expected<TypeAnnotation> parseTypeAnnotation(llvm::StringRef Payload) {
  return TypeParser(Payload).annotation();
}
llvm::Expected<TypeSpec> parseTypeSpec(llvm::StringRef Payload) {
  return TypeParser(Payload).spec();
}
llvm::Expected<std::vector<std::string>> parseAxes(llvm::StringRef Payload) {
  return TypeParser(Payload).axes();
}
llvm::Expected<MeshSpec> parseMesh(llvm::StringRef Payload) {
  return TypeParser(Payload).mesh();
}

//===--- Printing ---------------------------------------------------------===//

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

} // namespace spmd::rules
