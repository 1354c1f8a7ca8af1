#include "mesh.h"

#include "process_group.h"

namespace megatron {

Parallel place(const spmd::Mesh &mesh) {
  Parallel parallel;
  parallel.dp = mesh.axis("dp");
  parallel.tp = mesh.axis("tp");
  parallel.dp_group = c10::make_intrusive<AxisProcessGroup>(parallel.dp);
  parallel.tp_group = c10::make_intrusive<AxisProcessGroup>(parallel.tp);
  return parallel;
}

} // namespace megatron
