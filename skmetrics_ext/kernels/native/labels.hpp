// Labels: range, confusion counts, and codes of text by hashing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "keys.hpp"

namespace skm {

// Rows are counted in a few tables at once, so that equal neighbours do not wait for each other.
inline void confusion(const i64* true_, const i64* pred, std::size_t n, std::size_t n_classes,
                      i64* table) {
  const std::size_t cells = n_classes * n_classes;
  constexpr std::size_t ways = 4;
  if (cells > 4096 || n < 4 * cells) {
    for (std::size_t i = 0; i < n; ++i) {
      ++table[static_cast<std::size_t>(true_[i]) * n_classes + static_cast<std::size_t>(pred[i])];
    }
    return;
  }
  std::vector<i64> parts(ways * cells);
  std::size_t i = 0;
  for (; i + ways <= n; i += ways) {
    for (std::size_t w = 0; w < ways; ++w) {
      ++parts[w * cells + static_cast<std::size_t>(true_[i + w]) * n_classes +
              static_cast<std::size_t>(pred[i + w])];
    }
  }
  for (; i < n; ++i) {
    ++parts[static_cast<std::size_t>(true_[i]) * n_classes + static_cast<std::size_t>(pred[i])];
  }
  for (std::size_t w = 0; w < ways; ++w) {
    for (std::size_t c = 0; c < cells; ++c) table[c] += parts[w * cells + c];
  }
}

template <class T>
struct Range {
  T low, high;
};

template <class T>
Range<T> range_of(const Column<T>& values, std::size_t n) {
  T low = values[0], high = values[0];
  widen_range(values, n, low, high);
  return {low, high};
}

// Marks the values that occur; all of them mostly do, and then the first rows tell.
template <class T>
void mark_present(const Column<T>& values, std::size_t n, i64 low, std::vector<char>& present) {
  constexpr std::size_t part = 1 << 12;
  for (std::size_t i = 0; i < n;) {
    const std::size_t stop = std::min(n, i + part);
    for (; i < stop; ++i) present[static_cast<u64>(values[i]) - static_cast<u64>(low)] = 1;
    if (present.size() <= part && std::find(present.begin(), present.end(), 0) == present.end()) {
      return;
    }
  }
}

// Whether no value is infinite or not a number: only then is each less itself 0.
template <class S>
bool all_finite(const S* data, std::size_t n) {
  constexpr std::size_t lanes = 8;  // chains that do not wait for each other
  S sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += data[i + lane] - data[i + lane];
  }
  for (; i < n; ++i) sums[0] += data[i] - data[i];
  return std::all_of(sums, sums + lanes, [](S sum) { return sum == 0; });
}

// Text of fixed width, four bytes a character, filled up with zeros.
struct TextColumn {
  const std::uint32_t* data;
  std::size_t n, width;
  std::ptrdiff_t stride;  // in characters
  const std::uint32_t* row(std::size_t i) const {
    return data + static_cast<std::ptrdiff_t>(i) * stride;
  }
};

// Distinct texts in the order of their first rows; every row is compared with the text of its
// slot, so a collision costs time and nothing else.
class TextCodes {
 public:
  TextCodes() : slots_(1 << 10) {}

  void add(const TextColumn& column, i64* codes) {
    for (std::size_t i = 0; i < column.n; ++i) codes[i] = code(column.row(i), column.width);
  }

  // Per distinct text: its characters and how many.
  struct Text {
    const std::uint32_t* data;
    std::size_t length;
    u64 hash;
  };
  const std::vector<Text>& texts() const { return texts_; }

 private:
  i64 code(const std::uint32_t* row, std::size_t width) {
    std::size_t length = width;
    while (length > 0 && row[length - 1] == 0) --length;
    u64 hash = length;
    std::size_t c = 0;
    for (; c + 2 <= length; c += 2) {
      u64 word;
      std::memcpy(&word, row + c, sizeof word);
      hash = (hash ^ word) * multiplier;
      hash ^= hash >> 32;
    }
    if (c < length) hash = (hash ^ row[c]) * multiplier;
    hash ^= hash >> 29;
    std::size_t mask = slots_.size() - 1, at = hash & mask;
    while (slots_[at]) {
      const Text& text = texts_[slots_[at] - 1];
      if (text.hash == hash && text.length == length &&
          std::memcmp(text.data, row, length * sizeof *row) == 0) {
        return slots_[at] - 1;
      }
      at = (at + 1) & mask;
    }
    texts_.push_back({row, length, hash});
    slots_[at] = static_cast<std::uint32_t>(texts_.size());
    if (2 * texts_.size() > slots_.size()) grow();
    return static_cast<i64>(texts_.size()) - 1;
  }

  void grow() {
    std::vector<std::uint32_t> larger(2 * slots_.size());
    const std::size_t mask = larger.size() - 1;
    for (std::size_t t = 0; t < texts_.size(); ++t) {
      std::size_t at = texts_[t].hash & mask;
      while (larger[at]) at = (at + 1) & mask;
      larger[at] = static_cast<std::uint32_t>(t + 1);
    }
    slots_ = std::move(larger);
  }

  static constexpr u64 multiplier = 0x9E3779B97F4A7C15;
  std::vector<std::uint32_t> slots_;
  std::vector<Text> texts_;
};

}  // namespace skm
