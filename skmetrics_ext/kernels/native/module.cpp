// Python bindings. Arguments are checked by the callers in Python; here only their types choose
// the code that runs. Functions answer None where the case is left to the NumPy kernels.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "draws.hpp"
#include "labels.hpp"
#include "pairs.hpp"
#include "ranks.hpp"

namespace nb = nanobind;
using namespace skm;

namespace {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
using Codes = nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
struct Memory {
  explicit Memory(std::size_t count) : data(static_cast<T*>(acquire(count * sizeof(T)))) {}
  ~Memory() { release(data); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  T* take() {
    T* taken = data;
    data = nullptr;
    return taken;
  }
  T* take(std::size_t count) { return static_cast<T*>(shrink(take(), count * sizeof(T))); }
  T* data;
};

// NumPy's own int64, kept for ever. A buffer of 64-bit integers would become an array of "long
// long", which is as wide but prints as another type.
PyObject* numpy_int64 = nullptr;

template <class T>
nb::object as_array(T* data, std::initializer_list<std::size_t> shape) {
  nb::capsule owner(data, [](void* block) noexcept { release(block); });
  nb::object array = nb::cast(nb::ndarray<nb::numpy, T>(data, shape, owner));
  if constexpr (std::is_same_v<T, i64>) return array.attr("view")(nb::handle(numpy_int64));
  return array;
}

template <class T>
Column<T> column_of(const AnyArray& scores) {
  return {static_cast<const T*>(scores.data()), scores.stride(0)};
}

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
        const auto steps =
            corners ? ranked_steps<true, S, decltype(rows)> : ranked_steps<false, S, decltype(rows)>;
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

nb::object confusion_(Codes true_, Codes pred, std::size_t n_classes) {
  Memory<i64> table(n_classes * n_classes);
  std::fill_n(table.data, n_classes * n_classes, 0);
  {
    nb::gil_scoped_release unlocked;
    confusion(true_.data(), pred.data(), true_.size(), n_classes, table.data);
  }
  return as_array(table.take(), {n_classes, n_classes});
}

bool all_finite_(AnyArray values) {
  if (values.dtype() == nb::dtype<double>()) {
    return all_finite(static_cast<const double*>(values.data()), values.size());
  }
  return all_finite(static_cast<const float*>(values.data()), values.size());
}

nb::tuple value_range_(AnyArray values) {
  const auto range = [&](auto type) {
    using S = decltype(type);
    const auto found =
        range_of(Column<S>{static_cast<const S*>(values.data()), 1}, values.size());
    return nb::make_tuple(found.low, found.high);
  };
  return values.dtype() == nb::dtype<double>() ? range(double{}) : range(float{});
}

// Calls `run` with the column as one of integers of its type; None for another type.
template <class Run>
nb::object by_integer(const AnyArray& values, Run run) {
  const auto as = [&](auto type) {
    using T = decltype(type);
    return run(Column<T>{static_cast<const T*>(values.data()), values.stride(0)});
  };
  const auto type = values.dtype();
  if (type == nb::dtype<i64>()) return as(i64{});
  if (type == nb::dtype<std::int32_t>()) return as(std::int32_t{});
  if (type == nb::dtype<bool>() || type == nb::dtype<std::uint8_t>()) return as(std::uint8_t{});
  if (type == nb::dtype<std::int8_t>()) return as(std::int8_t{});
  if (type == nb::dtype<std::int16_t>()) return as(std::int16_t{});
  if (type == nb::dtype<std::uint16_t>()) return as(std::uint16_t{});
  if (type == nb::dtype<std::uint32_t>()) return as(std::uint32_t{});
  return nb::none();
}

// Columns of integers -> lowest, distinct values less the lowest, codes of each column. None
// where the range is so wide that a table over it costs more than sorting.
nb::object encode_integers_(nb::list columns, std::size_t cells_per_row, std::size_t small) {
  std::vector<AnyArray> arrays;
  std::optional<Range<i64>> all;
  std::size_t rows = 0;
  for (nb::handle column : columns) {
    const auto& array = arrays.emplace_back(nb::cast<AnyArray>(column));
    rows += array.size();
    const nb::object known = by_integer(array, [&](auto values) -> nb::object {
      const auto own = range_of(values, array.size());
      const Range<i64> wide{static_cast<i64>(own.low), static_cast<i64>(own.high)};
      all = all ? Range<i64>{std::min(all->low, wide.low), std::max(all->high, wide.high)} : wide;
      return nb::bool_(true);
    });
    if (known.is_none()) return nb::none();
  }
  const u64 widest = static_cast<u64>(all->high) - static_cast<u64>(all->low);
  if (widest >= std::max(cells_per_row * rows, small)) return nb::none();
  const auto span = static_cast<std::size_t>(widest) + 1;
  std::vector<char> present(span);
  for (const auto& array : arrays) {
    by_integer(array, [&](auto values) -> nb::object {
      mark_present(values, array.size(), all->low, present);
      return nb::none();
    });
  }
  std::vector<i64> code(span);
  i64 classes = 0;
  for (std::size_t v = 0; v < span; ++v) {
    code[v] = classes;
    classes += present[v];
  }
  Memory<i64> found(static_cast<std::size_t>(classes));
  for (std::size_t v = 0; v < span; ++v) {
    if (present[v]) found.data[code[v]] = static_cast<i64>(v);
  }
  nb::list codes;
  std::size_t at = 0;
  for (nb::handle column : columns) {
    const auto& array = arrays[at++];
    if (all->low == 0 && classes == static_cast<i64>(span) &&
        array.dtype() == nb::dtype<i64>() && array.stride(0) == 1) {
      codes.append(column);  // the values are the codes
      continue;
    }
    Memory<i64> own(array.size());
    by_integer(array, [&](auto values) -> nb::object {
      for (std::size_t i = 0; i < array.size(); ++i) {
        own.data[i] = code[static_cast<u64>(values[i]) - static_cast<u64>(all->low)];
      }
      return nb::none();
    });
    codes.append(as_array(own.take(), {array.size()}));
  }
  return nb::make_tuple(all->low, as_array(found.take(), {static_cast<std::size_t>(classes)}),
                        codes);
}

// Rows of characters of several columns -> (column, row) of each distinct text, codes.
nb::object encode_text_(nb::list columns) {
  using Words = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::device::cpu>;
  TextCodes codes;
  nb::list arrays;
  std::vector<Words> kept;
  for (nb::handle column : columns) {
    const auto words = kept.emplace_back(nb::cast<Words>(column));
    const TextColumn text{words.data(), words.shape(0), words.shape(1), words.stride(0)};
    Memory<i64> own(text.n);
    {
      nb::gil_scoped_release unlocked;
      codes.add(text, own.data);
    }
    arrays.append(as_array(own.take(), {text.n}));
  }
  nb::list texts;
  for (const auto& text : codes.texts()) {
    texts.append(nb::steal(PyUnicode_FromKindAndData(
        PyUnicode_4BYTE_KIND, text.data, static_cast<Py_ssize_t>(text.length))));
  }
  return nb::make_tuple(texts, arrays);
}

// Distinct objects in the order of their first rows, and codes. The same object again, as is
// usual for text, is known by its address and not hashed.
nb::object encode_objects_(nb::list columns) {
  constexpr std::size_t cached = 1 << 12;
  std::vector<std::pair<PyObject*, i64>> by_address(cached);
  nb::dict seen;
  nb::list values, arrays;
  for (nb::handle column : columns) {
    Py_buffer view;
    if (PyObject_GetBuffer(column.ptr(), &view, PyBUF_CONTIG_RO | PyBUF_FORMAT) != 0) {
      throw nb::python_error();
    }
    const auto n = static_cast<std::size_t>(view.len / view.itemsize);
    auto** objects = static_cast<PyObject**>(view.buf);
    Memory<i64> own(n);
    for (std::size_t i = 0; i < n; ++i) {
      PyObject* object = objects[i];
      auto& [address, code] = by_address[(reinterpret_cast<std::uintptr_t>(object) >> 4) % cached];
      if (address != object) {
        PyObject* known = PyDict_GetItemWithError(seen.ptr(), object);
        if (known == nullptr) {
          if (PyErr_Occurred()) {
            PyBuffer_Release(&view);
            throw nb::python_error();
          }
          code = static_cast<i64>(nb::len(values));
          seen[nb::handle(object)] = code;
          values.append(nb::handle(object));
        } else {
          code = PyLong_AsLongLong(known);
        }
        address = object;
      }
      own.data[i] = code;
    }
    PyBuffer_Release(&view);
    arrays.append(as_array(own.take(), {n}));
  }
  return nb::make_tuple(values, arrays);
}

}  // namespace

NB_MODULE(_compiled, m) {
  numpy_int64 = nb::module_::import_("numpy").attr("dtype")("int64").release().ptr();
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
  m.def("all_finite", &all_finite_, nb::arg("values"));
  m.def("value_range", &value_range_, nb::arg("values"));
  m.def("encode_integers", &encode_integers_, nb::arg("columns"), nb::arg("cells_per_row"),
        nb::arg("small"));
  m.def("confusion", &confusion_, nb::arg("true"), nb::arg("pred"), nb::arg("n_classes"));
  m.def("encode_text", &encode_text_, nb::arg("columns"));
  m.def("encode_objects", &encode_objects_, nb::arg("columns"));
}
