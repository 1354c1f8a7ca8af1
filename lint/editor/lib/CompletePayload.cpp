//===- CompletePayload.cpp - Words for the string of an attribute ---------===//

#include "View.h"

#include "spmd/lint/Check.h"

#include "llvm/ADT/StringExtras.h"

namespace json = llvm::json;

namespace spmd::editor {

namespace {

enum class Payload : unsigned char { None, Type, Axes, Mesh, Check };

/// What is being written: the attribute, and its string up to the cursor.
struct Cursor {
  Payload In = Payload::None;
  llvm::StringRef Written;
};

/// CompletionItemKind
enum class Item : unsigned char {
  Variable = 6,
  EnumMember = 20,
  Constant = 21
};

} // namespace

/// What a string is whose quote follows \p Before.
static Payload payloadBehind(llvm::StringRef Before) {
  Before = Before.rtrim();
  if (Before.ends_with(
          ",")) { // assert_type(x, "…"), annotate("spmd::type", "…")
    if (Before.ends_with("\"spmd::type\","))
      return Payload::Type;
    const std::size_t Call = Before.rfind("assert_type(");
    return Call != llvm::StringRef::npos && !Before.substr(Call).contains(';')
               ? Payload::Type
               : Payload::None;
  }
  if (!Before.consume_back("("))
    return Payload::None;
  Before = Before.rtrim();
  const std::pair<llvm::StringRef, Payload> Attributes[] = {
      {"spmd::type", Payload::Type},   {"SPMD_TYPE", Payload::Type},
      {"spmd::axis", Payload::Axes},   {"spmd::size", Payload::Axes},
      {"spmd::global", Payload::Axes}, {"spmd::mesh", Payload::Mesh},
      {"spmd::allow", Payload::Check},
  };
  for (const auto &[Name, Is] : Attributes)
    if (Before.ends_with(Name))
      return Is;
  return Payload::None;
}

/// The string that is open at the end of \p Line.
static Cursor cursorIn(llvm::StringRef Line) {
  std::size_t Quote = llvm::StringRef::npos;
  bool Open = false;
  for (std::size_t I = 0; I != Line.size(); ++I) {
    if (Open && Line[I] == '\\') {
      if (++I == Line.size())
        break;
    } else if (Line[I] == '"') {
      Open = !Open;
      Quote = I;
    } else if (!Open && Line.substr(I).starts_with("//")) {
      return {};
    }
  }
  if (!Open)
    return {};
  return {payloadBehind(Line.take_front(Quote)), Line.substr(Quote + 1)};
}

namespace {

class Words {
public:
  Words(const Cursor &At, const Analysis *Last) : At(At) {
    if (Last) {
      Axes = Last->Known.Axes;
      Dims = Last->Known.Dims;
    }
  }

  json::Array list() {
    const llvm::StringRef Before =
        At.Written.rtrim("abcdefghijklmnopqrstuvwxyz"
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    const llvm::StringRef Sign = Before.rtrim();
    switch (At.In) {
    case Payload::Check:
      for (const lint::CheckInfo &Check : lint::allChecks())
        add(Check.Name, Item::Constant, Check.Summary);
      break;
    case Payload::Mesh:
    case Payload::Axes:
      addAxes("");
      break;
    case Payload::Type:
      // In the dims of a full type, or in those that an axis shards.
      if (Before.count('[') > Before.count(']')) {
        if (Sign.ends_with("@") || inAxesOfDim(Before))
          addAxes("");
        else
          for (const std::string &Dim : Dims)
            add(Dim, Item::Variable, "a size");
      } else if (Sign.ends_with(":")) {
        addAtoms(Sign.size() == Before.size() ? " " : "");
      } else {
        addAxes(": ");
      }
      break;
    case Payload::None:
      break;
    }
    return std::move(Out);
  }

private:
  static bool inAxesOfDim(llvm::StringRef Before) {
    const std::size_t List = Before.rfind("@(");
    return List != llvm::StringRef::npos && !Before.substr(List).contains(')');
  }

  void addAxes(llvm::StringRef Behind) {
    for (const std::string &Axis : Axes)
      add(Axis, Item::EnumMember, "a mesh axis", Axis + Behind.str());
  }

  void addAtoms(llvm::StringRef Before) {
    const std::pair<llvm::StringRef, llvm::StringRef> Atoms[] = {
        {"R", "the same on all ranks; its gradient is a pending sum"},
        {"I", "the same on all ranks, and so is its gradient"},
        {"V", "its own on each rank"},
        {"P", "a pending sum over the ranks"},
        {"S(0)", "V: each rank has its shard of dim 0"},
        {"S(1)", "V: each rank has its shard of dim 1"},
        {"S(-1)", "V: each rank has its shard of the last dim"},
    };
    for (const auto &[Name, Says] : Atoms)
      add(Name, Item::EnumMember, Says, (Before + Name).str());
  }

  void add(llvm::StringRef Label, Item Kind, llvm::StringRef Detail,
           std::string Text = "") {
    json::Object One{{"label", Label.str()},
                     {"kind", static_cast<int>(Kind)},
                     {"detail", Detail.str()}};
    if (!Text.empty() && Text != Label)
      One["insertText"] = Text;
    Out.push_back(std::move(One));
  }

  const Cursor &At;
  std::vector<std::string> Axes, Dims;
  json::Array Out;
};

} // namespace

std::optional<json::Array> completePayload(llvm::StringRef Text,
                                           std::size_t Offset,
                                           const Analysis *Last) {
  const llvm::StringRef Before = Text.take_front(Offset);
  const Cursor At = cursorIn(Before.substr(Before.rfind('\n') + 1));
  if (At.In == Payload::None)
    return std::nullopt;
  return Words(At, Last).list();
}

} // namespace spmd::editor
