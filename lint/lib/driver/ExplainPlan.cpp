//===- ExplainPlan.cpp - --explain-plan -----------------------------------===//

#include "ExplainPlan.h"

#include "spmd/planner/Explain.h"
#include "spmd/types/AxisAlgebra.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace spmd;
using namespace spmd::lint;

/// "the spec '…': column 8: …"
static Error inPayload(StringRef What, StringRef Payload, Error E) {
  std::string Text;
  handleAllErrors(
      std::move(E),
      [&](const rules::PayloadError &P) {
        Text = "column " + std::to_string(P.Offset + 1) + ": " + P.Message;
      },
      [&](const ErrorInfoBase &Other) { Text = Other.message(); });
  return createStringError(What + " '" + Payload + "': " + Text);
}

/// With links of bytes, not elements: what a tensor has is not known yet.
static Expected<planner::DeviceMesh>
meshOf(const Options &O, ConfigLoader &Configs, rules::MeshSpec &Spec) {
  std::shared_ptr<const Config> Configured;
  if (!O.Mesh.empty()) {
    Expected<rules::MeshSpec> Parsed = rules::parseMesh(O.Mesh);
    if (!Parsed)
      return inPayload("the mesh", O.Mesh, Parsed.takeError());
    Spec = std::move(*Parsed);
  } else {
    auto Cfg = Configs.loadHere();
    if (!Cfg)
      return Cfg.takeError();
    Spec = (*Cfg)->mesh();
    Configured = *Cfg;
  }
  if (Spec.Axes.empty())
    return createStringError("--explain-plan needs a mesh with sizes, as in "
                             "--mesh=dp=2,tp=4, or Mesh in .spmd-tidy");
  Expected<planner::DeviceMesh> M = planner::meshOf(Spec);
  if (!M || !Configured)
    return M;
  const StringMap<planner::Link> Links = Configured->links();
  for (planner::DeviceMesh::Axis &A : M->All)
    if (auto It = Links.find(A.Name); It != Links.end())
      A.Own = It->second;
  return M;
}

struct Located {
  planner::Layout Where;
  planner::TensorSizes Sizes;
  std::string DType;
};

static Expected<Located> locate(StringRef Payload, const planner::DeviceMesh &M,
                                const rules::MeshSpec &Spec) {
  Expected<rules::TypeSpec> T = rules::parseTypeSpec(Payload);
  if (!T)
    return inPayload("the spec", Payload, T.takeError());
  T = rules::withParts(*T, Spec);
  Expected<planner::Layout> L = planner::layoutOf(*T, M);
  if (!L)
    return inPayload("the spec", Payload, L.takeError());
  Expected<planner::TensorSizes> S = planner::TensorSizes::of(*T, M);
  if (!S)
    return inPayload("the spec", Payload, S.takeError());
  return Located{std::move(*L), std::move(*S), T->Global->DType};
}

Error spmd::lint::explainPlan(const Options &O, ConfigLoader &Configs,
                              raw_ostream &OS) {
  if (O.Inputs.size() != 1)
    return createStringError("--explain-plan takes two specs, as in "
                             "--explain-plan 'f32[8@dp]' 'f32[8@tp]'");
  rules::MeshSpec Spec;
  Expected<planner::DeviceMesh> M = meshOf(O, Configs, Spec);
  if (!M)
    return M.takeError();
  Expected<Located> From = locate(O.ExplainPlan, *M, Spec);
  if (!From)
    return From.takeError();
  Expected<Located> To = locate(O.Inputs[0], *M, Spec);
  if (!To)
    return To.takeError();
  if (!(From->Sizes == To->Sizes) || From->DType != To->DType)
    return createStringError("the specs are of different tensors: '" +
                             O.ExplainPlan + "' and '" + O.Inputs[0] + "'");
  const int ElementSize = planner::elementSize(From->DType);
  for (planner::DeviceMesh::Axis &A : M->All)
    if (A.Own)
      A.Own->PerElement *= ElementSize;
  const planner::Link Everywhere = {Config::DefaultLatency * 1e-6,
                                    ElementSize * 1e-9 /
                                        Config::DefaultBandwidth};
  OS << planner::explainRedistribution(From->Where, To->Where, From->Sizes, *M,
                                       ElementSize, Everywhere);
  return Error::success();
}
