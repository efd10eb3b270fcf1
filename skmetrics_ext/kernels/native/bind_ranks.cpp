// Bindings of the kernels on rankings. Functions answer None where the case is left to NumPy: for
// types that have no code here, and for whatever the code could not read safely, so that there is
// one place that refuses.
#include <cmath>
#include <optional>

#include "arrays.hpp"
#include "draws.hpp"
#include "pairs.hpp"
#include "ranks.hpp"

namespace skm {
namespace {

constexpr std::size_t most_rows = 0xFFFFFFFF;  // positions in a sort are 32 bits wide
constexpr std::size_t most_classes = std::size_t{1} << 24;
// Of integer weights: below, sums of products of two of them, and sums, fit into 63 bits.
constexpr double most_in_pairs = 2147483648.0;
constexpr double most_in_sums = 4611686018427387904.0;

template <class W>
bool is_finite(W value) {
  return std::isfinite(static_cast<double>(value));
}

double sum_of_sizes(const i64* weights, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::fabs(static_cast<double>(weights[i]));
  return sum;
}

// What kernels on rankings are called with.
class Ranked {
 public:
  Ranked(nb::handle score, nb::handle codes, nb::handle weight)
      : score_(score), codes_(codes, Layout::dense) {
    if (!weight.is_none()) weight_.emplace(weight, Layout::dense);
  }

  const Array& score() const { return score_; }
  const i64* codes() const { return codes_.data<i64>(); }
  std::size_t size() const { return codes_.size(); }
  bool has_classes(std::size_t count) const {
    return count <= most_classes && are_codes(codes(), size(), count);
  }

  // Calls `run(S{}, Rows)` for the types of the scores and of the weights; None where rows do not
  // match, or the weights are integers whose sum may pass `most_weight`.
  template <class Run>
  nb::object by_type(std::size_t dimensions, double most_weight, Run run) const {
    if (!codes_.is_column() || !codes_.holds<i64>() || size() == 0 || size() > most_rows ||
        score_.dimensions() != dimensions || score_.length(0) != size() ||
        (weight_ && (!weight_->is_column() || weight_->size() != size()))) {
      return nb::none();
    }
    if (weight_ && weight_->holds<i64>() &&
        sum_of_sizes(weight_->data<i64>(), size()) >= most_weight) {
      return nb::none();
    }
    if (score_.holds<double>()) return with_weight(double{}, run);
    if (score_.holds<float>()) return with_weight(float{}, run);
    if (score_.holds<i64>()) return with_weight(i64{}, run);
    return nb::none();
  }

  // The sums of a reader of all scores; none if these do not fit.
  template <class S, template <class> class Reader, class Rows>
  auto read(const Rows& rows) const {
    nb::gil_scoped_release unlocked;
    return ranked<Reader<typename Rows::Weight>>(score_.column<S>(), codes(), size(), rows);
  }

 private:
  template <class S, class Run>
  nb::object with_weight(S score_type, Run& run) const {
    if (!weight_) return run(score_type, Unweighted{});
    if (weight_->holds<double>()) return run(score_type, Weights<double>{weight_->data<double>()});
    if (weight_->holds<i64>()) return run(score_type, Weights<i64>{weight_->data<i64>()});
    return nb::none();
  }

