// Rows drawn with replacement, and the areas under the ROC curve of what was drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "keys.hpp"

namespace skm {

// NumPy's interface to a bit generator (numpy/random/bitgen.h).
struct BitGenerator {
  void* state;
  u64 (*next_u64)(void*);
  std::uint32_t (*next_u32)(void*);
  double (*next_double)(void*);
  u64 (*next_raw)(void*);
};

// `count` integers below `n`, each as likely as any other (Lemire 2019): from the low half of a
// word, then its high half; what is left of the last word is not used.
template <class Take>
void draw(const BitGenerator& bits, std::uint32_t n, std::size_t count, Take take) {
  const std::uint32_t refused = (0u - n) % n;
  for (std::size_t drawn = 0; drawn < count;) {
    u64 word = bits.next_raw(bits.state);
    for (int half = 0; half < 2 && drawn < count; ++half, word >>= 32) {
      const u64 product = (word & 0xFFFFFFFFu) * n;
      if (static_cast<std::uint32_t>(product) < refused) continue;
      take(static_cast<std::uint32_t>(product >> 32));
      ++drawn;
    }
  }
}

// Rows in rising order of their scores: the class of each, and where the rows of its score end.
struct RankedRows {
  std::size_t mark(std::size_t i) const { return static_cast<std::size_t>(read_once(marks + i)) & 1; }
  const i64* marks;
  const i64* group;
  std::size_t n;
};

// Per draw: twice the pairs ranked rightly, ties half; negatives; positives.
inline void resampled_wins(const BitGenerator& bits, const RankedRows& rows, std::size_t n_draws,
                           bool stratified, i64* wins, i64* negative, i64* positive) {
  std::vector<std::uint32_t> counts(rows.n);
  std::vector<std::uint32_t> members[2];
  bool ties = false;
  for (std::size_t i = 0; i < rows.n; ++i) {
    members[rows.mark(i)].push_back(static_cast<std::uint32_t>(i));
    ties = ties || (i > 0 && rows.group[i] == rows.group[i - 1]);
  }
  for (std::size_t d = 0; d < n_draws; ++d) {
    std::fill(counts.begin(), counts.end(), 0);
    if (stratified) {
      for (const auto& own : members) {
        if (own.empty()) continue;
        draw(bits, static_cast<std::uint32_t>(own.size()), own.size(),
             [&](std::uint32_t i) { ++counts[own[i]]; });
      }
    } else {
      draw(bits, static_cast<std::uint32_t>(rows.n), rows.n,
           [&](std::uint32_t i) { ++counts[i]; });
    }
    u64 won = 0, below = 0, above = 0;
    if (!ties) {
      for (std::size_t i = 0; i < rows.n; ++i) {
        const u64 own = counts[i], right = own & (0 - static_cast<u64>(rows.marks[i]));
        won += right * below;
        above += right;
        below += own - right;
      }
      won *= 2;
    } else {
      for (std::size_t i = 0; i < rows.n;) {
        u64 own[2] = {0, 0};
        const i64 group = rows.group[i];
        do {
          own[rows.mark(i)] += counts[i];
          ++i;
        } while (i < rows.n && rows.group[i] == group);
        won += own[1] * (2 * below + own[0]);
        below += own[0];
        above += own[1];
      }
    }
    wins[d] = static_cast<i64>(won);
    negative[d] = static_cast<i64>(below);
    positive[d] = static_cast<i64>(above);
  }
}

// The largest distance of two rows of a matrix (rows, columns), in each column: of the pairs of
// rows that are listed, each in units of its own.
inline void largest_differences(const double* errors, std::size_t columns, const i64* first,
                                const i64* second, const double* scale, std::size_t pairs,
                                double* largest) {
  constexpr std::size_t cached = 256;
  std::fill_n(largest, columns, 0.0);
  for (std::size_t start = 0; start < columns; start += cached) {
    const std::size_t stop = std::min(start + cached, columns);
    for (std::size_t p = 0; p < pairs; ++p) {
      const double* a = errors + static_cast<std::size_t>(first[p]) * columns;
      const double* b = errors + static_cast<std::size_t>(second[p]) * columns;
      const double each = scale[p];
      for (std::size_t i = start; i < stop; ++i) {
        const double away = std::fabs(a[i] - b[i]) * each;
        largest[i] = largest[i] < away ? away : largest[i];
      }
    }
  }
}

}  // namespace skm
