#include "plot.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace megatron {
namespace {

constexpr double width = 720, height = 400;
constexpr double left = 60, right = 20, top = 40, bottom = 50;
constexpr int about_ticks = 6;

std::string format(const char *pattern, ...) {
  char text[512];
  va_list values;
  va_start(values, pattern);
  std::vsnprintf(text, sizeof text, pattern, values);
  va_end(values);
  return text;
}

/// One direction of the picture: numbers from low to high lie between two
/// places.
struct Scale {
  double low, high, from, to;

  double at(double value) const {
    return from + (value - low) / (high - low) * (to - from);
  }

  /// 1, 2 or 5 times a power of ten.
  double tick() const {
    const double rough = (high - low) / about_ticks;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (double step : {1.0, 2.0, 5.0})
      if (rough <= step * power)
        return step * power;
    return 10 * power;
  }
};

std::string escape(const std::string &text) {
  std::string safe;
  for (char c : text)
    safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return safe;
}

std::string horizontal_lines(const Scale &y) {
  std::string svg;
  for (double v = std::ceil(y.low / y.tick()) * y.tick(); v <= y.high;
       v += y.tick())
    svg += format("<path class='grid' d='M%g %.1fH%g'/>"
                  "<text x='%g' y='%.1f' text-anchor='end'>%.6g</text>\n",
                  left, y.at(v), width - right, left - 8, y.at(v) + 4, v);
  return svg;
}

std::string step_numbers(const Scale &x) {
  std::string svg;
  for (double v = std::ceil(x.low / x.tick()) * x.tick(); v <= x.high;
       v += std::max(1.0, x.tick()))
    svg += format("<text x='%.1f' y='%g' text-anchor='middle'>%.0f</text>\n",
                  x.at(v), height - bottom + 20, v);
  return svg;
}

} // namespace

std::string plot_losses(const History &history, const std::string &title) {
  Scale x = {0, 1, left, width - right}, y = {0, 1, height - bottom, top};
  std::string points;
  if (!history.empty()) {
    const auto [least, most] = std::minmax_element(
        history.begin(), history.end(),
        [](const Entry &a, const Entry &b) { return a.loss < b.loss; });
    const double margin = std::max(1e-6, (most->loss - least->loss) * 0.05);
    y.low = least->loss - margin;
    y.high = most->loss + margin;
    x.low = double(history.front().step);
    x.high = std::max(x.low + 1, double(history.back().step));
  }
  for (const Entry &entry : history)
    points += format("%.1f,%.1f ", x.at(double(entry.step)), y.at(entry.loss));

  return format("<svg xmlns='http://www.w3.org/2000/svg' width='%g' "
                "height='%g' viewBox='0 0 %g %g'>\n",
                width, height, width, height) +
         "<style>text { font: 12px sans-serif } path.grid { stroke: #ddd } "
         "polyline { fill: none; stroke: #1f5fa8; stroke-width: 1.5 }</style>\n"
         "<rect width='100%' height='100%' fill='white'/>\n" +
         format("<text x='%g' y='24'>", left) + escape(title) + "</text>\n" +
         horizontal_lines(y) + step_numbers(x) +
         format("<text x='%g' y='%g' text-anchor='middle'>step</text>\n",
                (left + width - right) / 2, height - 10) +
         "<polyline points='" + points + "'/>\n</svg>\n";
}

} // namespace megatron
