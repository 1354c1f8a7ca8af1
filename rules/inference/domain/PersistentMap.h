//===- PersistentMap.h - Maps that share what they have alike ---*- C++ -*-===//
//
// A state differs from the one before it in what a block changed, so a copy
// must cost nothing and a comparison no more than the differences. This is a
// big-endian Patricia tree over integers: its shape follows from its keys, so
// that what two maps share is found by comparing pointers.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_DOMAIN_PERSISTENTMAP_H
#define SPMD_INFERENCE_DOMAIN_PERSISTENTMAP_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/bit.h"

#include <cstdint>

namespace spmd::rules::inference {

template <typename T> class PersistentMap {
public:
  using Key = std::uint32_t;

  /// Null for what is not in the map.
  const T *find(Key K) const {
    const Node *N = Root.get();
    while (N && !N->isLeaf())
      N = N->side(K).get();
    return N && N->Prefix == K ? &N->Value : nullptr;
  }
  bool contains(Key K) const { return find(K); }
  bool empty() const { return !Root; }
  /// Whether they are one map, not only equal ones.
  friend bool operator==(const PersistentMap &A, const PersistentMap &B) {
    return A.Root == B.Root;
  }
  void set(Key K, T Value) { Root = set(std::move(Root), K, std::move(Value)); }
  void erase(Key K) {
    if (contains(K))
      Root = erase(std::move(Root), K);
  }

  /// In the order of the keys.
  template <typename Callback> void forEach(Callback Visit) const {
    visit(Root.get(), Visit);
  }
  /// Calls \p Visit with each key whose values are not one and the same, and
  /// the two of them, null where one has none; in the order of the keys.
  template <typename Callback>
  static void forEachDifference(const PersistentMap &A, const PersistentMap &B,
                                Callback Visit) {
    compare(A.Root.get(), B.Root.get(), Visit);
  }

private:
  struct Node : llvm::RefCountedBase<Node> {
    using Ptr = llvm::IntrusiveRefCntPtr<Node>;

    Node(Key Prefix, T Value, Key Bit = 0)
        : Prefix(Prefix), Bit(Bit), Value(std::move(Value)) {}

    bool isLeaf() const { return Bit == 0; }
    /// Whether \p K has the bits of this branch before the one it decides on.
    bool holds(Key K) const { return above(K, Bit) == Prefix; }
    Ptr &side(Key K) { return K & Bit ? One : Zero; }
    const Ptr &side(Key K) const { return K & Bit ? One : Zero; }

    Key Prefix;  ///< of a leaf, its key
    Key Bit = 0; ///< the highest one in which keys below differ; 0 in a leaf
    Ptr Zero, One;
    T Value = T();
  };
  using Ptr = typename Node::Ptr;

  /// The bits of \p K above \p Bit.
  static Key above(Key K, Key Bit) { return K & ~(Bit | (Bit - 1)); }

  static Ptr fork(Ptr A, Key KeyOfA, Ptr B, Key KeyOfB) {
    const Key Bit = llvm::bit_floor(KeyOfA ^ KeyOfB);
    Ptr Out(new Node(above(KeyOfA, Bit), T(), Bit));
    Out->side(KeyOfA) = std::move(A);
    Out->side(KeyOfB) = std::move(B);
    return Out;
  }
  /// \p N, or a copy if others see it, too.
  static Ptr own(Ptr N) {
    return N->UseCount() == 1 ? std::move(N) : Ptr(new Node(*N));
  }

  static Ptr set(Ptr N, Key K, T Value) {
    if (!N)
      return Ptr(new Node(K, std::move(Value)));
    if (N->isLeaf() ? N->Prefix != K : !N->holds(K)) {
      const Key Of = N->Prefix;
      return fork(std::move(N), Of, Ptr(new Node(K, std::move(Value))), K);
    }
    if (N->isLeaf() && N->Value == Value)
      return N;
    N = own(std::move(N));
    if (N->isLeaf())
      N->Value = std::move(Value);
    else
      N->side(K) = set(std::move(N->side(K)), K, std::move(Value));
    return N;
  }

  static Ptr erase(Ptr N, Key K) {
    if (N->isLeaf())
      return nullptr;
    N = own(std::move(N));
    Ptr &Side = N->side(K);
    Side = erase(std::move(Side), K);
    return Side ? N : (K & N->Bit ? N->Zero : N->One);
  }

  template <typename Callback> static void visit(const Node *N, Callback &V) {
    if (!N)
      return;
    if (N->isLeaf())
      return V(N->Prefix, N->Value);
    visit(N->Zero.get(), V);
    visit(N->One.get(), V);
  }

  template <typename Callback>
  static void compare(const Node *A, const Node *B, Callback &V) {
    const auto Only = [&](const Node *N, bool OfA) {
      const auto Each = [&](Key K, const T &X) {
        OfA ? V(K, &X, nullptr) : V(K, nullptr, &X);
      };
      visit(N, Each);
    };
    if (A == B)
      return;
    if (!A || !B)
      return Only(A ? A : B, A != nullptr);
    if (A->Bit == B->Bit && A->Prefix == B->Prefix) {
      if (A->isLeaf()) {
        if (!(A->Value == B->Value))
          V(A->Prefix, &A->Value, &B->Value);
        return;
      }
      compare(A->Zero.get(), B->Zero.get(), V);
      compare(A->One.get(), B->One.get(), V);
    } else if (A->Bit > B->Bit && A->holds(B->Prefix)) {
      const bool One = B->Prefix & A->Bit;
      compare(A->Zero.get(), One ? nullptr : B, V);
      compare(A->One.get(), One ? B : nullptr, V);
    } else if (B->Bit > A->Bit && B->holds(A->Prefix)) {
      const bool One = A->Prefix & B->Bit;
      compare(One ? nullptr : A, B->Zero.get(), V);
      compare(One ? A : nullptr, B->One.get(), V);
    } else {
      Only(A->Prefix < B->Prefix ? A : B, A->Prefix < B->Prefix);
      Only(A->Prefix < B->Prefix ? B : A, A->Prefix >= B->Prefix);
    }
  }

  Ptr Root;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_DOMAIN_PERSISTENTMAP_H
