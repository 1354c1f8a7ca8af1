//===- spec.h - Partition specs as values -----------------------*- C++ -*-===//

#ifndef SPMD_SPEC_H
#define SPMD_SPEC_H

#include "spmd/tags.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace spmd {

/// A partition spec, in the grammar of annotations, put together by code:
///
///     Spec().dim(8, {"dp"}).dim(16).on("tp", P)      "[8@dp, 16]{tp: P}"
///
/// Functions that take a spec take its text just as well.
class Spec {
public:
  Spec() = default;

  /// One more dim, of \p Size elements over all ranks, cut by \p Axes,
  /// outermost first, as torch.chunk cuts.
  Spec &dim(std::int64_t Size, std::initializer_list<const char *> Axes = {}) {
    return add(std::to_string(Size), Axes);
  }
  /// One more dim, as large as the tensor's; cut evenly.
  Spec &dim(std::initializer_list<const char *> Axes = {}) {
    return add("_", Axes);
  }
  /// What the values are on \p Axis, which cuts no dim: R, I, V or P.
  template <class Tag> Spec &on(const std::string &Axis, Tag) {
    static_assert(std::is_empty<Tag>::value,
                  "spmd: say which dim the axis cuts by dim(size, {axis}): of "
                  "an axis on none it is R, I, P or V");
    if (Text.back() == '}')
      Text.pop_back();
    Text += Text.back() == ']' ? "{" : ", ";
    Text += Axis + ": " + rules::letter(Tag::Type) + "}";
    return *this;
  }

  const std::string &str() const { return Text; }
  operator std::string_view() const { return Text; }

private:
  Spec &add(const std::string &Extent,
            std::initializer_list<const char *> Axes) {
    std::string Dim = Text.find(']') == 1 ? "" : ", ";
    Dim += Extent;
    const char *Before = Axes.size() > 1 ? "@(" : "@";
    for (const char *Axis : Axes) {
      Dim += Before + std::string(Axis);
      Before = ",";
    }
    Text.insert(Text.find(']'), Dim + (Axes.size() > 1 ? ")" : ""));
    return *this;
  }

  std::string Text = "[]";
};

/// The spec of the gradient of a tensor of spec \p Of: R and P change places, I
/// and V stay. Backward of redistribute(x, mesh, src, dst) is redistribute(g,
/// mesh, dual(dst), dual(src)).
std::string dual(std::string_view Of);

} // namespace spmd

#endif // SPMD_SPEC_H
