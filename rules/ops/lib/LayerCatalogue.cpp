//===- LayerCatalogue.cpp - The layers of libraries -----------------------===//

#include "spmd/ops/LayerCatalogue.h"

#include "spmd/ops/EmbeddedFiles.h"

#include "llvm/Support/YAMLTraits.h"

using namespace spmd::rules;

LLVM_YAML_IS_SEQUENCE_VECTOR(LayerRule)

template <>
struct llvm::yaml::ScalarEnumerationTraits<LayerRule::InitialValues> {
  static void enumeration(IO &In, LayerRule::InitialValues &V) {
    In.enumCase(V, "drawn", LayerRule::InitialValues::Drawn);
    In.enumCase(V, "constant", LayerRule::InitialValues::Constant);
  }
};

template <> struct llvm::yaml::MappingTraits<LayerRule> {
  static void mapping(IO &In, LayerRule &R) {
    In.mapRequired("layers", R.Layers);
    In.mapOptional("op", R.Op);
    In.mapOptional("parameters", R.Parameters);
    In.mapOptional("initial", R.Initial);
  }
};

namespace spmd::rules {

llvm::Error LayerCatalogue::add(llvm::MemoryBufferRef Document) {
  std::vector<LayerRule> Read;
  llvm::yaml::Input In(Document);
  In >> Read;
  if (In.error())
    return llvm::createStringError(In.error(), "%s is no table of layers",
                                   Document.getBufferIdentifier().data());
  for (LayerRule &R : Read) {
    for (const std::string &Name : R.Layers)
      if (!ByName.try_emplace(Name, Rules.size()).second)
        return llvm::createStringError("layer '%s' has two entries",
                                       Name.c_str());
    Rules.push_back(std::move(R));
  }
  return llvm::Error::success();
}

const LayerCatalogue &LayerCatalogue::builtin() {
  static const LayerCatalogue Known = [] {
    LayerCatalogue Out;
    for (const EmbeddedFile &File : embeddedLayerFiles())
      llvm::cantFail(Out.add({File.Text, File.Name}));
    return Out;
  }();
  return Known;
}

const LayerRule *LayerCatalogue::find(llvm::StringRef Layer) const {
  const auto It = ByName.find(Layer);
  return It == ByName.end() ? nullptr : &Rules[It->second];
}

} // namespace spmd::rules
