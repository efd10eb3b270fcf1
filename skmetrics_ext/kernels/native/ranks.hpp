// One ranking: the table of distinct scores, and the pairs that it orders rightly.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include "sorting.hpp"
#include "sums.hpp"

namespace skm {

// Elements without weights weigh 1 and are plain keys.
struct Unweighted {
  using Element = u64;
  using Weight = i64;
  u64 pack(u64 key, std::size_t) const { return key; }
  static i64 weight(u64) { return 1; }
  i64 of_row(std::size_t) const { return 1; }
};

template <class W>
struct Weights {
  using Element = Weighed<W>;
  using Weight = W;
  const W* data = nullptr;
  Element pack(u64 key, std::size_t row) const { return {key, data[row]}; }
  static W weight(const Element& element) { return element.weight; }
  W of_row(std::size_t row) const { return data[row]; }
};

// Elements that carry the number of their row.
struct Numbered {
  using Element = Weighed<i64>;
  using Weight = i64;
  Element pack(u64 key, std::size_t row) const { return {key, static_cast<i64>(row)}; }
};

// The rows of a ranking as keys of their scores, the highest first, with the class in the low bits.
template <class S, class Rows>
class Ranking {
 public:
  using Element = typename Rows::Element;

  Ranking(const Column<S>& scores, const i64* codes, std::size_t n, std::size_t n_classes,
          const Rows& rows)
      : bits_(bits_for(n_classes)), last_(n_classes - 1), map_(key_map(scores, n, bits_)),
        // All by value, so that the compiler keeps them in registers.
        rows_(scores, map_.fits ? n : 0, map_,
              [scores, codes, rows, map = map_, bits = bits_](std::size_t i, u64& seen) {
                const auto code = static_cast<u64>(codes[i]);
                seen |= code;
                return rows.pack(map(scores[i]) << bits | code, i);
              }) {
    map_.fits = map_.fits && rows_.seen() >> bits_ == 0;
  }

  // Whether scores and classes fit into one integer; if not, there is nothing else here. Of two
  // classes other codes are found by this, for more the caller has looked.
  bool fits() const { return map_.fits; }
  std::size_t code(const Element& e) const {
    return std::min(static_cast<std::size_t>(key_of(e) & ((u64{1} << bits_) - 1)), last_);
  }
  u64 score_key(const Element& e) const { return key_of(e) >> bits_; }
  S score(const Element& e) const { return map_.score(score_key(e)); }

  // The next part of the ranking in order, which shares no score with another; none after the
  // last.
  Run<Element> next_run() { return rows_.next_run(bits_); }

 protected:
  int bits_;
  std::size_t last_;
  KeyMap<S> map_;
  Distribution<Element> rows_;
};

// All rows of a ranking, to be read in any order.
template <class S, class Rows>
class SortedRanking : public Ranking<S, Rows> {
 public:
  using typename Ranking<S, Rows>::Element;

  SortedRanking(const Column<S>& scores, const i64* codes, std::size_t n, std::size_t n_classes,
                const Rows& rows)
      : Ranking<S, Rows>(scores, codes, n, n_classes, rows) {
    if (!this->fits()) return;
    run_ = this->rows_.sort_all(this->bits_);
  }

  const Element* begin() const { return run_.begin; }
  const Element* end() const { return run_.end; }

  // Where the elements of the same score end.
  const Element* end_of_score(const Element* e) const {
    const u64 key = this->score_key(*e);
    do {
      ++e;
    } while (e != run_.end && this->score_key(*e) == key);
    return e;
  }

 private:
  Run<Element> run_;
};

// Weight of the negatives and of the positives.
template <class W>
using Pair = std::array<W, 2>;

// What `reader` has become after `reader.read(own, element)` with the weight of both classes at
// each score of a run of a ranking of two classes.
template <class Element, class Rows, class Reader>
Reader read_run(const Run<Element>& run, const Rows& rows, Reader reader) {
  using W = typename Rows::Weight;
  static constexpr W one[2] = {0, 1};  // no branch: classes cannot be foreseen
  for (const auto* e = run.begin; e != run.end;) {
    const auto& first = *e;
    const auto by_class = [&] {
      const W weight = rows.weight(*e);
      const u64 code = key_of(*e) & 1;
      ++e;
      return Pair<W>{one[1 - code] * weight, one[code] * weight};
    };
    Pair<W> own = by_class();
    while (e != run.end && key_of(*e) >> 1 == key_of(first) >> 1) {
      const Pair<W> more = by_class();
      own[0] += more[0];
      own[1] += more[1];
    }
    reader.read(own, first);
  }
  return reader;
}

// The reader after all scores, highest first.
template <class S, class Rows, class Reader>
Reader read_scores(Ranking<S, Rows>& ranking, const Rows& rows, Reader reader) {
  for (auto run = ranking.next_run(); run.begin != run.end; run = ranking.next_run()) {
    reader = read_run(run, rows, reader);
  }
  return reader;
}

// Twice the weight of (positive, negative) pairs in which the positive scores higher, ties half.
template <class W>
struct Wins {
  Sum<W> twice_won, negative, positive;

