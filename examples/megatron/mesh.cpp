#include "mesh.h"

namespace megatron {

Parallel place(const spmd::Mesh &mesh) {
  Parallel parallel;
  parallel.dp = mesh.axis("dp");
  parallel.tp = mesh.axis("tp");
  return parallel;
}

} // namespace megatron
