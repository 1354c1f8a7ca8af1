//===- SpmdTidyModule.cpp - Registering our checks with clang-tidy --------===//

#include "SpmdCheck.h"

#include "clang-tidy/ClangTidyModule.h"

namespace spmd::lint {

class SpmdTidyModule : public clang::tidy::ClangTidyModule {
public:
  void
  addCheckFactories(clang::tidy::ClangTidyCheckFactories &Factories) override {
    for (const CheckInfo &Info : allChecks())
      Factories.registerCheckFactory(
          Info.Name,
          [](llvm::StringRef Name, clang::tidy::ClangTidyContext *Context) {
            return std::make_unique<SpmdCheck>(Name, Context);
          });
  }

  clang::tidy::ClangTidyOptions getModuleOptions() override {
    clang::tidy::ClangTidyOptions Options;
    Options.WarningsAsErrors = checksThatAreErrors().str();
    return Options;
  }
};

static clang::tidy::ClangTidyModuleRegistry::Add<SpmdTidyModule>
    Register("spmd-module", "the SPMD type system's checks");

} // namespace spmd::lint
