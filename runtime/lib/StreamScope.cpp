#include "spmd/stream.h"

#include <utility>

namespace spmd::detail {

static thread_local void *Current = nullptr;
// The null stream is a stream.
static thread_local bool HasOne = false;

StreamScope::StreamScope(void *Stream)
    : Before(std::exchange(Current, Stream)),
      HadOne(std::exchange(HasOne, true)) {}

StreamScope::~StreamScope() {
  Current = Before;
  HasOne = HadOne;
}

void *streamOfCall(void *Own) { return HasOne ? Current : Own; }

} // namespace spmd::detail
