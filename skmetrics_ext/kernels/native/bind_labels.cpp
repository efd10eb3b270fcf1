// Bindings of the kernels on labels and plain columns. Functions answer None where the case is
// left to NumPy.
#include <algorithm>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "labels.hpp"

namespace skm {
namespace {

constexpr std::size_t most_classes = std::size_t{1} << 24;

nb::object confusion_(nb::handle true_, nb::handle pred_, std::size_t n_classes) {
  const Array true_codes(true_, Layout::dense), pred(pred_, Layout::dense);
  for (const Array* codes : {&true_codes, &pred}) {
    if (!codes->is_column() || !codes->holds<i64>()) return nb::none();
  }
  if (pred.size() != true_codes.size() || n_classes > most_classes) return nb::none();
  Memory<i64> table(n_classes * n_classes);
  bool counted;
  {
    nb::gil_scoped_release unlocked;
    std::fill_n(table.data, n_classes * n_classes, 0);
    counted = confusion(true_codes.data<i64>(), pred.data<i64>(), pred.size(), n_classes,
                        table.data);
  }
  if (!counted) return nb::none();
  return as_array(table.take(), {n_classes, n_classes});
}

// Calls `run` with the values of a block of floats; None for other arrays.
template <class Run>
nb::object of_floats(nb::handle source, Run run) {
  const Array values(source);
  if (!values.is_block()) return nb::none();
  if (values.holds<double>()) return run(Column<double>{values.data<double>(), 1}, values.size());
  if (values.holds<float>()) return run(Column<float>{values.data<float>(), 1}, values.size());
  return nb::none();
}

nb::object all_finite_(nb::handle values) {
  return of_floats(values, [](const auto& column, std::size_t n) -> nb::object {
    return nb::bool_(all_finite(column, n));
  });
}

nb::object value_range_(nb::handle values) {
  return of_floats(values, [](const auto& column, std::size_t n) -> nb::object {
    if (n == 0) return nb::none();
    const auto range = range_of(column, n);
    if (!range.finite) return nb::none();
    return nb::make_tuple(range.low + 0, range.high + 0);  // no -0.0
  });
}

// Calls `run` with the column as one of integers of its type; None for another type.
template <class Run>
nb::object by_integer(const Array& values, Run run) {
  const auto is = [&](auto type) { return values.holds<decltype(type)>(); };
  if (is(i64{})) return run(values.column<i64>());
  if (is(std::int32_t{})) return run(values.column<std::int32_t>());
  if (is(std::uint8_t{})) return run(values.column<std::uint8_t>());
  if (is(std::int8_t{})) return run(values.column<std::int8_t>());
  if (is(std::int16_t{})) return run(values.column<std::int16_t>());
  if (is(std::uint16_t{})) return run(values.column<std::uint16_t>());
  if (is(std::uint32_t{})) return run(values.column<std::uint32_t>());
  return nb::none();
}

// Columns of integers -> lowest, distinct values less the lowest, codes of each column. None
// where the range is so wide that a table over it costs more than sorting.
nb::object encode_integers_(nb::list columns, std::size_t cells_per_row, std::size_t small_table) {
  std::vector<Array> arrays;
  std::optional<Range<i64>> all;
  std::size_t rows = 0;
  for (nb::handle column : columns) {
    const Array& array = arrays.emplace_back(column);
    if (!array.is_column() || array.size() == 0) return nb::none();
    rows += array.size();
    const nb::object known = by_integer(array, [&](auto values) -> nb::object {
      const auto own = range_of(values, array.size());
      const auto low = static_cast<i64>(own.low), high = static_cast<i64>(own.high);
      all = all ? Range<i64>{std::min(all->low, low), std::max(all->high, high), true}
                : Range<i64>{low, high, true};
      return nb::bool_(true);
    });
    if (known.is_none()) return nb::none();
  }
  if (!all) return nb::none();
  const u64 widest = static_cast<u64>(all->high) - static_cast<u64>(all->low);
  if (widest >= std::max(cells_per_row * rows, small_table)) return nb::none();
  const auto span = static_cast<std::size_t>(widest) + 1;
  ByValue<char> present(all->low, span);
  for (const auto& array : arrays) {
    by_integer(array, [&](auto values) -> nb::object {
      mark_present(values, array.size(), span, present);
      return nb::none();
    });
  }
  ByValue<i64> code(all->low, span);
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
    const Array& array = arrays[at++];
    if (all->low == 0 && classes == static_cast<i64>(span) && array.holds<i64>() &&
        array.is_in_place() && array.stride(0) == 1) {
      codes.append(column);  // the values are the codes
      continue;
    }
    Memory<i64> own(array.size());
    by_integer(array, [&](auto values) -> nb::object {
      if (classes == static_cast<i64>(span) && values.stride == 1) {
        widen(values.data, array.size(), all->low, own.data);
        return nb::none();
      }
      for (std::size_t i = 0; i < array.size(); ++i) {
        own.data[i] = code(values[i]);
      }
      return nb::none();
    });
    codes.append(as_array(own.take(), {array.size()}));
  }
  return nb::make_tuple(all->low, as_array(found.take(), {static_cast<std::size_t>(classes)}),
                        codes);
}

// The values that occur in either column, and the rows of each two of them.
template <class V>
nb::object occurring(const std::vector<V>& true_values, const std::vector<V>& pred_values,
                     const std::vector<i64>& table, std::size_t width) {
  std::vector<std::size_t> rows, columns;
  for (std::size_t i = 0; i < true_values.size(); ++i) {
    const i64* row = table.data() + i * width;
    if (std::any_of(row, row + width, [](i64 cell) { return cell != 0; })) rows.push_back(i);
  }
  for (std::size_t j = 0; j < pred_values.size(); ++j) {
    if (std::any_of(rows.begin(), rows.end(),
                    [&](std::size_t i) { return table[i * width + j] != 0; })) {
      columns.push_back(j);
    }
  }
  Memory<V> true_found(rows.size()), pred_found(columns.size());
  Memory<i64> cells(rows.size() * columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) pred_found.data[j] = pred_values[columns[j]];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    true_found.data[i] = true_values[rows[i]];
    for (std::size_t j = 0; j < columns.size(); ++j) {
      cells.data[i * columns.size() + j] = table[rows[i] * width + columns[j]];
    }
  }
  return nb::make_tuple(as_array(true_found.take(), {rows.size()}),
                        as_array(pred_found.take(), {columns.size()}),
                        as_array(cells.take(), {rows.size(), columns.size()}));
}