  template <class Element>
  void read(const Pair<W>& own, const Element&) {
    // The positives above beat these negatives, those beside them tie.
    twice_won.add(own[0] * (2 * positive.value() + own[1]));
    negative.add(own[0]);
    positive.add(own[1]);
  }
  std::array<W, 3> sums() const {
    return {twice_won.value(), negative.value(), positive.value()};
  }
};

// Sums of squares up to 2^64 with at most 2^31 rows, in halves that cannot overflow.
struct Squares {
  u64 high = 0, low = 0;

  void add(i64 rows, i64 value) {
    const u64 square = static_cast<u64>(value) * static_cast<u64>(value);
    high += static_cast<u64>(rows) * (square >> 32);
    low += static_cast<u64>(rows) * (square & 0xFFFFFFFF);
  }
};

// Wins of rows that weigh the same, with the squares of twice the rows of the other class above
// the rows of each class, and beside them.
template <class W>
struct Squared {
  Wins<W> wins;
  std::array<Squares, 2> squares;

  template <class Element>
  void read(const Pair<W>& own, const Element& element) {
    for (const std::size_t k : {0, 1}) {
      const i64 above = k == 0 ? wins.positive.value() : wins.negative.value();
      squares[k].add(own[k], 2 * above + own[1 - k]);
    }
    wins.read(own, element);
  }
  Squared sums() const { return *this; }
};

// Precision at each score, summed over the weight of the positives there, and that weight.
template <class W>
struct Precision {
  Sum<W> all, positive;
  Sum<double> gained;

  template <class Element>
  void read(const Pair<W>& own, const Element&) {
    all.add(own[0] + own[1]);
    positive.add(own[1]);
    // No branch: where there is no weight yet, 0 / 1. Whether a score has positives cannot be
    // foreseen.
    const W total = all.value() + static_cast<W>(all.value() == 0);
    const auto right = static_cast<double>(positive.value());
    gained.add(static_cast<double>(own[1]) * (right / static_cast<double>(total)));
  }
  Pair<double> sums() const { return {gained.value(), static_cast<double>(positive.value())}; }
};

// The sums of a reader of all scores; none if these do not fit.
template <class Reader, class S, class Rows>
auto ranked(const Column<S>& scores, const i64* codes, std::size_t n, const Rows& rows) {
  std::optional<decltype(Reader{}.sums())> found;
  Ranking<S, Rows> ranking(scores, codes, n, 2, rows);
  if (ranking.fits()) found = read_scores(ranking, rows, Reader{}).sums();
  return found;
}

// Weight of both classes at or above each score, from none. With `corners`, scores in the middle
// of two equal steps are left out.
template <bool corners, class S, class Rows>
struct Steps {
  using W = typename Rows::Weight;
  const Ranking<S, Rows>* ranking;
  S* thresholds;
  double *negative, *positive;  // what a reader divides
  std::size_t last = 0;
  Sum<W> below{}, above{};
  Pair<W> before{}, sums{};

