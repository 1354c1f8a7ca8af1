//===- Problem.h - What is to be chosen, and what it costs ------*- C++ -*-===//
//
// One variable for each input and weight (how it is stored), for each op (its
// strategy) and for the result. A value is redistributed from how it is made to
// how it is wanted, once for all consumers that want it alike.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_SHARDING_PROBLEM_H
#define SPMD_SHARDING_PROBLEM_H

#include "spmd/sharding/Network.h"
#include "spmd/sharding/Prices.h"
#include "spmd/sharding/Strategy.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::sharding {

/// A variable: a value that is stored, an op, or the result.
struct Choice {
  std::optional<ValueId> Stored;  ///< its types are the options' Made
  std::optional<unsigned> NodeId; ///< an op; neither: the result
  std::vector<Strategy> Options;
};

/// Where a value is wanted: operand \p Operand of a variable.
struct Want {
  unsigned Variable = 0, Operand = 0;
};

/// Whether what annotations say of an axis stays as it is.
enum class Annotations : bool { Ignore, Keep };

class Problem {
public:
  /// An error (a GraphError) when something cannot be as it is annotated.
  static llvm::Expected<Problem> make(const Graph &G, const CostModel &Costs,
                                      Prices &P, Annotations A);

  /// Whether an option is what data parallelism over \p Batch would do.
  bool isDataParallel(unsigned Variable, unsigned Option,
                      const planner::Axes &Batch) const;
  /// Removes options of a variable that some other one is never worse than,
  /// while there is budget.
  void removeDominated();
  /// Leaves of each variable those that \p Keep names.
  void
  keepOnly(llvm::function_ref<bool(unsigned Variable, unsigned Option)> Keep);
  /// A copy with those alone.
  Problem narrowed(
      llvm::function_ref<bool(unsigned Variable, unsigned Option)> Keep) const;

  /// Where an option stood when the problem was made.
  unsigned original(unsigned Variable, unsigned Option) const {
    return Was[Variable][Option];
  }
  std::size_t mostOptions() const;

  const std::vector<Choice> &choices() const { return Choices; }
  const Graph &graph() const { return G; }
  Budget &budget() const { return P.Left; }
  const std::vector<Want> &wantsOf(ValueId V) const { return Wants[V]; }

  /// The types that choices say.
  const ValueType &made(ValueId V, const std::vector<unsigned> &C) const;
  const ValueType &wanted(const Want &W, const std::vector<unsigned> &C) const;

  /// \p PerByte: seconds that a byte of memory is made to cost. Clears
  /// \p Faithful when it does not say what timeOf says.
  Network network(double PerByte, bool HasCosts, bool &Faithful) const;
  double timeOf(const std::vector<unsigned> &C) const;
  double memoryOf(const std::vector<unsigned> &C) const;
  /// By option: the least that it costs with the best neighbours; a measure
  /// for what to look at first.
  std::vector<double> promises(unsigned Variable) const;
  /// Choices one after the other, each the best after those before it.
  std::vector<unsigned> oneByOne(double PerByte) const;
  /// What an option costs beside the choices \p C of all others.
  double promise(unsigned Variable, unsigned Option,
                 const std::vector<unsigned> &C) const;

  /// The input that the next layer of the kind is given the result as; nothing
  /// when the dims differ.
  std::optional<ValueId> nextInput() const { return Next; }
  std::optional<unsigned> resultVariable() const { return Result; }
  std::optional<unsigned> producerOf(ValueId V) const { return Producer[V]; }

private:
  Problem(const Graph &G, const CostModel &Costs, Prices &P)
      : G(G), Costs(Costs), P(P) {}

  llvm::Error addStored(ValueId V, Annotations A);
  llvm::Error addNode(unsigned N, Annotations A);
  std::vector<Strategy> joining(const Node &N, Annotations A) const;
  llvm::Error addResult(Annotations A);
  void index();
  void findNextInput();
  double unary(unsigned Variable, unsigned Option, double PerByte) const;
  double memory(unsigned Variable, unsigned Option) const;
  /// Of types by their numbers.
  double price(ValueId V, unsigned From, unsigned To) const;
  /// From an option of the result to one of the next layer's input.
  double priceAgain(unsigned ResultOption, unsigned InputOption) const;
  std::optional<ValueId> madeBy(unsigned Variable) const;
  struct Surroundings;
  Surroundings around(unsigned Variable) const;
  bool dominates(unsigned Variable, unsigned B, unsigned A,
                 const Surroundings &Near) const;
  void keepOnlyOf(unsigned Variable,
                  llvm::function_ref<bool(unsigned Option)> Keep);
  void addUses(Network &N, ValueId V, bool &Faithful) const;
  void addRelays(Network &N, ValueId V, llvm::ArrayRef<unsigned> Users,
                 bool &Faithful) const;
  /// What variable \p U wants \p V as, each type once.
  llvm::SmallVector<unsigned, 2> wants(ValueId V, unsigned U,
                                       unsigned Option) const;

  const Graph &G;
  const CostModel &Costs;
  Prices &P;
  std::vector<Choice> Choices;
  std::optional<unsigned> Result;
  std::optional<ValueId> Next;
  std::vector<std::vector<Want>> Wants; ///< by value
  /// By variable: its operands that are values.
  std::vector<std::vector<std::pair<ValueId, Want>>> Operands;
  std::vector<std::optional<unsigned>> Producer; ///< by value: its variable

  /// The types of values that are redistributed alike, and what is known of
  /// them: less than 0 is not known yet.
  struct Types {
    std::vector<ValueType> All;
    std::vector<std::vector<double>> Seconds; ///< from a type to a type
    std::vector<double> Reductions;           ///< of the gradient
  };
  std::shared_ptr<std::vector<Types>> TypesOf; ///< by class; of copies the same
  std::vector<unsigned> ClassOf;               ///< by value
  /// By variable and option: numbers of types.
  std::vector<std::vector<unsigned>> MadeAs;
  std::vector<std::vector<unsigned>> Was;
  std::vector<std::vector<llvm::SmallVector<unsigned, 3>>> WantedAs;
  /// By option of the next layer's input: its number among the result's types.
  std::vector<unsigned> NextAs;
};

} // namespace spmd::sharding

#endif // SPMD_SHARDING_PROBLEM_H