  Array score_, codes_;
  std::optional<Array> weight_;
};

nb::object ranked_wins_(nb::handle score, nb::handle codes, nb::handle weight) {
  const Ranked given(score, codes, weight);
  return given.by_type(1, most_in_pairs, [&](auto type, auto rows) -> nb::object {
    const auto found = given.read<decltype(type), Wins>(rows);
    if (!found) return nb::none();
    const auto [twice_won, negative, positive] = *found;
    if (!is_finite(twice_won) || !is_finite(negative + positive)) return nb::none();
    return nb::make_tuple(twice_won, negative, positive);
  });
}

nb::object ranked_precision_(nb::handle score, nb::handle codes, nb::handle weight) {
  const Ranked given(score, codes, weight);
  return given.by_type(1, most_in_sums, [&](auto type, auto rows) -> nb::object {
    const auto found = given.read<decltype(type), Precision>(rows);
    if (!found) return nb::none();
    const auto [gained, positive] = *found;
    if (!is_finite(gained + positive)) return nb::none();
    return nb::make_tuple(gained, positive);
  });
}

nb::object ranked_squares_(nb::handle score, nb::handle codes) {
  const Ranked given(score, codes, nb::none());
  return given.by_type(1, most_in_pairs, [&](auto type, auto rows) -> nb::object {
    if (given.size() > most_rows / 2) return nb::none();
    if constexpr (std::is_same_v<decltype(rows), Unweighted>) {
      const auto found = given.read<decltype(type), Squared>(rows);
      if (!found) return nb::none();
      const auto& [negative, positive] = found->squares;
      return nb::make_tuple(nb::make_tuple(negative.high, positive.high),
                            nb::make_tuple(negative.low, positive.low),
                            found->wins.twice_won.value(), found->wins.negative.value(),
                            found->wins.positive.value());
    } else {
      return nb::none();
    }
  });
}

nb::object ranked_steps_(nb::handle score, nb::handle codes, nb::handle weight, bool corners) {
  const Ranked given(score, codes, weight);
  return given.by_type(1, most_in_sums, [&](auto type, auto rows) -> nb::object {
    using S = decltype(type);
    using Rows = decltype(rows);
    const std::size_t n = given.size();
    std::optional<Memory<S>> thresholds;
    std::optional<Memory<double>> negative, positive;
    std::size_t points = 0;
    {
      nb::gil_scoped_release unlocked;
      Ranking<S, Rows> ranking(given.score().column<S>(), given.codes(), n, 2, rows);
      if (ranking.fits()) {
        thresholds.emplace(n + 1);
        negative.emplace(n + 1);
        positive.emplace(n + 1);
        const auto steps = corners ? ranked_steps<true, S, Rows> : ranked_steps<false, S, Rows>;
        points = steps(ranking, rows, thresholds->data, negative->data, positive->data);
      }
    }
    if (!thresholds || !is_finite(negative->data[points - 1] + positive->data[points - 1])) {
      return nb::none();
    }
    return nb::make_tuple(as_array(thresholds->take(points), {points}),
                          as_array(negative->take(points), {points}),
                          as_array(positive->take(points), {points}));
  });
}

nb::object rank_table_(nb::handle score, nb::handle codes, std::size_t n_classes,
                       nb::handle weight) {
  const Ranked given(score, codes, weight);
  return given.by_type(1, most_in_sums, [&](auto type, auto rows) -> nb::object {
    using S = decltype(type);
    using W = typename decltype(rows)::Weight;
    std::optional<Memory<S>> thresholds;
    std::optional<Memory<W>> mass;
    std::size_t n_scores = 0;
    const auto begin_table = [&](std::size_t groups, S*& to_scores, W*& to_mass) {
      n_scores = groups;
      to_scores = thresholds.emplace(groups).data;
      to_mass = mass.emplace(groups * n_classes).data;
    };
    bool fits;
    {
      nb::gil_scoped_release unlocked;
      fits = given.has_classes(n_classes) &&
             rank_table(given.score().column<S>(), given.codes(), given.size(), n_classes, rows,
                        begin_table);
    }
    if (!fits) return nb::none();
    return nb::make_tuple(as_array(thresholds->take(), {n_scores}),
                          as_array(mass->take(), {n_classes, n_scores}));
  });
}

nb::object placements_(nb::handle score, nb::handle codes, nb::handle weight) {
  const Ranked given(score, codes, weight);
  return given.by_type(1, most_in_sums, [&](auto type, auto rows) -> nb::object {
    using S = decltype(type);
    Memory<double> places(given.size());
    bool fits;
    {
      nb::gil_scoped_release unlocked;
      fits = placements(given.score().column<S>(), given.codes(), given.size(), rows, places.data);
    }
    if (!fits) return nb::none();
    return as_array(places.take(), {given.size()});
  });
}

nb::object precision_slopes_(nb::handle score, nb::handle codes, nb::handle weight) {
  const Ranked given(score, codes, weight);
  return given.by_type(1, most_in_sums, [&](auto type, auto rows) -> nb::object {
    using S = decltype(type);
    Memory<double> slopes(given.size());
    std::optional<std::array<double, 4>> found;
    {
      nb::gil_scoped_release unlocked;
      found = precision_slopes(given.score().column<S>(), given.codes(), given.size(), rows,
                               slopes.data);
    }
    if (!found) return nb::none();
    const auto [gained, positive, of_negative, of_positive] = *found;
    if (!is_finite(gained / positive)) return nb::none();
    return nb::make_tuple(gained, positive, as_array(slopes.take(), {given.size()}),
                          nb::make_tuple(of_negative, of_positive));
  });
}

nb::object resampled_wins_(nb::handle capsule, nb::handle marks_, nb::handle group_,
                           std::size_t n_draws, bool stratified) {
  const Array marks(marks_, Layout::dense), group(group_, Layout::dense);
  for (const Array* column : {&marks, &group}) {
    if (!column->is_column() || !column->holds<i64>() || column->size() != marks.size() ||
        column->size() == 0 || column->size() > most_rows) {
      return nb::none();
    }
  }
  const RankedRows rows{marks.data<i64>(), group.data<i64>(), marks.size()};
  if (!are_codes(rows.marks, rows.n, 2) || n_draws > most_rows) return nb::none();
  const auto* bits =
      static_cast<const BitGenerator*>(PyCapsule_GetPointer(capsule.ptr(), "BitGenerator"));
  if (bits == nullptr) throw nb::python_error();
  Memory<i64> wins(n_draws), negative(n_draws), positive(n_draws);
  {
    nb::gil_scoped_release unlocked;
    resampled_wins(*bits, rows, n_draws, stratified, wins.data, negative.data, positive.data);
  }
  return nb::make_tuple(as_array(wins.take(), {n_draws}), as_array(negative.take(), {n_draws}),
                        as_array(positive.take(), {n_draws}));
}

nb::object largest_differences_(nb::handle errors_, nb::handle first_, nb::handle second_,
                                nb::handle scale_) {
  const Array errors(errors_, Layout::dense), scale(scale_, Layout::dense);
  const Array first(first_, Layout::dense), second(second_, Layout::dense);
  const bool is_known = errors.dimensions() == 2 && errors.holds<double>() && errors.size() > 0 &&
                        scale.is_column() && scale.holds<double>();
  if (!is_known) return nb::none();
  const std::size_t pairs = scale.size();
  for (const Array* side : {&first, &second}) {
    if (!side->is_column() || !side->holds<i64>() || side->size() != pairs ||
        !are_codes(side->data<i64>(), pairs, errors.length(0))) {
      return nb::none();
    }
  }
  const std::size_t columns = errors.length(1);
  Memory<double> largest(columns);
  {
    nb::gil_scoped_release unlocked;
    largest_differences(errors.data<double>(), columns, first.data<i64>(), second.data<i64>(),
                        scale.data<double>(), pairs, largest.data);
  }
  return as_array(largest.take(), {columns});
}

nb::object pair_wins_(nb::handle score, nb::handle codes, std::size_t n_classes,
                      nb::handle weight, std::size_t threads) {
  const Ranked given(score, codes, weight);
  return given.by_type(2, most_in_pairs, [&](auto type, auto rows) -> nb::object {
    using S = decltype(type);
    using W = typename decltype(rows)::Weight;
    const Array& scores = given.score();
    if (scores.length(1) != n_classes || n_classes == 0 || n_classes > most_classes) {
      return nb::none();
    }
    Memory<W> wins(n_classes * n_classes);
    W* const end = wins.data + n_classes * n_classes;
    std::fill(wins.data, end, W{0});
    bool fits = false;
    {
      nb::gil_scoped_release unlocked;
      const Matrix<S> matrix{scores.data<S>(), scores.stride(0), scores.stride(1), given.size(),
                             n_classes};
      fits = all_finite(matrix) &&
             PairWins<S, decltype(rows)>(matrix, given.codes(), rows, wins.data)
                 .run(std::max<std::size_t>(threads, 1));
      fits = fits && std::all_of(wins.data, end, is_finite<W>);
    }
    if (!fits) return nb::none();
    return as_array(wins.take(), {n_classes, n_classes});
  });
}

}  // namespace

void bind_ranks(nb::module_& m) {
  using namespace nb::literals;
  define(m, "ranked_wins", &ranked_wins_, "score"_a, "codes"_a, "weight"_a.none());
  define(m, "rank_table", &rank_table_, "score"_a, "codes"_a, "n_classes"_a, "weight"_a.none());
  define(m, "pair_wins", &pair_wins_, "score"_a, "codes"_a, "n_classes"_a, "weight"_a.none(),
         "threads"_a);
  define(m, "ranked_precision", &ranked_precision_, "score"_a, "codes"_a, "weight"_a.none());
  define(m, "precision_slopes", &precision_slopes_, "score"_a, "codes"_a, "weight"_a.none());
  define(m, "ranked_squares", &ranked_squares_, "score"_a, "codes"_a);
  define(m, "ranked_steps", &ranked_steps_, "score"_a, "codes"_a, "weight"_a.none(), "corners"_a);
  define(m, "largest_differences", &largest_differences_, "errors"_a, "first"_a, "second"_a,
         "scale"_a);
  define(m, "placements", &placements_, "score"_a, "codes"_a, "weight"_a.none());
  define(m, "resampled_wins", &resampled_wins_);
}

}  // namespace skm
