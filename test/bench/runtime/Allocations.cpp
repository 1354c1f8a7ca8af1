// operator new, counted.

#include "Pairs.h"

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<long> Counted{0};

long spmd::bench::allocations() { return Counted; }

void *operator new(std::size_t Bytes) {
  Counted.fetch_add(1, std::memory_order_relaxed);
  if (void *Of = std::malloc(Bytes ? Bytes : 1))
    return Of;
  throw std::bad_alloc();
}
void operator delete(void *Of) noexcept { std::free(Of); }
void operator delete(void *Of, std::size_t) noexcept { std::free(Of); }