// The values of each column, their table and its width; an empty table where they are too many.
template <class T, class V>
std::size_t count_values(const T* true_, const T* pred, std::size_t n, std::vector<V>& true_values,
                         std::vector<V>& pred_values, std::vector<i64>& table) {
  const Pair<T> of_true(true_, n), of_pred(pred, n);
  i64 cells[4];
  if (of_true.are_whole() && of_pred.are_whole() &&
      count_pairs(true_, pred, n, of_true, of_pred, cells)) {
    true_values = {of_true.first, of_true.second};
    pred_values = {of_pred.first, of_pred.second};
    table.assign(cells, cells + 4);
    return 2;
  }
  if constexpr (std::is_integral_v<T>) {
    const auto in_true = range_of(Column<T>{true_, 1}, n), in_pred = range_of(Column<T>{pred, 1}, n);
    const u64 span = std::max(static_cast<u64>(in_true.high) - static_cast<u64>(in_true.low),
                              static_cast<u64>(in_pred.high) - static_cast<u64>(in_pred.low));
    if (span >> SmallTable::most_bits) return 0;
    const auto width = static_cast<std::size_t>(span) + 1;
    SmallTable counted(width, n);
    table.assign(width * width, 0);
    if (!counted.add(true_, pred, n, in_true.low, in_pred.low) || !counted.read(table.data())) {
      table.clear();
    }
    for (std::size_t i = 0; i < width; ++i) {
      true_values.push_back(static_cast<V>(static_cast<u64>(in_true.low) + i));
      pred_values.push_back(static_cast<V>(static_cast<u64>(in_pred.low) + i));
    }
    return width;
  }
  return 0;
}

