//===- SizeNames.cpp - Names of sizes in contracts ------------------------===//

#include "SizeNames.h"

namespace spmd::rules::inference {

SpecPtr SizeNames::instantiate(const SpecPtr &Declared,
                               const PartitionSpec *Given) {
  if (!Declared)
    return nullptr;
  PartitionSpec Out = *Declared;
  for (unsigned D = 0; D != Out.rank(); ++D) {
    const Extent Was = Out.Dims[D].Size;
    if (const llvm::StringRef Name = Was.asName();
        !Name.empty() && Given && Given->rank() == Out.rank())
      Bound.try_emplace(Name, Given->Dims[D].Size);
    const auto Now = [&](llvm::StringRef Name) -> Extent {
      auto It = Bound.find(Name);
      return It == Bound.end() ? Extent::variable(Name) : It->second;
    };
    Out.Dims[D].Size = Was.substitute(Now);
    Out.Dims[D].Local = Out.Dims[D].Local.substitute(Now);
  }
  return std::make_shared<const PartitionSpec>(std::move(Out));
}

} // namespace spmd::rules::inference