  void read(const Pair<W>& own, const typename Rows::Element& element) {
    below.add(own[0]);
    above.add(own[1]);
    const W fp = below.value(), tp = above.value();
    // Differences of the sums, as a reader of the curve would take them.
    const Pair<W> step{static_cast<W>(fp - sums[0]), static_cast<W>(tp - sums[1])};
    sums = {fp, tp};
    // No branch: whether a point is a corner cannot be foreseen.
    bool middle = last > 1;
    middle &= step[0] == before[0];
    middle &= step[1] == before[1];
    last += !(corners && middle);
    before = step;
    thresholds[last] = ranking->score(element);
    negative[last] = static_cast<double>(fp);
    positive[last] = static_cast<double>(tp);
  }
};

// Returns the number of points.
template <bool corners, class S, class Rows>
std::size_t ranked_steps(Ranking<S, Rows>& ranking, const Rows& rows, S* thresholds,
                         double* negative, double* positive) {
  negative[0] = positive[0] = 0;
  thresholds[0] = 0;  // of no row; the caller knows what stands for infinity
  const Steps<corners, S, Rows> steps{&ranking, thresholds, negative, positive};
  return read_scores(ranking, rows, steps).last + 1;
}

// Per row, the weight of the other class below it and half of its ties.
template <class S, class Rows>
bool placements(const Column<S>& scores, const i64* codes, std::size_t n, const Rows& rows,
                double* places) {
  using W = typename Rows::Weight;
  const SortedRanking<S, Numbered> ranking(scores, codes, n, 2, Numbered{});
  if (!ranking.fits()) return false;
  const auto number = [n](const Weighed<i64>& e) {
    return std::min(static_cast<std::size_t>(e.weight), n - 1);
  };
  Sum<W> below[2];  // from the lowest score up: no difference of large sums
  for (const auto* e = ranking.end(); e != ranking.begin();) {
    const auto* stop = e;
    const u64 key = ranking.score_key(*(e - 1));
    Pair<W> own{};
    for (; e != ranking.begin() && ranking.score_key(*(e - 1)) == key; --e) {
      own[ranking.code(*(e - 1))] += rows.of_row(number(*(e - 1)));
    }
    for (const auto* row = e; row != stop; ++row) {
      const std::size_t other = 1 - ranking.code(*row);
      places[number(*row)] =
          static_cast<double>(below[other].value()) + static_cast<double>(own[other]) / 2;
    }
    below[0].add(own[0]);
    below[1].add(own[1]);
  }
  return std::isfinite(static_cast<double>(below[0].value() + below[1].value()));
}

// Derivative of average precision by the weight of each row, the sums of `Precision`, and the sums
// of squares of the derivatives of both classes; none if scores do not fit.
template <class S, class Rows>
std::optional<std::array<double, 4>> precision_slopes(const Column<S>& scores, const i64* codes,
                                             std::size_t n, const Rows& rows, double* slopes) {
  using W = typename Rows::Weight;
  Ranking<S, Numbered> ranking(scores, codes, n, 2, Numbered{});
  if (!ranking.fits()) return {};
  Precision<W> precision;
  Sum<double> by_negative, by_positive;  // of a row above all scores so far
  for (auto run = ranking.next_run(); run.begin != run.end; run = ranking.next_run()) {
    for (const auto* e = run.begin; e != run.end;) {
      const auto* first = e;
      const u64 key = ranking.score_key(*e);
      Pair<W> own{};
      for (; e != run.end && ranking.score_key(*e) == key; ++e) {
        own[ranking.code(*e)] += rows.of_row(std::min(static_cast<std::size_t>(e->weight), n - 1));
      }
      precision.read(own, *first);
      const W all = precision.all.value();
      const double total = static_cast<double>(all + static_cast<W>(all == 0));
      const double here = static_cast<double>(precision.positive.value()) / total;
      const double of_class[2] = {by_negative.value(), here - by_positive.value()};
      for (const auto* row = first; row != e; ++row) {
        slopes[std::min(static_cast<std::size_t>(row->weight), n - 1)] =
            of_class[ranking.code(*row)];
      }
      const double bend = static_cast<double>(own[1]) / total;
      by_negative.add(bend * here);
      by_positive.add(bend * (1 - here));
    }
  }
  const auto [gained, positive] = precision.sums();
  const double after[2] = {-by_negative.value(), by_positive.value() - gained / positive};
  Pair<double> squares{};
  for (std::size_t i = 0; i < n; ++i) {
    const auto code = static_cast<std::size_t>(read_once(codes + i) & 1);
    slopes[i] = (slopes[i] + after[code]) / positive;
    squares[code] += slopes[i] * slopes[i];
  }
  return std::array<double, 4>{gained, positive, squares[0], squares[1]};
}

// Distinct scores, highest first, and the weight of each class at each of them, (classes, scores).
// `begin_table(number of scores, thresholds, mass)` gives the memory for both.
template <class S, class Rows, class Begin>
bool rank_table(const Column<S>& scores, const i64* codes, std::size_t n, std::size_t n_classes,
                const Rows& rows, Begin begin_table) {
  using W = typename Rows::Weight;
  const SortedRanking<S, Rows> ranking(scores, codes, n, n_classes, rows);
  if (!ranking.fits()) return false;
  std::size_t n_scores = 0;
  u64 previous = ~u64{0};  // no key: one bit at least is the class's
  for (const auto& e : ranking) {
    n_scores += ranking.score_key(e) != previous;
    previous = ranking.score_key(e);
  }
  S* thresholds;
  W* mass;
  begin_table(n_scores, thresholds, mass);
  if (n_scores == n && n_classes == 2) {  // no ties: each row is a line of the table
    for (std::size_t i = 0; i < n; ++i) {
      const auto& e = ranking.begin()[i];
      const W weight = rows.weight(e);
      thresholds[i] = ranking.score(e);
      mass[i] = ranking.code(e) ? W{0} : weight;
      mass[n + i] = ranking.code(e) ? weight : W{0};
    }
    return true;
  }
  std::fill_n(mass, n_scores * n_classes, W{0});
  std::size_t at = 0;
  for (const auto* e = ranking.begin(); e != ranking.end(); ++at) {
    thresholds[at] = ranking.score(*e);
    for (const auto* stop = ranking.end_of_score(e); e != stop; ++e) {
      mass[ranking.code(*e) * n_scores + at] += rows.weight(*e);
    }
  }
  return true;
}

}  // namespace skm
