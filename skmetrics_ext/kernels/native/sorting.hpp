// Sort of packed (score, class) elements: one distribution into buckets that fit the first
// cache, each of which is then finished by itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

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

// Runs shorter than this, a power of two, are sorted by insertion.
constexpr std::size_t insertion_limit = 16;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
constexpr bool low_bits_first = false;
#else
constexpr bool low_bits_first = true;
#endif

// Sizes of buckets, and then where each starts. Several are read as one integer, whose sums one
// multiplication finds.
template <class T>
class Counters {
 public:
  static constexpr std::size_t lanes = sizeof(u64) / sizeof(T);

  // In memory for `padded(count)` of them.
  static constexpr std::size_t padded(std::size_t count) {
    return (count + lanes - 1) / lanes * lanes;
  }
  Counters(T* places, std::size_t count) : places_(places), count_(count) {
    std::fill_n(places, padded(count), T{0});
  }

  std::size_t count() const { return count_; }
  T& operator[](std::size_t bucket) { return places_[bucket]; }

  // From sizes to starts. Returns the sizes or-ed: none is larger, or has a bit that this has not.
  std::size_t to_starts() {
    u64 before = 0, sizes = 0;
    for (std::size_t b = 0; b < count_; b += lanes) {
      u64 word;
      std::memcpy(&word, places_ + b, sizeof word);
      sizes |= word;
      // In each lane the sum of all up to it: no lane overflows into the next.
      const u64 sums = low_bits_first ? word * every : sums_from_high(word);
      word = (low_bits_first ? sums << bits : sums >> bits) + before * every;
      before += low_bits_first ? sums >> (64 - bits) : sums & most;
      std::memcpy(places_ + b, &word, sizeof word);
    }
    for (int width = 32; width >= bits; width /= 2) sizes |= sizes >> width;
    return static_cast<std::size_t>(sizes & most);
  }

 private:
  static constexpr int bits = 8 * sizeof(T);
  static constexpr u64 most = std::numeric_limits<T>::max();
  static constexpr u64 every = ~u64{0} / most;  // 1 in each lane

  static u64 sums_from_high(u64 word) {
    for (int width = bits; width < 64; width *= 2) word += word >> width;
    return word;
  }

  T* places_;
  std::size_t count_;
};

// Sorts `data` into `spare`; `low` and `high` are the lowest and the highest key. T counts to n.
template <class T, class E>
void sort_by_bits(const E* data, E* spare, std::size_t n, u64 low, u64 high) {
  constexpr int most_bits = 13;
  const int shift = std::max(bit_length(high - low) - std::min(bit_length(n) + 2, most_bits), 0);
  const auto bucket = [=](const E& element) {
    return static_cast<std::size_t>((key_of(element) - low) >> shift);
  };
  T places[std::size_t{1} << most_bits];
  Counters<T> ends(places, static_cast<std::size_t>((high - low) >> shift) + 1);
  for (std::size_t i = 0; i < n; ++i) ++ends[bucket(data[i])];
  const std::size_t sizes = ends.to_starts();
  for (std::size_t i = 0; i < n; ++i) spare[ends[bucket(data[i])]++] = data[i];
  // Where all are short one pass over everything is faster than a loop for each.
  if (sizes < insertion_limit) return insertion_sort(spare, n);
  std::size_t start = 0;
  for (std::size_t b = 0; b < ends.count(); ++b) {
    const std::size_t size = ends[b] - start;
    if (size < insertion_limit) {
      insertion_sort(spare + start, size);
    } else {
      std::sort(spare + start, spare + start + size, ByKey{});
    }
    start += size;
  }
}

