// What needs no Python: the rankings of the native kernels beside sums made one row at a time.
#include <cstdio>
#include <map>
#include <random>
#include <vector>

#include "ranks.hpp"

using namespace skm;

// Starts of buckets, and what their sizes have in common, for sizes that come several to a word.
template <class T>
bool starts_are_sums() {
  std::mt19937 draw(1);
  for (int round = 0; round < 500; ++round) {
    const std::size_t count = 1 + draw() % 70;
    std::vector<T> memory(Counters<T>::padded(count));
    Counters<T> places(memory.data(), count);
    std::vector<std::size_t> sizes(count);
    std::size_t bits = 0, start = 0;
    for (std::size_t b = 0; b < count; ++b) {
      sizes[b] = draw() % (round % 3 ? 5 : 900);
      places[b] = static_cast<T>(sizes[b]);
      bits |= sizes[b];
    }
    if (places.to_starts() != bits) return false;
    for (std::size_t b = 0; b < count; start += sizes[b++]) {
      if (places[b] != start) return false;
    }
  }
  return true;
}

bool wins_are_pairs(std::size_t n, bool tied) {
  std::mt19937_64 draw(n);
  std::normal_distribution<double> normal;
  std::vector<double> scores(n);
  std::vector<i64> codes(n);
  std::map<double, std::array<i64, 2>> rows;  // of both classes, the lowest score first
  for (std::size_t i = 0; i < n; ++i) {
    codes[i] = draw() % 3 == 0;
    scores[i] = normal(draw) + static_cast<double>(codes[i]);
    if (tied) scores[i] = std::round(scores[i] * 8) / 8;
    ++rows[scores[i]][static_cast<std::size_t>(codes[i])];
  }
  i64 below = 0, twice = 0;
  for (const auto& [score, own] : rows) {
    twice += own[1] * (2 * below + own[0]);
    below += own[0];
  }
  const auto found = ranked<Wins<i64>>(Column<double>{scores.data(), 1}, codes.data(), n,
                                       Unweighted{});
  return found && (*found)[0] == twice;
}

int main() {
  bool right = starts_are_sums<std::uint16_t>() && starts_are_sums<std::uint32_t>();
  for (const std::size_t n : {1, 2, 17, 100, 3000, 40000, 100000}) {
    for (const bool tied : {false, true}) right = right && wins_are_pairs(n, tied);
  }
  std::puts(right ? "right" : "wrong");
}
