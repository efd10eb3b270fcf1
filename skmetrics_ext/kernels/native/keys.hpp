// Scores as unsigned integers in reverse order: the highest score has the smallest key.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace skm {

using i64 = std::int64_t;
using u64 = std::uint64_t;

// Integer with the order of the float; both zeros are 0.
inline i64 image(double value) {
  i64 bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits >= 0 ? bits : std::numeric_limits<i64>::min() - bits;
}
inline i64 image(float value) {
  std::int32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits >= 0 ? bits : i64{std::numeric_limits<std::int32_t>::min()} - bits;
}
inline i64 image(i64 value) { return value; }

inline void from_image(i64 image_, double& value) {
  const i64 bits = image_ >= 0 ? image_ : std::numeric_limits<i64>::min() - image_;
  std::memcpy(&value, &bits, sizeof value);
}
inline void from_image(i64 image_, float& value) {
  const auto bits = static_cast<std::int32_t>(
      image_ >= 0 ? image_ : i64{std::numeric_limits<std::int32_t>::min()} - image_);
  std::memcpy(&value, &bits, sizeof value);
}
inline void from_image(i64 image_, i64& value) { value = image_; }

// What lies there now. Another thread of Python may write into the arrays during a call, so what
// decides about a place in memory is read once, or bounded where it is used.
template <class T>
T read_once(const T* at) {
  return *static_cast<const volatile T*>(at);
}

// A column of scores, whatever the distance between its rows.
template <class S>
struct Column {
  const S* data;
  std::ptrdiff_t stride;  // in elements
  const S* at(std::size_t i) const { return data + static_cast<std::ptrdiff_t>(i) * stride; }
  S operator[](std::size_t i) const { return *at(i); }
};

// How the scores of a column become keys that leave `code_bits` bits free, or `fits` is false.
//
// Scores on both sides of 0 and beyond 2 need one bit too many; a power of two brings them into
// reach, exactly unless it makes a denormal.
template <class S>
struct KeyMap {
  bool fits = true;
  double down = 1, up = 1;  // powers of two
  i64 highest = 0;
  u64 range = 0;
  S low = 0, high = 0;

  u64 operator()(S score) const {
    if constexpr (std::is_same_v<S, double>) {
      score *= down;
    }
    return static_cast<u64>(highest) - static_cast<u64>(image(score));
  }

  S score(u64 key) const {
    S value;
    from_image(static_cast<i64>(static_cast<u64>(highest) - key), value);
    if constexpr (std::is_same_v<S, double>) {
      value *= up;
    }
    return value;
  }
};

// Calls `body` with what gives the value of a row; where the rows are dense the compiler knows it,
// and the body becomes vector instructions.
template <class T, class Body>
void over_rows(const Column<T>& values, Body body) {
  if (values.stride == 1) {
    body([data = values.data](std::size_t i) { return data[i]; });
  } else {
    body([&](std::size_t i) { return values[i]; });
  }
}

// Whether no value is infinite or not a number: only then is each less itself 0.
template <class T>
bool all_finite(const Column<T>& values, std::size_t n) {
  bool finite = true;
  if constexpr (std::is_floating_point_v<T>) {
    over_rows(values, [&](auto at) {
      constexpr std::size_t lanes = 8;  // chains that do not wait for each other
      T sums[lanes] = {};
      std::size_t i = 0;
      for (; i + lanes <= n; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += at(i + lane) - at(i + lane);
      }
      for (; i < n; ++i) sums[0] += at(i) - at(i);
      finite = std::all_of(sums, sums + lanes, [](T sum) { return sum == 0; });
    });
  }
  return finite;
}