// Sorts a bucket there or into `spare`; returns where. Elements whose keys differ in the class
// alone may stay as they are.
template <class E>
E* sort_bucket(E* data, E* spare, std::size_t n, int code_bits) {
  if (n < insertion_limit) {
    insertion_sort(data, n);
    return data;
  }
  u64 low[2] = {key_of(data[0]), key_of(data[0])}, high[2] = {low[0], low[0]};
  for (std::size_t i = n % 2; i < n; i += 2) {  // two chains, which do not wait for each other
    for (std::size_t lane = 0; lane < 2; ++lane) {
      low[lane] = std::min(low[lane], key_of(data[i + lane]));
      high[lane] = std::max(high[lane], key_of(data[i + lane]));
    }
  }
  low[0] = std::min(low[0], low[1]);
  high[0] = std::max(high[0], high[1]);
  if (low[0] >> code_bits == high[0] >> code_bits) return data;
  if (n <= std::numeric_limits<std::uint16_t>::max()) {
    sort_by_bits<std::uint16_t>(data, spare, n, low[0], high[0]);
  } else {
    sort_by_bits<std::uint32_t>(data, spare, n, low[0], high[0]);
  }
  return spare;
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
  // Rounding is monotone in each step, so a lower score has the same bucket or a later one. A score
  // that was not there when the range was found has some bucket, too.
  std::size_t by_distance(S score) const {
    return static_cast<std::uint32_t>((high_ - static_cast<double>(score)) * factor_) & (count_ - 1);
  }
  std::size_t by_key(S score) const {
    return static_cast<std::size_t>(map_(score) >> shift_) & (count_ - 1);
  }

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

  KeyMap<S> map_;
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

// Sorted elements.
template <class E>
struct Run {
  const E* begin = nullptr;
  const E* end = nullptr;
};

// Packed scores in buckets, those with the highest first. Fewer than 2^32 of them.
template <class E>
class Distribution {
 public:
  // `pack(row, seen)` adds the bits that occur in codes to `seen`. The scores are
  // read twice: where they have changed in between, rows are put at up to n places past the start
  // of their bucket, and others are left as they were.
  template <class S, class Pack>
  Distribution(const Column<S>& scores, std::size_t n, const KeyMap<S>& map, Pack pack)
      : data_(Slot::first, n, 2), n_(n),
        places_(Slot::table, Counters<std::uint32_t>::padded(std::size_t{1} << bucket_bits(n))),
        ends_(places_.data(), std::size_t{1} << bucket_bits(n)) {
    if (n == 0) return;
    const Buckets<S> bucket(map, scores, n, bucket_bits(n));
    const bool uncached = n > prefetched_rows;
    // Not members: the compiler keeps these in registers.
    E* const data = data_.data();
    Counters<std::uint32_t> ends = ends_;
    u64 seen = 0;
    for (std::size_t i = 0; i < n; ++i) {
      fetch_ahead(scores.at(i), uncached);
      ++ends[bucket(scores[i])];
    }
    sizes_ = ends.to_starts();
    if (sizes_ >= insertion_limit) spare_.emplace(Slot::second, sizes_);
    for (std::size_t i = 0; i < n; ++i) {
      fetch_ahead(scores.at(i), uncached);
      data[ends[bucket(scores[i])]++] = pack(i, seen);
    }
    seen_ = seen;
  }

  u64 seen() const { return seen_; }

  // The next rows in order, the highest scores first and equal ones in one run; none after the
  // last. Valid until the next call, and faster than to have all rows in order.
  Run<E> next_run(int code_bits) {
    // Of few rows a bucket has too few for a run of its own.
    if (sizes_ < insertion_limit || n_ <= one_level) return sort_all(code_bits);
    while (bucket_ < ends_.count()) {
      const std::size_t start = start_, end = ends_[bucket_++];
      if (end == start) continue;
      if (!is_bucket(start, end)) break;
      start_ = end;
      const E* sorted = sort_bucket(data_.data() + start, spare_->data(), start_ - start, code_bits);
      return {sorted, sorted + (start_ - start)};
    }
    return {};
  }

  // All rows in order, once.
  Run<E> sort_all(int code_bits) {
    if (start_ == n_) return {};
    E* const data = data_.data();
    if (sizes_ < insertion_limit) insertion_sort(data, n_);
    std::size_t start = start_;
    for (std::size_t b = bucket_; sizes_ >= insertion_limit && start < n_ && b < ends_.count(); ++b) {
      E* const place = data + start;
      const std::size_t end = ends_[b], size = end - start;
      if (size >= 2) {
        if (!is_bucket(start, end)) break;
        const E* sorted = sort_bucket(place, spare_->data(), size, code_bits);
        if (sorted != place) std::copy_n(sorted, size, place);
      }
      start = end;
    }
    start_ = n_;
    return {data, data + n_};
  }

 private:
  // Whether a bucket may end there; where scores have changed meanwhile, it may not.
  bool is_bucket(std::size_t start, std::size_t end) const {
    return end - start <= sizes_ && end <= n_;
  }

  Scratch<E> data_;
  std::size_t n_;
  Scratch<std::uint32_t> places_;
  Counters<std::uint32_t> ends_;
  std::optional<Scratch<E>> spare_;
  std::size_t sizes_ = 0;  // or-ed
  u64 seen_ = 0;
  std::size_t bucket_ = 0, start_ = 0;  // of the next run
};

}  // namespace skm
