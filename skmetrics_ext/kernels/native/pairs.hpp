// Pairs of classes that each column of a score matrix ranks rightly.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "ranks.hpp"
#include "threads.hpp"

namespace skm {

// Above so many rows of a class, looking up costs more than sorting the column.
constexpr std::size_t lookup_limit = 50000;
// Classes are looked up together as long as their tables stay in the cache.
constexpr std::size_t cached_rows = 16000;

// The scores of one class, sorted, with a table of where to look for a score.
template <class S, class W>
class ClassScores {
 public:
  // Of a class that has rows, whose ranking fits.
  template <class Rows>
  ClassScores(const SortedRanking<S, Rows>& ranking, std::size_t n) {
    low_ = static_cast<double>(ranking.score(*(ranking.end() - 1)));
    const double span = static_cast<double>(ranking.score(*ranking.begin())) - low_;
    const std::size_t buckets = std::max<std::size_t>(4 * n, 2);
    last_ = static_cast<double>(buckets - 1);
    factor_ = last_ / span;
    if (!(span > 0 && span < 1e300 && factor_ < 1e300)) factor_ = 0;  // one bucket
    start_.assign(buckets + 1, 0);
    values_.reserve(n + probes);
    below_.reserve(n + 1);
    Sum<W> total;
    for (const auto* e = ranking.end(); e != ranking.begin();) {
      --e;
      const S score = ranking.score(*e);
      if (values_.empty() || score != values_.back()) {
        values_.push_back(score);
        below_.push_back(total.value());
        ++start_[bucket(score) + 1];
      }
      total.add(Rows::weight(*e));
    }
    below_.push_back(total.value());
    for (std::size_t b = 1; b <= buckets; ++b) start_[b] += start_[b - 1];
    size_ = values_.size();
    counted_ = size_ == n && std::is_same_v<Rows, Unweighted>;
    values_.insert(values_.end(), probes, greatest);
  }

  // Twice the weight of this class above the score, plus that tied with it.
  W twice_above(S score) const {
    // Scores of later buckets are larger, so that a few more than the bucket's own may be
    // compared, and no branch depends on how many it has.
    const std::uint32_t* bounds = start_.data() + bucket(score);
    const S* first = values_.data() + bounds[0];
    std::size_t at = bounds[0];
    for (std::size_t i = 0; i < probes; ++i) at += first[i] < score;
    if (at - bounds[0] == probes) {
      at = static_cast<std::size_t>(
          std::lower_bound(first + probes, values_.data() + std::max<std::size_t>(bounds[1], at),
                           score) -
          values_.data());
    }
    const bool tied = (values_[at] == score) & (at < size_);
    if (counted_) return static_cast<W>(2 * (size_ - at)) - static_cast<W>(tied);
    return 2 * below_.back() - below_[at] - below_[at + tied];
  }

 private:
  static constexpr std::size_t probes = 3;
  // No score is above it, not even one that has become infinite since it was checked.
  static constexpr S greatest = std::numeric_limits<S>::has_infinity
                                    ? std::numeric_limits<S>::infinity()
                                    : std::numeric_limits<S>::max();

  std::size_t bucket(S score) const {
    const double place = (static_cast<double>(score) - low_) * factor_;
    return static_cast<std::uint32_t>(std::min(std::max(0.0, place), last_));  // 0 for no number
  }

  double low_, last_, factor_;
  std::size_t size_;
  bool counted_;
  std::vector<std::uint32_t> start_;
  std::vector<S> values_;
  std::vector<W> below_;
};

template <class S, class Rows>
class PairWins {
 public:
  using W = typename Rows::Weight;

  // Scores that are finite, and codes of classes, which are the columns.
  PairWins(const Matrix<S>& scores, const i64* codes, const Rows& rows, W* wins)
      : scores_(scores), codes_(codes), n_(scores.rows), k_(scores.columns), rows_(rows),
        wins_(wins), class_rows_(scores.columns) {
    if (!are_codes(codes, n_, k_)) return;
    for (std::size_t i = 0; i < n_; ++i) ++class_rows_[class_of(i)];
    starts_.assign(k_ + 1, 0);
    for (std::size_t k = 0; k < k_; ++k) starts_[k + 1] = starts_[k] + class_rows_[k];
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    by_class_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      by_class_[std::min(next[class_of(i)]++, n_ - 1)] = static_cast<std::uint32_t>(i);
    }
    // Each class ends where the next one starts, unless codes have changed in between.
    is_complete_ = std::equal(next.begin(), next.end(), starts_.begin() + 1);
  }

