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
constexpr const char* phases[] = {"range of the scores", "sizes of the buckets", "distribution",
                                  "sort of the buckets", "reading the pairs"};

double lap(Clock::time_point& start) {
  const auto now = Clock::now();
  const double milliseconds = std::chrono::duration<double, std::milli>(now - start).count();
  start = now;
  return milliseconds;
}

// Milliseconds of each phase; the steps are those of `Ranking` and `ranked_wins`.
template <class Rows>
std::vector<double> measure(const Column<double>& scores, const i64* codes, std::size_t n,
                            const Rows& rows) {
  using Element = typename Rows::Element;
  using W = typename Rows::Weight;
  std::vector<double> taken;
  auto start = Clock::now();
  const auto map = key_map(scores, n, 1);
  taken.push_back(lap(start));
  Scratch<Element> data(Slot::first, n);
  const Buckets<double> bucket(map, scores, n, bucket_bits(n));
  Scratch<std::uint32_t> ends(Slot::table, bucket.count());
  std::fill_n(ends.data(), bucket.count(), 0);
  const bool uncached = n > prefetched_rows;
  for (std::size_t i = 0; i < n; ++i) {
    fetch_ahead(scores.at(i), uncached);
    ++ends[bucket(scores[i])];
  }
  const std::uint32_t largest = starts_from_sizes(ends.data(), bucket.count());
  taken.push_back(lap(start));
  for (std::size_t i = 0; i < n; ++i) {
    fetch_ahead(scores.at(i), uncached);
    data[ends[bucket(scores[i])]++] =
        rows.pack(map(scores[i]) << 1 | static_cast<u64>(codes[i]), i);
  }
  taken.push_back(lap(start));
  Scratch<Element> spare(Slot::second, largest);
  finish_buckets(data.data(), n, ends.data(), bucket.count(), largest,
                 [&](Element* run, std::size_t size) { sort_bucket(run, spare.data(), size, 1); });
  taken.push_back(lap(start));
  Sum<W> won, positive;
  for (std::size_t i = 0; i < n;) {
    W own[2] = {};
    fetch_ahead(data.data() + i, uncached);
    const u64 key = key_of(data[i]) >> 1;
    for (; i < n && key_of(data[i]) >> 1 == key; ++i) {
      own[key_of(data[i]) & 1] += rows.weight(data[i]);
    }
    won.add(own[0] * (2 * positive.value() + own[1]));
    positive.add(own[1]);
  }
  taken.push_back(lap(start));
  if (won.value() < 0) std::puts("");  // so that nothing is left out
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
