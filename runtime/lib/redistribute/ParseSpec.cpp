#include "ParseSpec.h"

#include "spmd/spec.h"
#include "spmd/types/AtomNames.h"

#include <algorithm>

namespace spmd {
namespace detail {
namespace {

bool isWord(char C) {
  return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
         (C >= '0' && C <= '9') || C == '_';
}

class Parser {
public:
  explicit Parser(std::string_view Text) : Text(Text) {}

  ParsedSpec run() {
    ParsedSpec Out;
    Out.DType = word();
    expect('[');
    if (!accept(']')) {
      do
        Out.Dims.push_back(dim(Out));
      while (accept(','));
      expect(']');
    }
    if (accept('{')) {
      do {
        const std::string Axis = name(Out, "an axis name");
        expect(':');
        Out.Rest.push_back({Axis, atom()});
      } while (accept(',') || accept(';'));
      expect('}');
    }
    skip();
    if (At != Text.size())
      fail("the end");
    return Out;
  }

private:
  [[noreturn]] void fail(const std::string &Expected) const {
    detail::fail("spmd: '" + std::string(Text) + "' is no partition spec: at " +
                 std::to_string(At + 1) + " expected " + Expected);
  }
  void skip() {
    while (At < Text.size() && (Text[At] == ' ' || Text[At] == '\t'))
      ++At;
  }
  bool accept(char C) {
    skip();
    if (At == Text.size() || Text[At] != C)
      return false;
    ++At;
    return true;
  }
  void expect(char C) {
    if (!accept(C))
      fail(std::string("'") + C + "'");
  }
  std::string word() {
    skip();
    const std::size_t Begin = At;
    while (At < Text.size() && isWord(Text[At]))
      ++At;
    return std::string(Text.substr(Begin, At - Begin));
  }
  /// An axis that has not been named before.
  std::string name(const ParsedSpec &Known, const char *What) {
    const std::string Name = word();
    if (Name.empty())
      fail(What);
    if (Known.on(Name))
      detail::fail("spmd: '" + std::string(Text) + "' names axis '" + Name +
                   "' twice");
    return Name;
  }
  ParsedSpec::Dim dim(const ParsedSpec &Known) {
    ParsedSpec::Dim Out;
    do {
      Out.Extent += (Out.Extent.empty() ? "" : "*") + word();
      if (Out.Extent.empty() || Out.Extent.back() == '*')
        fail("a size, a name or '_'");
    } while (accept('*'));
    if (!accept('@'))
      return Out;
    const bool Several = accept('(');
    ParsedSpec Seen = Known;
    do {
      Out.Axes.push_back(name(Seen, "an axis name"));
      Seen.Rest.push_back({Out.Axes.back(), LocalType::V});
    } while (Several && accept(','));
    if (Several)
      expect(')');
    return Out;
  }
  LocalType atom() {
    const std::size_t Begin = At;
    const std::string Name = word();
    for (const rules::AtomName &A : rules::AtomNames)
      if (A.Name == Name)
        return A.Type;
    At = Begin;
    skip();
    fail("R, I, V or P");
  }

  std::string_view Text;
  std::size_t At = 0;
};

} // namespace

std::optional<std::int64_t> ParsedSpec::Dim::size() const {
  std::int64_t N = 0;
  for (char C : Extent) {
    if (C < '0' || C > '9' || N > (std::int64_t(1) << 50))
      return std::nullopt;
    N = 10 * N + (C - '0');
  }
  return N;
}

bool ParsedSpec::shards(const std::string &Axis) const {
  return std::any_of(Dims.begin(), Dims.end(), [&](const Dim &D) {
    return std::find(D.Axes.begin(), D.Axes.end(), Axis) != D.Axes.end();
  });
}

std::optional<LocalType> ParsedSpec::on(const std::string &Axis) const {
  for (const Atom &A : Rest)
    if (A.Axis == Axis)
      return A.Type;
  return shards(Axis) ? std::optional(LocalType::V) : std::nullopt;
}

ParsedSpec ParsedSpec::dual() const {
  ParsedSpec Out = *this;
  for (Atom &A : Out.Rest)
    A.Type = rules::dual(A.Type);
  return Out;
}

std::string ParsedSpec::str() const {
  std::string Out = DType + "[";
  for (const Dim &D : Dims) {
    Out += (&D == &Dims.front() ? "" : ", ") + D.Extent;
    const char *Before = D.Axes.size() > 1 ? "@(" : "@";
    for (const std::string &Axis : D.Axes) {
      Out += Before + Axis;
      Before = ",";
    }
    Out += D.Axes.size() > 1 ? ")" : "";
  }
  Out += "]";
  for (const Atom &A : Rest)
    Out += (&A == &Rest.front() ? "{" : ", ") + A.Axis + ": " +
           rules::letter(A.Type);
  return Rest.empty() ? Out : Out + "}";
}

ParsedSpec parseSpec(std::string_view Text) { return Parser(Text).run(); }

} // namespace detail

std::string dual(std::string_view Of) {
  return detail::parseSpec(Of).dual().str();
}

} // namespace spmd
