// Bindings of the kernels on rankings. Arguments are checked by the callers in Python; here only
// their types choose the code that runs. Functions answer None where the case is left to NumPy.
#include "arrays.hpp"
#include "draws.hpp"
#include "pairs.hpp"
#include "ranks.hpp"

namespace skm {
namespace {

// Calls `run(Column<S>, Rows)` for the types of the scores and of the weights.
template <class Run>
nb::object by_type(const AnyArray& scores, const std::optional<AnyArray>& weight, Run run) {
  const auto with_weight = [&](auto type) -> nb::object {
    using S = decltype(type);
    if (!weight) return run(S{}, Unweighted{});
    if (weight->dtype() == nb::dtype<double>()) {
      return run(S{}, Weights<double>{static_cast<const double*>(weight->data())});
    }
    if (weight->dtype() == nb::dtype<i64>()) {
      return run(S{}, Weights<i64>{static_cast<const i64*>(weight->data())});
    }
    return nb::none();
  };
  if (scores.dtype() == nb::dtype<double>()) return with_weight(double{});
  if (scores.dtype() == nb::dtype<float>()) return with_weight(float{});
  if (scores.dtype() == nb::dtype<i64>()) return with_weight(i64{});
  return nb::none();
}

nb::object ranked_wins_(AnyArray scores, Codes codes, std::optional<AnyArray> weight) {
  return by_type(scores, weight, [&](auto type, auto rows) -> nb::object {
    using S = decltype(type);
    std::optional<Wins<typename decltype(rows)::Weight>> wins;
    {
      nb::gil_scoped_release unlocked;
      wins = ranked_wins(column_of<S>(scores), codes.data(), codes.size(), rows);
    }
    if (!wins) return nb::none();
    return nb::make_tuple(wins->twice_won, wins->negative, wins->positive);
  });
}

nb::object ranked_precision_(AnyArray scores, Codes codes, std::optional<AnyArray> weight) {
  return by_type(scores, weight, [&](auto type, auto rows) -> nb::object {
    using S = decltype(type);
    std::optional<Pair<double>> found;
    {
      nb::gil_scoped_release unlocked;
      found = ranked_precision(column_of<S>(scores), codes.data(), codes.size(), rows);
    }
    if (!found) return nb::none();
    return nb::make_tuple((*found)[0], (*found)[1]);
  });
}

nb::object ranked_steps_(AnyArray scores, Codes codes, std::optional<AnyArray> weight,
                         bool corners) {
  return by_type(scores, weight, [&](auto type, auto rows) -> nb::object {
    using S = decltype(type);
    using W = typename decltype(rows)::Weight;
    const std::size_t n = codes.size();
    std::optional<Memory<S>> thresholds;
    std::optional<Memory<W>> negative, positive;
    std::size_t points = 0;
    {
      nb::gil_scoped_release unlocked;
      const Ranking<S, decltype(rows)> ranking(column_of<S>(scores), codes.data(), n, 2, rows);
      if (ranking.fits()) {
        thresholds.emplace(n + 1);
        negative.emplace(n + 1);
        positive.emplace(n + 1);
        using Rows = decltype(rows);
        const auto steps = corners ? ranked_steps<true, S, Rows> : ranked_steps<false, S, Rows>;
        points = steps(ranking, rows, thresholds->data, negative->data, positive->data);
      }
    }
    if (!thresholds) return nb::none();
    return nb::make_tuple(as_array(thresholds->take(points), {points}),
                          as_array(negative->take(points), {points}),
                          as_array(positive->take(points), {points}));
  });
}

nb::object rank_table_(AnyArray scores, Codes codes, std::size_t n_classes,
                       std::optional<AnyArray> weight) {
  return by_type(scores, weight, [&](auto type, auto rows) -> nb::object {
    using S = decltype(type);
    using W = typename decltype(rows)::Weight;
    std::optional<Memory<S>> thresholds;
    std::optional<Memory<W>> mass;
    std::size_t n_scores = 0;
    {
      nb::gil_scoped_release unlocked;
      const bool fits = rank_table(column_of<S>(scores), codes.data(), codes.size(), n_classes,
                                   rows, [&](std::size_t groups, S*& to_scores, W*& to_mass) {
                                     n_scores = groups;
                                     to_scores = thresholds.emplace(groups).data;
                                     to_mass = mass.emplace(groups * n_classes).data;
                                   });
      if (!fits) thresholds.reset();
    }
    if (!thresholds) return nb::none();
    return nb::make_tuple(as_array(thresholds->take(), {n_scores}),
                          as_array(mass->take(), {n_classes, n_scores}));
  });
}

// Per row, the weight of the other class below it and half of its ties.
nb::object placements_(AnyArray scores, Codes codes, std::optional<AnyArray> weight) {
  const std::size_t n = codes.size();
  Memory<double> found(n);
  Memory<i64> numbers(n);
  const auto type = scores.dtype();
  bool fits = false;
  const auto place = [&](auto score_type, auto weight_of) {
    using S = decltype(score_type);
    using W = decltype(weight_of(0));
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < n; ++i) numbers.data[i] = static_cast<i64>(i);
    const Weights<i64> rows{numbers.data};  // what is carried along is the number of the row
    const Ranking<S, Weights<i64>> ranking(column_of<S>(scores), codes.data(), n, 2, rows);
    fits = ranking.fits();
    if (!fits) return;
    Sum<W> below[2];  // from the lowest score up: no difference of large sums
    for (const auto* e = ranking.end(); e != ranking.begin();) {
      const auto* stop = e;
      const u64 key = ranking.score_key(*(e - 1));
      Pair<W> own{};
      for (; e != ranking.begin() && ranking.score_key(*(e - 1)) == key; --e) {
        own[ranking.code(*(e - 1))] += weight_of(static_cast<std::size_t>((e - 1)->weight));
      }
      for (const auto* row = e; row != stop; ++row) {
        const std::size_t other = 1 - ranking.code(*row);
        found.data[row->weight] =
            static_cast<double>(below[other].value()) + static_cast<double>(own[other]) / 2;
      }
      below[0].add(own[0]);
      below[1].add(own[1]);
    }
  };
  const auto of_type = [&](auto weight_of) {
    if (type == nb::dtype<double>()) place(double{}, weight_of);
    if (type == nb::dtype<float>()) place(float{}, weight_of);
    if (type == nb::dtype<i64>()) place(i64{}, weight_of);
  };
  if (!weight) {
    of_type([](std::size_t) { return i64{1}; });
  } else if (weight->dtype() == nb::dtype<i64>()) {
    of_type([data = static_cast<const i64*>(weight->data())](std::size_t i) { return data[i]; });
  } else {
    of_type([data = static_cast<const double*>(weight->data())](std::size_t i) { return data[i]; });
  }
  if (!fits) return nb::none();
  return as_array(found.take(), {n});
}

nb::object resampled_wins_(nb::object capsule, Codes marks, Codes group, std::size_t n_draws,
                           bool stratified) {
  const auto* bits =
      static_cast<const BitGenerator*>(PyCapsule_GetPointer(capsule.ptr(), "BitGenerator"));
  if (bits == nullptr) throw nb::python_error();
  Memory<i64> wins(n_draws), negative(n_draws), positive(n_draws);
  {
    nb::gil_scoped_release unlocked;
    resampled_wins(*bits, {marks.data(), group.data(), marks.size()}, n_draws, stratified,
                   wins.data, negative.data, positive.data);
  }
  return nb::make_tuple(as_array(wins.take(), {n_draws}), as_array(negative.take(), {n_draws}),
                        as_array(positive.take(), {n_draws}));
}

nb::object pair_wins_(AnyArray scores, Codes codes, std::size_t n_classes,
                      std::optional<AnyArray> weight, unsigned threads) {
  return by_type(scores, weight, [&](auto type, auto rows) -> nb::object {
    using S = decltype(type);
    using W = typename decltype(rows)::Weight;
    Memory<W> wins(n_classes * n_classes);
    std::fill_n(wins.data, n_classes * n_classes, W{0});
    bool fits;
    {
      nb::gil_scoped_release unlocked;
      PairWins<S, decltype(rows)> pairs(static_cast<const S*>(scores.data()), scores.stride(0),
                                        scores.stride(1), codes.data(), codes.size(), n_classes,
                                        rows, wins.data);
      fits = pairs.run(threads);
    }
    if (!fits) return nb::none();
    return as_array(wins.take(), {n_classes, n_classes});
  });
}

}  // namespace

void bind_ranks(nb::module_& m) {
  m.def("ranked_wins", &ranked_wins_, nb::arg("score"), nb::arg("codes"),
        nb::arg("weight").none());
  m.def("rank_table", &rank_table_, nb::arg("score"), nb::arg("codes"), nb::arg("n_classes"),
        nb::arg("weight").none());
  m.def("pair_wins", &pair_wins_, nb::arg("score"), nb::arg("codes"), nb::arg("n_classes"),
        nb::arg("weight").none(), nb::arg("threads"));
  m.def("ranked_precision", &ranked_precision_, nb::arg("score"), nb::arg("codes"),
        nb::arg("weight").none());
  m.def("ranked_steps", &ranked_steps_, nb::arg("score"), nb::arg("codes"),
        nb::arg("weight").none(), nb::arg("corners"));
  m.def("placements", &placements_, nb::arg("score"), nb::arg("codes"),
        nb::arg("weight").none());
  m.def("resampled_wins", &resampled_wins_, nb::arg("bits"), nb::arg("marks"), nb::arg("group"),
        nb::arg("n_draws"), nb::arg("stratified"));
}

}  // namespace skm