// Lets `low` and `high` reach the lowest and the highest value; whether all values are finite.
template <class T>
bool widen_range(const Column<T>& values, std::size_t n, T& low, T& high) {
  bool finite = true;
  over_rows(values, [&](auto at) {
    constexpr std::size_t lanes = 4;
    constexpr bool is_float = std::is_floating_point_v<T>;
    T lows[lanes], highs[lanes], sums[lanes] = {};
    std::fill_n(lows, lanes, low);
    std::fill_n(highs, lanes, high);
    for (std::size_t i = 0; i + lanes <= n; i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const T value = at(i + lane);
        lows[lane] = value < lows[lane] ? value : lows[lane];
        highs[lane] = value > highs[lane] ? value : highs[lane];
        if constexpr (is_float) sums[lane] += value;
      }
    }
    for (std::size_t i = n / lanes * lanes; i < n; ++i) {
      const T value = at(i);
      lows[0] = std::min(lows[0], value);
      highs[0] = std::max(highs[0], value);
      if constexpr (is_float) sums[0] += value;
    }
    low = *std::min_element(lows, lows + lanes);
    high = *std::max_element(highs, highs + lanes);
    // A sum of finite values may be infinite, but no other one is finite.
    if constexpr (is_float) {
      finite = std::all_of(sums, sums + lanes, [](T sum) { return std::isfinite(sum); });
    }
  });
  return finite || all_finite(values, n);
}

inline int bit_length(u64 value) {
  int bits = 0;
  while (value) {
    ++bits;
    value >>= 1;
  }
  return bits;
}

// Bits of a code.
inline int bits_for(std::size_t n_classes) {
  return n_classes <= 2 ? 1 : bit_length(static_cast<u64>(n_classes - 1));
}

// Whether all codes are from 0 to `n_classes` - 1. A code has a sign bit outside of them, or what
// it leaves has one.
inline bool are_codes(const i64* codes, std::size_t n, std::size_t n_classes) {
  u64 signs = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto code = static_cast<u64>(codes[i]);
    signs |= code | (static_cast<u64>(n_classes) - 1 - code);
  }
  return signs >> 63 == 0;
}

// A matrix of scores, whatever the distances between its cells.
template <class S>
struct Matrix {
  const S* data;
  std::ptrdiff_t row_stride, column_stride;
  std::size_t rows, columns;
  Column<S> row(std::size_t i) const {
    return {data + static_cast<std::ptrdiff_t>(i) * row_stride, column_stride};
  }
  Column<S> column(std::size_t k) const {
    return {data + static_cast<std::ptrdiff_t>(k) * column_stride, row_stride};
  }
};

// In the order of the memory.
template <class S>
bool all_finite(const Matrix<S>& values) {
  const bool by_row = values.column_stride == 1;
  const std::size_t outer = by_row ? values.rows : values.columns;
  const std::size_t inner = by_row ? values.columns : values.rows;
  for (std::size_t i = 0; i < outer; ++i) {
    if (!all_finite(by_row ? values.row(i) : values.column(i), inner)) return false;
  }
  return true;
}

// Whether no value is changed by being made smaller and larger again.
template <class T>
bool survives(const Column<T>& values, std::size_t n, T down, T up) {
  i64 changed = 0;
  over_rows(values, [&](auto at) {
    for (std::size_t i = 0; i < n; ++i) changed += at(i) * down * up != at(i);
  });
  return changed == 0;
}

template <class S>
KeyMap<S> key_map(const Column<S>& scores, std::size_t n, int code_bits) {
  KeyMap<S> map;
  S low = scores[0], high = scores[0];
  map.fits = widen_range(scores, n, low, high);
  if (!map.fits) return map;
  map.low = low;
  map.high = high;
  map.highest = image(high);
  map.range = static_cast<u64>(map.highest) - static_cast<u64>(image(low));
  if (map.range >> (64 - code_bits) == 0) return map;
  if constexpr (std::is_same_v<S, double>) {
    int exponent;
    std::frexp(-low > high ? -low : high, &exponent);
    if (exponent > 1) {
      map.down = std::ldexp(1.0, 1 - exponent);
      map.up = std::ldexp(1.0, exponent - 1);
      map.fits = survives(scores, n, map.down, map.up);
      map.highest = image(high * map.down);
      map.range = static_cast<u64>(map.highest) - static_cast<u64>(image(low * map.down));
    }
  }
  map.fits = map.fits && map.range >> (64 - code_bits) == 0;
  return map;
}

}  // namespace skm
