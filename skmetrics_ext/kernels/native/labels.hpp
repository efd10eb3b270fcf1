// Labels: range, confusion counts, and codes of text by hashing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "keys.hpp"

namespace skm {

// Counts in a table of few classes, whose rows and columns are padded to a power of two. Codes that
// are of no class but have no more bits are counted in the padding, and found there in the end.
class SmallTable {
 public:
  static constexpr int most_bits = 6;

  SmallTable(std::size_t n_classes, std::size_t n)
      : k_(n_classes), bits_(bits_for(n_classes)), cells_(std::size_t{1} << 2 * bits_),
        ways_(n < most_ways * cells_ ? 1 : most_ways), counts_(ways_ * cells_) {}

  // False where a code has more bits.
  bool add(const i64* true_, const i64* pred, std::size_t n) {
    const u64 seen = ways_ == 1 ? count<1>(true_, pred, n) : count<most_ways>(true_, pred, n);
    return seen >> bits_ == 0;
  }

  // False where a code was of no class.
  bool read(i64* table) const {
    const std::size_t width = std::size_t{1} << bits_;
    i64 others = 0;
    for (std::size_t c = 0; c < counts_.size(); ++c) {
      const std::size_t row = c % cells_ >> bits_, column = c % width;
      (row < k_ && column < k_ ? table[row * k_ + column] : others) += counts_[c];
    }
    return others == 0;
  }

 private:
  // Rows are counted in a few tables at once, so that equal neighbours do not wait for each other.
  static constexpr std::size_t most_ways = 4;

  // The bits that occur in codes. Those beyond the table count somewhere inside.
  template <std::size_t ways>
  u64 count(const i64* true_, const i64* pred, std::size_t n) {
    i64* const counts = counts_.data();
    const int bits = bits_;
    const std::size_t cells = cells_;
    u64 seen = 0;
    const auto cell = [=, &seen](std::size_t i) {
      const auto row = static_cast<u64>(true_[i]), column = static_cast<u64>(pred[i]);
      seen |= row | column;
      return static_cast<std::size_t>(row << bits | column) & (cells - 1);
    };
    std::size_t i = 0;
    for (; i + ways <= n; i += ways) {
      for (std::size_t w = 0; w < ways; ++w) ++counts[w * cells + cell(i + w)];
    }
    for (; i < n; ++i) ++counts[cell(i)];
    return seen;
  }

  std::size_t k_;
  int bits_;
  std::size_t cells_, ways_;
  std::vector<i64> counts_;
};

// Adds the rows to a table of (true, predicted) classes. False where a code is of no class.
inline bool confusion(const i64* true_, const i64* pred, std::size_t n, std::size_t n_classes,
                      i64* table) {
  if (bits_for(n_classes) <= SmallTable::most_bits) {
    SmallTable counted(n_classes, n);
    return counted.add(true_, pred, n) && counted.read(table);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<u64>(read_once(true_ + i));
    const auto column = static_cast<u64>(read_once(pred + i));
    if (row >= n_classes || column >= n_classes) return false;
    ++table[static_cast<std::size_t>(row) * n_classes + static_cast<std::size_t>(column)];
  }
  return true;
}

template <class T>
struct Range {
  T low, high;
  bool finite;
};

template <class T>
Range<T> range_of(const Column<T>& values, std::size_t n) {
  T low = values[0], high = values[0];
  const bool finite = widen_range(values, n, low, high);
  return {low, high, finite};
}

// Codes of values that occur from the lowest on without a gap.
template <class V>
void widen(const V* values, std::size_t n, i64 low, i64* codes) {
  for (std::size_t i = 0; i < n; ++i) {
    codes[i] = static_cast<i64>(static_cast<u64>(values[i]) - static_cast<u64>(low));
  }
}

// A table over the values of a span. Its length is a power of two, so that a value that was not
// there when the span was found has a place too.
template <class T>
class ByValue {
 public:
  ByValue(i64 low, std::size_t span)
      : low_(static_cast<u64>(low)), places_(std::size_t{1} << bit_length(span - 1)) {}

  // Of a value, an integer of any type.
  template <class V>
  T& operator()(V value) {
    return places_[(static_cast<u64>(value) - low_) & (places_.size() - 1)];
  }
  // Of the value that is so much above the lowest.
  T& operator[](std::size_t distance) { return places_[distance]; }
  auto begin() const { return places_.begin(); }

 private:
  u64 low_;
  std::vector<T> places_;
};

// Marks the values that occur; all of them mostly do, and then the first rows tell.
template <class T>
void mark_present(const Column<T>& values, std::size_t n, std::size_t span,
                  ByValue<char>& present) {
  constexpr std::size_t part = 1 << 12;
  for (std::size_t i = 0; i < n;) {
    const std::size_t stop = std::min(n, i + part);
    for (; i < stop; ++i) present(values[i]) = 1;
    const auto end = present.begin() + static_cast<std::ptrdiff_t>(span);
    if (span <= part && std::find(present.begin(), end, 0) == end) return;
  }
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
