// Labels: range, confusion counts, and codes of text by hashing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
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

  // Counts values less the lowest of each column. False where such a code has more bits.
  template <class T>
  bool add(const T* true_, const T* pred, std::size_t n, T true_low = 0, T pred_low = 0) {
    const u64 seen = ways_ == 1 ? count<1>(true_, pred, n, true_low, pred_low)
                                : count<most_ways>(true_, pred, n, true_low, pred_low);
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
  template <std::size_t ways, class T>
  u64 count(const T* true_, const T* pred, std::size_t n, T true_low, T pred_low) {
    i64* const counts = counts_.data();
    const int bits = bits_;
    const std::size_t cells = cells_;
    u64 seen = 0;
    const auto cell = [=, &seen](std::size_t i) {
      const u64 row = static_cast<u64>(true_[i]) - static_cast<u64>(true_low);
      const u64 column = static_cast<u64>(pred[i]) - static_cast<u64>(pred_low);
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
using Unsigned = std::conditional_t<
    sizeof(T) == 8, u64,
    std::conditional_t<sizeof(T) == 4, std::uint32_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

// The first value of a column and the first other one, or the same twice: codes 0 and 1. The code
// is computed from the bits of a value, by operations that exist for vectors of its type.
template <class T>
class Pair {
 public:
  using Bits = Unsigned<T>;

  Pair(const T* values, std::size_t n) : first(read_once(values)), second(first) {
    for (std::size_t i = 1; i < n && second == first; ++i) second = read_once(values + i);
    first_ = bits_of(first);
    difference_ = static_cast<Bits>(first_ ^ bits_of(second));
    while (difference_ != 0 && (difference_ >> place_ & 1) == 0) ++place_;
  }

  // Sets bits of `others` where the value is none of the two.
  Bits code(T value, Bits& others) const {
    const auto apart = static_cast<Bits>(bits_of(value) ^ first_);
    if constexpr (sizeof(T) == 8) {
      const Bits code = apart >> place_ & 1;
      others |= apart ^ ((0 - code) & difference_);
      return code;
    }
    const Bits code = apart != 0;
    others = static_cast<Bits>(others | (code & (apart != difference_)));
    return code;
  }

  bool are_whole() const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::isfinite(first) && std::isfinite(second) && std::floor(first) == first &&
             std::floor(second) == second;
    }
    return true;
  }

  T first, second;

 private:
  static Bits bits_of(T value) {
    if constexpr (std::is_floating_point_v<T>) value += 0;  // -0.0 is 0.0
    Bits bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }

  Bits first_, difference_;
  int place_ = 0;  // of a bit in which the two differ
};

// Rows by their codes (2, 2). False where a value has none.
template <class T>
bool count_pairs(const T* true_, const T* pred, std::size_t n, const Pair<T>& of_true,
                 const Pair<T>& of_pred, i64* table) {
  using Bits = Unsigned<T>;
  constexpr std::size_t part = 240;  // rows that one byte counts
  i64 in_true = 0, in_pred = 0, in_both = 0;
  for (std::size_t start = 0; start < n; start += part) {
    const std::size_t stop = std::min(n, start + part);
    Bits second_true = 0, second_pred = 0, both = 0, others = 0;
    for (std::size_t i = start; i < stop; ++i) {
      const Bits row = of_true.code(true_[i], others), column = of_pred.code(pred[i], others);
      second_true = static_cast<Bits>(second_true + row);
      second_pred = static_cast<Bits>(second_pred + column);
      both = static_cast<Bits>(both + (row & column));
    }
    if (others) return false;
    in_true += static_cast<i64>(second_true);
    in_pred += static_cast<i64>(second_pred);
    in_both += static_cast<i64>(both);
  }
  table[3] = in_both;
  table[2] = in_true - in_both;
  table[1] = in_pred - in_both;
  table[0] = static_cast<i64>(n) - in_true - in_pred + in_both;
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