// Two columns of one type -> the values that occur in each, the rows of each two of them. None for
// many values, and for floats that are not two whole numbers.
nb::object tabulate_(nb::handle true_, nb::handle pred_) {
  const Array first(true_, Layout::dense), second(pred_, Layout::dense);
  const std::size_t n = first.is_column() ? first.size() : 0;
  if (n == 0 || !second.is_column() || second.size() != n) return nb::none();
  const auto run = [&](auto column) -> nb::object {
    using T = std::remove_cv_t<std::remove_pointer_t<decltype(column.data)>>;
    using V = std::conditional_t<std::is_floating_point_v<T>, double, i64>;
    if (!second.holds<T>()) return nb::none();
    std::vector<V> true_values, pred_values;
    std::vector<i64> table;
    std::size_t width;
    {
      nb::gil_scoped_release unlocked;
      width = count_values(first.data<T>(), second.data<T>(), n, true_values, pred_values, table);
    }
    if (table.empty()) return nb::none();
    return occurring(true_values, pred_values, table, width);
  };
  if (first.holds<double>()) return run(first.column<double>());
  if (first.holds<float>()) return run(first.column<float>());
  return by_integer(first, run);
}

nb::object squared_distances_(nb::handle marks_, nb::handle proba_) {
  const Array marks(marks_, Layout::dense), proba(proba_, Layout::dense);
  if (!marks.is_column() || !marks.holds<i64>() || !proba.is_column() || !proba.holds<double>() ||
      marks.size() != proba.size() || !are_codes(marks.data<i64>(), marks.size(), 2)) {
    return nb::none();
  }
  Memory<double> squares(proba.size());
  const i64* mark = marks.data<i64>();
  const double* probability = proba.data<double>();
  for (std::size_t i = 0; i < proba.size(); ++i) {
    const double distance = probability[i] - static_cast<double>(mark[i]);
    squares.data[i] = distance * distance;
  }
  return as_array(squares.take(), {proba.size()});
}

// Rows, rows of class 1 and sum of the probabilities in each bin between edges that rise: a bin
// holds its upper edge.
nb::object binned_events_(nb::handle codes_, nb::handle proba_, nb::handle edges_) {
  constexpr std::size_t most_edges = 32;  // of more, searching is faster
  const Array codes(codes_, Layout::dense), proba(proba_, Layout::dense);
  const Array edges(edges_, Layout::dense);
  const bool are_columns = codes.is_column() && proba.is_column() && edges.is_column();
  if (!are_columns || !codes.holds<i64>() || !proba.holds<double>() || !edges.holds<double>()) {
    return nb::none();
  }
  const std::size_t n = proba.size(), n_bins = edges.size() + 1;
  if (codes.size() != n || n_bins > most_edges || !are_codes(codes.data<i64>(), n, 2)) {
    return nb::none();
  }
  const i64* code = codes.data<i64>();
  const double *probability = proba.data<double>(), *edge = edges.data<double>();
  Memory<i64> count(n_bins), happened(n_bins);
  Memory<double> sums(n_bins);
  std::fill_n(count.data, n_bins, 0);
  std::fill_n(happened.data, n_bins, 0);
  std::fill_n(sums.data, n_bins, 0.0);
  // Rounding is monotone, so the edges of lower cells of a grid are below a probability; only those
  // of its own cell are compared.
  constexpr std::size_t cells = 1024;
  const std::size_t last = n_bins - 1;
  const double low = last ? edge[0] : 0, span = last ? edge[last - 1] - low : 0;
  const double factor = span > 1e-300 && span < 1e300 ? static_cast<double>(cells - 1) / span : 0;
  const auto cell_of = [=](double value) {
    const double place = std::min((value - low) * factor, static_cast<double>(cells - 1));
    return static_cast<std::size_t>(place > 0 ? place : 0);  // 0 for no number
  };
  std::size_t below[cells + 1] = {};
  for (std::size_t e = 0; e < last; ++e) ++below[cell_of(edge[e]) + 1];
  for (std::size_t c = 1; c <= cells; ++c) below[c] += below[c - 1];
  for (std::size_t i = 0; i < n; ++i) {
    const double own = probability[i];
    std::size_t bin = std::min(below[cell_of(own)], last);
    while (bin < last && own > edge[bin]) ++bin;
    ++count.data[bin];
    happened.data[bin] += code[i] & 1;
    sums.data[bin] += own;
  }
  return nb::make_tuple(as_array(count.take(), {n_bins}), as_array(happened.take(), {n_bins}),
                        as_array(sums.take(), {n_bins}));
}

