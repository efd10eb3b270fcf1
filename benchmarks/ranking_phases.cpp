// Where the time of a native ranking goes: the phases of one area under the ROC curve.
//
//     g++ -O3 -std=c++17 -Iskmetrics_ext/kernels/native benchmarks/ranking_phases.cpp -o phases
//     ./phases 1000000
//
// Medians of 15 calls, one after the other ("warm") and each after a pause of 0.3 s ("after a
// pause"), in which caches and branch predictors are lost.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "ranks.hpp"

using namespace skm;
using Clock = std::chrono::steady_clock;

constexpr int rounds = 15;
constexpr const char* phases[] = {"range of the scores", "distribution into buckets",
                                  "sort of the buckets", "reading the pairs"};

double lap(Clock::time_point& start) {
  const auto now = Clock::now();
  const double milliseconds = std::chrono::duration<double, std::milli>(now - start).count();
  start = now;
  return milliseconds;
}

// Milliseconds of each phase; the steps are those of `Ranking` and `read_scores`.
template <class Rows>
std::vector<double> measure(const Column<double>& scores, const i64* codes, std::size_t n,
                            const Rows& rows) {
  using Element = typename Rows::Element;
  using W = typename Rows::Weight;
  std::vector<double> taken;
  auto start = Clock::now();
  const auto map = key_map(scores, n, 1);
  taken.push_back(lap(start));
  Distribution<Element> buckets(scores, n, map, [=](std::size_t i, u64&) {
    return rows.pack(map(scores[i]) << 1 | static_cast<u64>(codes[i]), i);
  });
  taken.push_back(lap(start));
  double sorting = 0, reading = 0;
  Wins<W> wins;
  for (auto run = buckets.next_run(1);; run = buckets.next_run(1)) {
    sorting += lap(start);
    if (run.begin == run.end) break;
    wins = read_run(run, rows, wins);
    reading += lap(start);
  }
  taken.push_back(sorting);
  taken.push_back(reading);
  if (wins.sums()[0] < 0) std::puts("");  // so that nothing is left out
  return taken;
}

template <class Rows>
void report(const char* title, const Column<double>& scores, const i64* codes, std::size_t n,
            const Rows& rows) {
  std::vector<double> medians[2];
  for (int pause = 0; pause < 2; ++pause) {
    std::vector<std::vector<double>> all(std::size(phases));
    for (int round = 0; round < rounds; ++round) {
      if (pause) std::this_thread::sleep_for(std::chrono::milliseconds(300));
      const auto taken = measure(scores, codes, n, rows);
      for (std::size_t p = 0; p < taken.size(); ++p) all[p].push_back(taken[p]);
    }
    for (auto& times : all) {
      std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
      medians[pause].push_back(times[rounds / 2]);
    }
  }
  std::printf("\n| %s, n = %zu | warm | after a pause |\n| --- | --- | --- |\n", title, n);
  double sums[2] = {};
  for (std::size_t p = 0; p < std::size(phases); ++p) {
    std::printf("| %s | %.2f ms | %.2f ms |\n", phases[p], medians[0][p], medians[1][p]);
    for (int pause = 0; pause < 2; ++pause) sums[pause] += medians[pause][p];
  }
  std::printf("| all | %.2f ms | %.2f ms |\n", sums[0], sums[1]);
}

int main(int count, char** arguments) {
  const std::size_t n = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1000000;
  auto* scores = static_cast<double*>(acquire(n * sizeof(double)));  // in large pages, as NumPy's
  auto* weights = static_cast<double*>(acquire(n * sizeof(double)));
  auto* codes = static_cast<i64*>(acquire(n * sizeof(i64)));
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (std::size_t i = 0; i < n; ++i) {
    codes[i] = uniform(generator) < 0.3;
    scores[i] = normal(generator) + 1.2 * static_cast<double>(codes[i]);
    weights[i] = 0.5 + 1.5 * uniform(generator);
  }
  const Column<double> column{scores, 1};
  report("area", column, codes, n, Unweighted{});
  report("weighted area", column, codes, n, Weights<double>{weights});
  release(scores);
  release(weights);
  release(codes);
}
