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

std::string describeCall(const Call &C) {
  return detail::operatorName(C.Op, C.Mean) + "(" + str(C.Src) + " -> " +
         str(C.Dst) + ") of " + nameOf(C.Type) + C.Whole.str();
}

std::string at(Site S) {
  return S.Line ? " at " + std::string(S.File) + ":" + std::to_string(S.Line)
                : "";
}

Error errorOn(const Call &C, const std::string &Cause) {
  const std::string Operation = "spmd::" + detail::operatorName(C.Op, C.Mean);
  const std::string Where =
      C.At.Line ? C.At.File + (":" + std::to_string(C.At.Line)) + ": " : "";
  return Error(Where + Operation + "(" + str(C.Src) + " -> " + str(C.Dst) +
                   ") of " + nameOf(C.Type) + C.In.str() + " over " +
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
