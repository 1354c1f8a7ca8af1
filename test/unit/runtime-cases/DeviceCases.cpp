#include "DeviceCases.h"

#include <spmd/async.h>

namespace spmd::test {
namespace {

Axis dp(const Mesh &M) { return M.axis("dp"); }
View as(const View &X, const spmd::Shape &To) {
  return View(X.data(), X.dtype(), To);
}

const std::vector<DeviceCase> Cases = {
    {"all_reduce", [](const Mesh &M, const View &In,
                      const View &Out) { all_reduce(In, Out, dp(M), P, R); }},
    {"all_reduce_mean",
     [](const Mesh &M, const View &In, const View &Out) {
       all_reduce_mean(In, Out, dp(M), P, I);
     }},
    {"all_gather, packed",
     [](const Mesh &M, const View &In, const View &Out) {
       all_gather(as(In, {2, 2}), as(Out, {2, 4}), dp(M), S(1), R);
     }},
    {"all_gather of uneven parts",
     [](const Mesh &M, const View &In, const View &Out) {
       const int Mine = M.rank() ? 5 : 3;
       all_gather(as(In, {Mine}), Out, dp(M), S(0, {3, 5}), R);
     }},
    {"reduce_scatter, packed and strided",
     [](const Mesh &M, const View &In, const View &Out) {
       reduce_scatter(as(In, {4, 2}).transposed(0, 1), as(Out, {2, 2}), dp(M),
                      P, S(1));
     }},
    {"all_to_all, packed",
     [](const Mesh &M, const View &In, const View &Out) {
       all_to_all(as(In, {2, 4}), as(Out, {4, 2}), dp(M), S(0), S(1));
     }},
    {"convert and scale",
     [](const Mesh &M, const View &In, const View &Out) {
       convert(as(In, {2, 2}), as(Out, {2, 4}), dp(M), S(1), P, spmd::expert);
       spmd::scale(as(Out, {2, 4}), dp(M), 3);
     }},
    {"redistribute",
     [](const Mesh &M, const View &In, const View &Out) {
       redistribute(as(In, {2, 4}), as(Out, {4, 2}), M, "[4@dp,4]", "[4,4@dp]");
     }},
    {"started, of two that overlap",
     [](const Mesh &M, const View &In, const View &Out) {
       Work One =
           all_gather_async(as(In, {2, 1}), as(Out, {2, 2}), dp(M), S(1), R);
       const View Rest = as(Out, {8}).slice(0, 4, 8);
       Work Two =
           all_reduce_async(as(In, {8}).slice(0, 4, 8), Rest, dp(M), P, R);
       Two.wait();
       One.wait();
     }},
    {"redistribute, started",
     [](const Mesh &M, const View &In, const View &Out) {
       redistribute_async(as(In, {2, 4}), as(Out, {4, 2}), M, "[4@dp,4]",
                          "[4,4@dp]")
           .wait();
     }},
};

} // namespace

const std::vector<DeviceCase> &deviceCases() { return Cases; }

std::vector<float> operandOf(int Rank, int Times) {
  std::vector<float> X;
  for (int E = 0; E < 8; ++E)
    X.push_back(static_cast<float>((3 * Rank + 5 * Times + E) % 11));
  return X;
}

std::vector<std::vector<float>> onHost(const DeviceCase &C, int Times) {
  const auto Before = set_backend(nullptr);
  std::vector<std::vector<float>> Results(2, std::vector<float>(8));
  run_local(2, [&](int Rank) {
    std::vector<float> X = operandOf(Rank, Times);
    std::vector<float> &Y = Results[static_cast<std::size_t>(Rank)];
    C.Run(Mesh({{"dp", 2}}, Rank), View(X.data(), {8}), View(Y.data(), {8}));
  });
  set_backend(Before);
  return Results;
}

} // namespace spmd::test