// Columns of text, each as rows of characters -> distinct texts in the order of their first rows,
// codes of each column.
nb::object encode_text_(nb::list columns) {
  TextCodes codes;
  nb::list arrays;
  std::vector<Array> kept;  // the texts lie in them
  kept.reserve(nb::len(columns));
  for (nb::handle column : columns) {
    const Array& words = kept.emplace_back(column, Layout::dense);
    if (words.dimensions() != 2 || !words.holds<std::uint32_t>()) return nb::none();
    const TextColumn text{words.data<std::uint32_t>(), words.length(0), words.length(1),
                          static_cast<std::ptrdiff_t>(words.length(1))};
    Memory<i64> own(text.n);
    {
      nb::gil_scoped_release unlocked;
      codes.add(text, own.data);
    }
    arrays.append(as_array(own.take(), {text.n}));
  }
  nb::list texts;
  for (const auto& text : codes.texts()) {
    int order = PY_BIG_ENDIAN ? 1 : -1;  // told, so that a byte order mark stays what it is: text
    const std::vector<std::uint32_t> own(text.data, text.data + text.length);  // read once
    const auto bytes = static_cast<Py_ssize_t>(text.length * sizeof(std::uint32_t));
    const auto* data = reinterpret_cast<const char*>(own.data());
    PyObject* decoded = PyUnicode_DecodeUTF32(data, bytes, "surrogatepass", &order);
    if (decoded == nullptr) throw nb::python_error();
    texts.append(nb::steal(decoded));
  }
  return nb::make_tuple(texts, arrays);
}

// The types that occur.
nb::object types_(nb::handle source) {
  const Array objects(source, Layout::dense);
  if (!objects.holds_objects()) return nb::none();
  nb::set types;
  PyTypeObject* last = nullptr;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    PyTypeObject* own = Py_TYPE(objects.object(i));
    if (own == last) continue;
    last = own;
    types.add(nb::borrow(reinterpret_cast<PyObject*>(own)));
  }
  return types;
}

// Distinct objects in the order of their first rows, and codes. The same object again, as is
// usual for text, is known by its address and not hashed.
nb::object encode_objects_(nb::list columns) {
  constexpr std::size_t cached = 1 << 12;
  std::vector<std::pair<PyObject*, i64>> by_address(cached);
  nb::dict seen;
  nb::list values, arrays;
  for (nb::handle column : columns) {
    const Array objects(column, Layout::dense);
    if (!objects.is_column() || !objects.holds_objects()) return nb::none();
    const std::size_t n = objects.size();
    Memory<i64> own(n);
    for (std::size_t i = 0; i < n; ++i) {
      PyObject* object = objects.object(i);
      auto& [address, code] = by_address[(reinterpret_cast<std::uintptr_t>(object) >> 4) % cached];
      if (address != object) {
        // Held while its hash, which may be Python's, lets another thread replace it.
        const nb::object held = nb::borrow(object);
        PyObject* known = PyDict_GetItemWithError(seen.ptr(), object);
        if (known == nullptr) {
          if (PyErr_Occurred()) throw nb::python_error();
          code = static_cast<i64>(nb::len(values));
          seen[held] = code;
          values.append(held);
        } else {
          code = PyLong_AsLongLong(known);
        }
        address = object;
      }
      own.data[i] = code;
    }
    arrays.append(as_array(own.take(), {n}));
  }
  return nb::make_tuple(values, arrays);
}

}  // namespace

void bind_labels(nb::module_& m) {
  define(m, "all_finite", &all_finite_);
  define(m, "value_range", &value_range_);
  define(m, "encode_integers", &encode_integers_);
  define(m, "binned_events", &binned_events_);
  define(m, "confusion", &confusion_);
  define(m, "encode_text", &encode_text_);
  define(m, "encode_objects", &encode_objects_);
  define(m, "squared_distances", &squared_distances_);
  define(m, "tabulate", &tabulate_);
  define(m, "types", &types_);
}

}  // namespace skm
