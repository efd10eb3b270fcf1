// Sort of packed (score, class) elements: one distribution into buckets that fit the first
// cache, each of which is then finished by itself.
#pragma once

#include <algorithm>
#include <cstdint>

#include "keys.hpp"
#include "memory.hpp"

namespace skm {

// What is sorted: the key with the class in its low bits, and the weight if there is one.
template <class W>
struct Weighed {
  u64 key;
  W weight;
};
inline u64 key_of(u64 element) { return element; }
template <class W>
u64 key_of(const Weighed<W>& element) {
  return element.key;
}

struct ByKey {
  template <class E>
  bool operator()(const E& a, const E& b) const {
    return key_of(a) < key_of(b);
  }
};

template <class E>
void insertion_sort(E* data, std::size_t n) {
  for (std::size_t i = 1; i < n; ++i) {
    const E element = data[i];
    std::size_t j = i;
    for (; j > 0 && key_of(element) < key_of(data[j - 1]); --j) data[j] = data[j - 1];
    data[j] = element;
  }
}

// Runs up to this length are sorted by insertion.
constexpr std::size_t insertion_limit = 16;

// From the sizes of the buckets, one place late, their starts; returns the largest size.
inline std::uint32_t starts_from_sizes(std::uint32_t* sizes, std::size_t buckets) {
  std::uint32_t largest = 0, total = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::uint32_t size = sizes[b];
    largest = std::max(largest, size);
    sizes[b] = total;
    total += size;
  }
  return largest;
}

// Sorts elements that already stand in the right buckets, whose ends are given. Where all buckets
// are short one pass over everything is faster than a loop for each.
template <class E, class SortLong>
void finish_buckets(E* data, std::size_t n, const std::uint32_t* ends, std::size_t buckets,
                    std::uint32_t largest, SortLong sort_long) {
  if (largest <= insertion_limit) {
    insertion_sort(data, n);
    return;
  }
  std::uint32_t start = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::uint32_t size = ends[b] - start;
    if (size > insertion_limit) {
      sort_long(data + start, size);
    } else if (size > 1) {
      insertion_sort(data + start, size);
    }
    start = ends[b];
  }
}

// Sorts one bucket. Elements whose keys differ in the class alone may stay as they are.
template <class E>
void sort_bucket(E* data, E* spare, std::size_t n, int code_bits) {
  if (n <= insertion_limit) {
    insertion_sort(data, n);
    return;
  }
  u64 low = key_of(data[0]), high = low;
  for (std::size_t i = 1; i < n; ++i) {
    low = std::min(low, key_of(data[i]));
    high = std::max(high, key_of(data[i]));
  }
  if (low >> code_bits == high >> code_bits) return;
  constexpr int most_bits = 13;
  const int shift = std::max(bit_length(high - low) - std::min(bit_length(n) + 1, most_bits), 0);
  const std::size_t buckets = static_cast<std::size_t>((high - low) >> shift) + 1;
  std::uint32_t ends[1 << most_bits];
  std::fill_n(ends, buckets, 0);
  for (std::size_t i = 0; i < n; ++i) ++ends[(key_of(data[i]) - low) >> shift];
  const std::uint32_t largest = starts_from_sizes(ends, buckets);
  for (std::size_t i = 0; i < n; ++i) spare[ends[(key_of(data[i]) - low) >> shift]++] = data[i];
  finish_buckets(spare, n, ends, buckets, largest,
                 [](E* run, std::size_t size) { std::sort(run, run + size, ByKey{}); });
  std::copy_n(spare, n, data);
}

// Bucket of a score: by its distance from the highest, or by its key where a few scores are far
// from all others. Both orders are that of the keys.
template <class S>
class Buckets {
 public:
  Buckets(const KeyMap<S>& map, const Column<S>& scores, std::size_t n, int bits)
      : map_(map),
        count_(std::size_t{1} << bits),
        shift_(std::max(bit_length(map.range) - bits, 0)) {
    if constexpr (std::is_floating_point_v<S>) {
      high_ = static_cast<double>(map.high);
      const double span = high_ - static_cast<double>(map.low);
      factor_ = static_cast<double>(count_ - 1) / span;
      // Overflow of a span, or of one over a denormal, leaves the keys.
      linear_ = span > 0 && factor_ < 1e300 && span < 1e300;
      if (linear_ && n > 256) linear_ = is_flatter(scores, n);
    }
  }

  std::size_t count() const { return count_; }

  std::size_t operator()(S score) const {
    if constexpr (std::is_floating_point_v<S>) {
      if (linear_) return by_distance(score);
    }
    return by_key(score);
  }

 private:
  // Rounding is monotone in each step, so a lower score has the same bucket or a later one.
  std::size_t by_distance(S score) const {
    return static_cast<std::uint32_t>((high_ - static_cast<double>(score)) * factor_);
  }
  std::size_t by_key(S score) const { return static_cast<std::size_t>(map_(score) >> shift_); }

  // Which of the two spreads a sample over more buckets.
  bool is_flatter(const Column<S>& scores, std::size_t n) const {
    constexpr std::size_t sample = 256;
    std::uint32_t distance[sample], key[sample];
    for (std::size_t i = 0; i < sample; ++i) {
      const S score = scores[i * (n / sample)];
      distance[i] = static_cast<std::uint32_t>(by_distance(score));
      key[i] = static_cast<std::uint32_t>(by_key(score));
    }
    return crowd(distance, sample) <= crowd(key, sample);
  }

  static u64 crowd(std::uint32_t* bucket, std::size_t n) {
    std::sort(bucket, bucket + n);
    u64 squares = 0, run = 0;
    for (std::size_t i = 0; i < n; ++i) {
      run = i && bucket[i] == bucket[i - 1] ? run + 1 : 1;
      squares += run;
    }
    return squares;
  }

  const KeyMap<S>& map_;
  std::size_t count_;
  int shift_;
  bool linear_ = false;
  double high_ = 0, factor_ = 0;
};

// Below, one distribution is enough: its table fits the second cache.
constexpr std::size_t one_level = std::size_t{1} << 15;

inline int bucket_bits(std::size_t n) {
  const int bits = bit_length(n);
  return n <= one_level ? bits : std::clamp(bits - 10, 5, 14);
}

// Sorts the packed scores into `data`, the highest first. Fewer than 2^32 of them. Returns the bits
// that occur in codes, which `pack(row, seen)` adds to `seen`.
template <class E, class S, class Pack>
u64 sort_scores(const Column<S>& scores, std::size_t n, const KeyMap<S>& map, int code_bits,
                 E* data, Pack pack) {
  const Buckets<S> bucket(map, scores, n, bucket_bits(n));
  Scratch<std::uint32_t> ends(Slot::table, bucket.count());
  std::fill_n(ends.data(), bucket.count(), 0);
  const bool uncached = n > prefetched_rows;
  for (std::size_t i = 0; i < n; ++i) {
    fetch_ahead(scores.at(i), uncached);
    ++ends[bucket(scores[i])];
  }
  const std::uint32_t largest = starts_from_sizes(ends.data(), bucket.count());
  u64 seen = 0;
  for (std::size_t i = 0; i < n; ++i) {
    fetch_ahead(scores.at(i), uncached);
    data[ends[bucket(scores[i])]++] = pack(i, seen);
  }
  Scratch<E> spare(Slot::second, largest);
  finish_buckets(data, n, ends.data(), bucket.count(), largest, [&](E* run, std::size_t size) {
    sort_bucket(run, spare.data(), size, code_bits);
  });
  return seen;
}

}  // namespace skm
