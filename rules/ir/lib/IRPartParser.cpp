//===- IRPartParser.cpp - Reading parts of facts --------------------------===//

#include "IRPartParser.h"

namespace spmd::rules {

PlaceId IRPartParser::place(llvm::StringRef Mark) {
  if (!accept(Mark))
    return PlaceId::None;
  Place P;
  P.Line = number();
  expect(":");
  P.Column = number();
  return F->addPlace(P);
}

SlotId IRPartParser::slot(bool Declares) {
  expect("%");
  const std::string Name = name();
  if (failed())
    return SlotId::None;
  auto [It, New] = Slots.try_emplace(Name, SlotId::None);
  if (!New && Declares)
    fail("'%" + Name + "' is declared twice");
  if (New) {
    Slot S;
    const auto [Stem, Number] = llvm::StringRef(Name).rsplit('.');
    unsigned Ignored;
    const bool Named = !Number.empty() && !Number.getAsInteger(10, Ignored);
    const bool Temporary = !llvm::StringRef(Name).getAsInteger(10, Ignored);
    if (!Temporary && !Declares)
      fail("no slot '%" + Name + "'");
    S.Name = Temporary ? "" : Named ? Stem.str() : Name;
    S.Kind = Temporary ? SlotKind::Temporary : SlotKind::Local;
    It->second = F->addSlot(std::move(S));
  }
  return It->second;
}

Operand IRPartParser::operand(bool OfOp) {
  Operand O;
  if (!accept("_")) {
    O.Slot = slot();
    O.Scalar = OfOp && accept("scalar");
  }
  O.At = place();
  return O;
}

std::shared_ptr<const TypeAnnotation> IRPartParser::annotation() {
  const std::string Payload = string();
  return std::make_shared<TypeAnnotation>(
      Payload.empty() ? TypeAnnotation()
                      : payload(parseTypeAnnotation(Payload)));
}

std::shared_ptr<const TypeSpec> IRPartParser::spec() {
  const std::string Payload = string();
  if (Payload.empty())
    return nullptr;
  return std::make_shared<TypeSpec>(payload(parseTypeSpec(Payload)));
}

Atom IRPartParser::atom() {
  skipSpace();
  const std::size_t Start = Pos;
  word();
  if (accept("("))
    while (Pos < Text.size() && Text[Pos++] != ')')
      ;
  const llvm::StringRef Axis = "a: ";
  StringAt = Start - Axis.size();
  const TypeSpec T =
      payload(parseTypeSpec((Axis + Text.slice(Start, Pos)).str()));
  return T.Axes.empty() ? Atom() : T.Axes.front().Value;
}

std::shared_ptr<const MeshSpec> IRPartParser::mesh() {
  if (!accept("mesh"))
    return nullptr;
  const std::string Payload = string();
  std::shared_ptr<const MeshSpec> &Known = Meshes[Payload];
  if (!Known)
    Known = std::make_shared<const MeshSpec>(payload(parseMesh(Payload)));
  return Known;
}

OpArgument IRPartParser::argument() {
  OpArgument A;
  A.Name = name();
  expect("=");
  skipSpace();
  if (accept("?"))
    return A;
  if (accept("none"))
    A.Value = OpArgument::None();
  else if (at("true") || at("false"))
    A.Value = word() == "true";
  else if (at("\""))
    A.Value = string();
  else if (accept("{"))
    A.Value = sizes();
  else
    A.Value = size();
  return A;
}

SizeList IRPartParser::sizes() {
  SizeList Out;
  while (!failed() && !accept("}")) {
    if (accept("?"))
      Out.push_back(std::nullopt);
    else
      Out.push_back(size());
    accept(",");
  }
  return Out;
}

SizeValue IRPartParser::size() {
  SizeValue Out = factor();
  while (!failed() && (at("*") || at("/"))) {
    const bool Times = accept("*");
    if (!Times)
      expect("/");
    const SizeValue By = factor();
    const auto Result = Times ? multiply(Out, By) : divide(Out, By);
    if (!Result)
      fail(By.Number == 0 ? "a size divided by zero" : "a size too large");
    else
      Out = *Result;
  }
  return Out;
}

SizeValue IRPartParser::factor() {
  SizeValue Out;
  skipSpace();
  if (Pos < Text.size() && (llvm::isDigit(Text[Pos]) || Text[Pos] == '-')) {
    Out.Number = integer();
    return Out;
  }
  SizeTerm T;
  if (at("%")) {
    T.Tensor = slot();
    expect("[");
    const std::int64_t Dim = integer();
    if (Dim < -64 || Dim >= 64)
      fail("no tensor has so many dims");
    T.Dim = static_cast<int>(Dim);
    expect("]");
  } else {
    T.Variable = name();
  }
  Out.Terms.push_back(std::move(T));
  return Out;
}

} // namespace spmd::rules
