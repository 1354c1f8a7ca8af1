//===- Limits.cpp - Types and caps in words -------------------------------===//

#include "spmd/inference/Inference.h"

namespace spmd::rules {

std::string printAxisType(const AxisType &T) {
  if (T.Set.isAll())
    return "?";
  std::string Out;
  for (LocalType L : AllLocalTypes) {
    if (!T.Set.contains(L))
      continue;
    if (!Out.empty())
      Out += '|';
    if (L == LocalType::V && T.ShardDim)
      Out += "S(" + std::to_string(*T.ShardDim) + ")";
    else
      Out += letter(L);
  }
  return Out;
}

std::string describe(Limit Which, const Limits &Of) {
  const auto N = [](std::size_t Number) { return std::to_string(Number); };
  switch (Which) {
  case Limit::CallDepth:
    return "calls are nested deeper than " + N(Of.CallDepth);
  case Limit::Contexts:
    return "functions are called in more than " + N(Of.Contexts) + " ways";
  case Limit::Visits:
    return "a loop has not settled after " + N(Of.Visits) + " visits";
  case Limit::Facts:
    return "it takes more than " + N(Of.Facts) + " steps";
  case Limit::Values:
    return "it takes more than " + N(Of.Values) + " values";
  case Limit::WrittenTogether:
    return "what is written is seen through more than " +
           N(Of.WrittenTogether) + " views and lists";
  case Limit::OpenOperands:
    return "more than " + N(Of.OpenOperands) +
           " operands may each be of several types";
  case Limit::Ways:
    return "its conditions choose between more than " + N(Of.Ways) + " ways";
  case Limit::WayConditions:
    return "more than " + N(Of.WayConditions) +
           " of its conditions choose a way together";
  case Limit::WayCallers:
    return "more than " + N(Of.WayCallers) +
           " others call it, by themselves, on each of its ways";
  case Limit::WayFacts:
    return "its ways take more than " + N(Of.WayFacts) +
           " times the steps of all functions";
  case Limit::AddingOps:
    return "more than " + N(Limits::AddingOps) +
           " of its ops add one parameter to another";
  case Limit::Axes:
    return "there are more than " + N(Limits::Axes) + " axes";
  }
  return {};
}

} // namespace spmd::rules