  // False where a code is of no class or a column does not fit.
  bool run(std::size_t threads) {
    if (!is_complete_) return false;
    const auto groups = groups_of_classes(threads);
    std::atomic<bool> fits{true};
    share(groups.size(), threads, [&](std::size_t g) {
      if (!fits) return;
      const std::size_t first = groups[g][0];
      const bool fitted = class_rows_[first] > lookup_limit ? sort(first) : look_up(groups[g]);
      if (!fitted) fits = false;
    });
    return fits;
  }

 private:
  using Group = std::vector<std::size_t>;

  std::size_t class_of(std::size_t i) const {
    return static_cast<std::size_t>(std::min<u64>(static_cast<u64>(read_once(codes_ + i)), k_ - 1));
  }

  // The classes that have rows: large ones by themselves, the others together as long as their
  // tables stay in the cache and there is a group for every thread.
  std::vector<Group> groups_of_classes(std::size_t threads) const {
    const std::size_t most_rows = std::min(cached_rows, n_ / threads);
    const std::size_t most_classes = k_ / threads + 1;
    std::vector<Group> groups, small_ones;
    std::size_t rows = 0;
    for (std::size_t k = 0; k < k_; ++k) {
      if (class_rows_[k] == 0) continue;  // no pairs
      if (class_rows_[k] > lookup_limit) {
        groups.push_back({k});
        continue;
      }
      if (small_ones.empty() || rows >= most_rows || small_ones.back().size() >= most_classes) {
        small_ones.emplace_back();
        rows = 0;
      }
      small_ones.back().push_back(k);
      rows += class_rows_[k];
    }
    groups.insert(groups.end(), small_ones.begin(), small_ones.end());
    return groups;
  }

  // The rows of a class; those of the next begin where they end.
  const std::uint32_t* rows_of(std::size_t k) const { return by_class_.data() + starts_[k]; }

  bool look_up(const Group& classes) {
    std::vector<ClassScores<S, W>> tables;
    tables.reserve(classes.size());
    for (const std::size_t k : classes) {
      std::vector<S> scores;
      std::vector<W> weights;
      scores.reserve(class_rows_[k]);
      for (const std::uint32_t* row = rows_of(k); row != rows_of(k + 1); ++row) {
        scores.push_back(scores_.column(k)[*row]);
        if constexpr (!std::is_same_v<Rows, Unweighted>) weights.push_back(rows_.of_row(*row));
      }
      const std::vector<i64> no_codes(scores.size());
      Rows own{};
      if constexpr (!std::is_same_v<Rows, Unweighted>) own.data = weights.data();
      const SortedRanking<S, Rows> ranking({scores.data(), 1}, no_codes.data(), scores.size(), 2, own);
      if (!ranking.fits()) return false;
      tables.emplace_back(ranking, scores.size());
    }
    // Rows outside and classes inside read the matrix in its order.
    std::vector<Sum<W>> won(classes.size() * k_);
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t j = class_of(i);
      const Column<S> cells = scores_.row(i);
      const W own_weight = rows_.of_row(i);
      Sum<W>* to = won.data() + j * classes.size();
      for (std::size_t c = 0; c < classes.size(); ++c) {
        const S score = cells[classes[c]];
        to[c].add(own_weight * tables[c].twice_above(score));
      }
    }
    for (std::size_t c = 0; c < classes.size(); ++c) {
      for (std::size_t j = 0; j < k_; ++j) {
        wins_[classes[c] * k_ + j] = won[j * classes.size() + c].value();
      }
    }
    return true;
  }

  bool sort(std::size_t k) {
    // Read across the rows once, not in each pass of the sort.
    Scratch<S> own(Slot::column, n_);
    for (std::size_t i = 0; i < n_; ++i) own[i] = scores_.column(k)[i];
    const SortedRanking<S, Rows> ranking({own.data(), 1}, codes_, n_, k_, rows_);
    if (!ranking.fits()) return false;
    std::vector<Sum<W>> won(k_);
    Sum<W> above;
    for (const auto* e = ranking.begin(); e != ranking.end();) {
      const auto* stop = ranking.end_of_score(e);
      W tied = 0;
      for (const auto* row = e; row != stop; ++row) {
        tied += ranking.code(*row) == k ? rows_.weight(*row) : W{0};
      }
      const W twice = 2 * above.value() + tied;
      for (; e != stop; ++e) won[ranking.code(*e)].add(rows_.weight(*e) * twice);
      above.add(tied);
    }
    for (std::size_t j = 0; j < k_; ++j) wins_[k * k_ + j] = won[j].value();
    return true;
  }

  Matrix<S> scores_;
  const i64* codes_;
  std::size_t n_, k_;
  Rows rows_;
  W* wins_;
  std::vector<std::size_t> class_rows_, starts_;
  std::vector<std::uint32_t> by_class_;
  bool is_complete_ = false;
};

}  // namespace skm
