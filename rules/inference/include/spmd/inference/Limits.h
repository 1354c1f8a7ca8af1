//===- Limits.h - Where an analysis is cut off ------------------*- C++ -*-===//
//
// Each limit is here, with what happens at it: what is cut off is unknown from
// there on, so that nothing wrong is said of it, and the cut is recorded as a
// GiveUp, which --strict reports and --stats counts.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_LIMITS_H
#define SPMD_INFERENCE_LIMITS_H

#include "spmd/ir/IR.h"

namespace spmd::rules {

struct Limits {
  /// Bodies analysed within each other: a deeper call is unknown code.
  unsigned CallDepth = 8;
  /// Bodies analysed, once for all equal arguments: another call is unknown
  /// code.
  unsigned Contexts = 4096;
  /// Visits of one block until loops have settled: the function is given up.
  unsigned Visits = 256;
  /// Facts run for one function: it is given up.
  std::size_t Facts = 20'000'000;
  /// Values kept for one function, of half a kilobyte each: it is given up.
  std::size_t Values = 2'000'000;
  /// Storages that one write changes, through views, parts and lists: those
  /// after them are unknown.
  unsigned WrittenTogether = 512;
  /// Operands of an op that may each be of several types: with more of them,
  /// what the result must be is unknown.
  unsigned OpenOperands = 6;
  /// Ways through one function that are analysed by themselves: what holds on
  /// other ways only is not said.
  unsigned Ways = 32;
  /// Conditions within each other that a way chooses together.
  unsigned WayConditions = 6;
  /// Callers, each by itself, that a way is analysed for.
  unsigned WayCallers = 4;
  /// How often the steps of the module all ways of it may take.
  unsigned WayFacts = 2;
  /// Calls within each other through which callers are told what is found on a
  /// way of a callee: those beyond are not.
  static constexpr unsigned WayCallDepth = 4;
  /// Ops of one callee that add its parameters: what the others add to a sum of
  /// the caller is not said.
  static constexpr unsigned AddingOps = 16;
  /// Axes of a module, one bit each in a mask: nothing is said of the others.
  static constexpr unsigned Axes = 32;
};

enum class Limit : std::uint8_t {
  CallDepth,
  Contexts,
  Visits,
  Facts,
  Values,
  WrittenTogether,
  OpenOperands,
  Ways,
  WayConditions,
  WayCallers,
  WayFacts,
  AddingOps,
  Axes,
};

/// A place where an analysis was cut off.
struct GiveUp {
  const Function *In = nullptr;
  PlaceId At = PlaceId::None;
  Limit Which = Limit::Visits;

  friend bool operator==(const GiveUp &, const GiveUp &) = default;
  /// Whether nothing is said of the function at all.
  bool ofFunction() const {
    return Which == Limit::Visits || Which == Limit::Facts ||
           Which == Limit::Values;
  }
};
/// "calls are nested deeper than 8": what was cut off, and at what.
std::string describe(Limit Which, const Limits &Of);

} // namespace spmd::rules

#endif // SPMD_INFERENCE_LIMITS_H
