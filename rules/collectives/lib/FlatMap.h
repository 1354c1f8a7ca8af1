//===- FlatMap.h - A small map in one piece ---------------------*- C++ -*-===//
//
// A run makes thousands of maps of one or two entries, most of which come in
// the order of their keys: a node for each would cost more than the run.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_COLLECTIVES_FLATMAP_H
#define SPMD_COLLECTIVES_FLATMAP_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <utility>

namespace spmd::collectives {

/// Ordered by key; what is added or removed invalidates iterators.
template <typename Key, typename T, unsigned Inline> class FlatMap {
public:
  using value_type = std::pair<Key, T>;
  using iterator = value_type *;
  using const_iterator = const value_type *;

  iterator begin() { return Entries.begin(); }
  iterator end() { return Entries.end(); }
  const_iterator begin() const { return Entries.begin(); }
  const_iterator end() const { return Entries.end(); }
  bool empty() const { return Entries.empty(); }

  const_iterator find(const Key &K) const {
    const const_iterator At = lowerBound(K);
    return At != end() && At->first == K ? At : end();
  }
  bool count(const Key &K) const { return find(K) != end(); }

  std::pair<iterator, bool> try_emplace(const Key &K, T Value) {
    const iterator At = begin() + (lowerBound(K) - begin());
    if (At != end() && At->first == K)
      return {At, false};
    return {Entries.insert(At, {K, std::move(Value)}), true};
  }
  T &operator[](const Key &K) { return try_emplace(K, T()).first->second; }

  template <typename Predicate> void eraseIf(Predicate P) {
    llvm::erase_if(Entries, P);
  }

private:
  const_iterator lowerBound(const Key &K) const {
    if (Entries.empty() || Entries.back().first < K)
      return end();
    return llvm::partition_point(
        Entries, [&](const value_type &E) { return E.first < K; });
  }

  llvm::SmallVector<value_type, Inline> Entries;
};

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_FLATMAP_H
