#include "CheckCall.h"
#include "Recorder.h"

#include <new>

namespace spmd {

std::string str(const Placement &P) {
  if (!P.HasDim)
    return std::string(1, rules::letter(P.Type));
  std::string Text = "S(" + std::to_string(P.Dim);
  Text += P.Sizes ? ", {" : "";
  for (std::size_t I = 0; P.Sizes && I < P.Sizes->size(); ++I)
    Text += (I ? "," : "") + std::to_string((*P.Sizes)[I]);
  return Text + (P.Sizes ? "})" : ")");
}

/// "broadcast(V -> R, root 2)".
static std::string typed(const Call &C) {
  const std::string Name = detail::operatorName(C.Op, C.Mean);
  if (C.Op == rules::OperatorKind::Barrier)
    return Name;
  return Name + "(" + str(C.Src) + " -> " + str(C.Dst) +
         (rules::hasRoot(C.Op) ? ", root " + std::to_string(C.Root) : "") + ")";
}

/// " of f32[8]"; of a barrier, nothing.
static std::string operand(const Call &C, const Shape &S) {
  return C.Op == rules::OperatorKind::Barrier
             ? ""
             : " of " + (nameOf(C.Type) + S.str());
}

std::string describeCall(const Call &C) {
  return typed(C) + operand(C, C.Whole);
}

std::string at(Site S) {
  return S.Line ? " at " + std::string(S.File) + ":" + std::to_string(S.Line)
                : "";
}

Error errorOn(const Call &C, const std::string &Cause) {
  const std::string Operation = "spmd::" + detail::operatorName(C.Op, C.Mean);
  const std::string Where =
      C.At.Line ? C.At.File + (":" + std::to_string(C.At.Line)) + ": " : "";
  return Error(Where + "spmd::" + typed(C) + operand(C, C.In) + " over " +
                   detail::describe(C.On) + ": " + Cause,
               {Operation, C.On.name(), str(C.Src), str(C.Dst), nameOf(C.Type),
                C.In.str(), C.At, Cause});
}

void failOn(const Call &C, const std::string &Cause) {
  dumpOnFailure(C.On);
  throw errorOn(C, Cause);
}

void detail::failAsThrown(const Call &C) {
  try {
    throw;
  } catch (const Error &E) {
    if (!E.call().Operation.empty())
      throw;
    failOn(C, E.call().Cause.empty() ? E.what() : E.call().Cause);
  } catch (const std::bad_alloc &) {
    failOn(C, NoMemory);
  } catch (const std::exception &E) {
    failOn(C, E.what());
  }
}

Communicator &detail::communicatorOf(const Call &C) {
  try {
    return *C.On.communicator();
  } catch (...) {
    failAsThrown(C);
  }
}

} // namespace spmd
