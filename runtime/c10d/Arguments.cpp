#include "Arguments.h"

#include "spmd/axis.h"

#include <c10/core/InferenceMode.h>

namespace spmd {

using rules::OperatorKind;

// libtorch has no unsigned ones of more than a byte: sums have the same bits.
at::ScalarType scalarType(DType T) {
  constexpr at::ScalarType Types[] = {
      at::kHalf, at::kBFloat16, at::kFloat, at::kDouble, at::kChar,
      at::kByte, at::kInt,      at::kLong,  at::kInt,    at::kLong,
      at::kByte, at::kByte,     at::kByte};
  return Types[static_cast<int>(T)];
}

at::ScalarType movedType(DType T) {
  return T == DType::BF16 ? at::kHalf : scalarType(T);
}

at::Tensor tensorOver(const void *Data, std::int64_t Count, at::ScalarType Type,
                      at::Device On) {
  // Groups write it on threads of their own, which are in no inference mode.
  const c10::InferenceMode Off(false);
  const auto Options = at::device(On).dtype(Type);
  // An empty buffer may have no address.
  return Count ? at::from_blob(const_cast<void *>(Data), {Count}, Options)
               : at::empty({0}, Options);
}

namespace {

/// Even ones are said by none.
std::vector<std::int64_t> splits(const Counts &Of, int Ranks) {
  std::vector<std::int64_t> All;
  for (int R = 0; !Of.even() && R < Ranks; ++R)
    All.push_back(Of[R]);
  return All;
}

std::int64_t each(const Counts &Of) { return Of.even() ? Of[0] : 0; }

bool same(const Counts &Of, const std::vector<std::int64_t> &Splits,
          std::int64_t Each) {
  if (Of.even())
    return Splits.empty() && Of[0] == Each;
  bool Same = !Splits.empty();
  for (std::size_t R = 0; Same && R < Splits.size(); ++R)
    Same = Of[static_cast<int>(R)] == Splits[R];
  return Same;
}

} // namespace

Arguments::Arguments(const Call &C, const Transfer &Data, at::Device On,
                     bool Sums)
    : Sent(splits(Data.Parts, C.On.size())),
      Received(splits(Data.Received, C.On.size())), Op(detail::carrierOf(C.Op)),
      Type(C.Type), In(Data.In), Out(Data.Out), Count(Data.Count),
      EachSent(each(Data.Parts)), EachReceived(each(Data.Received)) {
  const int Rank = C.On.rank(), Ranks = C.On.size();
  const at::ScalarType Typed = scalarType(Type), Moved = movedType(Type);
  switch (Op) {
  case OperatorKind::AllReduce:
    Input = tensorOver(In, Count, Typed, On);
    Output = tensorOver(Out, Count, Typed, On);
    Operand = {Output};
    break;
  case OperatorKind::AllGather:
    gather(C, Data, On);
    break;
  case OperatorKind::ReduceScatter:
    Input = tensorOver(In, Data.Parts.before(Ranks), Sums ? Typed : Moved, On);
    Output = tensorOver(Out, Data.Parts[Rank], Typed, On);
    break;
  case OperatorKind::AllToAll:
    Input = tensorOver(In, Data.Parts.before(Ranks), Moved, On);
    Output = tensorOver(Out, Data.Received.before(Ranks), Moved, On);
    break;
  default: // stays on the rank
    break;
  }
}

void Arguments::gather(const Call &C, const Transfer &Data, at::Device On) {
  const at::ScalarType Moved = movedType(Type);
  const int Ranks = C.On.size();
  const bool Even = Data.Parts.even();
  Input = tensorOver(In, Data.Parts[C.On.rank()], Moved, On);
  Output = tensorOver(Out, Data.Parts.before(Ranks), Moved, On);
  Operand = {Input};
  Parts.resize(Even ? 1 : static_cast<std::size_t>(Ranks));
  for (int R = 0; R < Ranks; ++R) {
    const char *const At =
        static_cast<const char *>(Out) +
        Data.Parts.before(R) * static_cast<std::int64_t>(sizeOf(Type));
    Parts[Even ? 0 : static_cast<std::size_t>(R)].push_back(
        tensorOver(At, Data.Parts[R], Moved, On));
  }
}

bool Arguments::fit(const Call &C, const Transfer &Data) const {
  return In == Data.In && Out == Data.Out && Count == Data.Count &&
         Op == detail::carrierOf(C.Op) && Type == C.Type &&
         same(Data.Parts, Sent, EachSent) &&
         same(Data.Received, Received, EachReceived);
}

Arguments &KeptArguments::of(const Call &C, const Transfer &Data) {
  const auto Word = [](const void *P) {
    return reinterpret_cast<std::uintptr_t>(P) / 8;
  };
  const std::uintptr_t Key =
      Word(Data.In) + 3 * Word(Data.Out) +
      static_cast<std::uintptr_t>(Data.Count + each(Data.Parts));
  std::unique_ptr<Arguments> &Known = Last[Key % Last.size()];
  if (!Known || !Known->fit(C, Data))
    Known = std::make_unique<Arguments>(C, Data, On, Sums);
  return *Known;
}

} // namespace spmd
