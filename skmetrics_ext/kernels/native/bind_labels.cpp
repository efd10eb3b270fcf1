// Bindings of the kernels on labels and plain columns. Functions answer None where the case is
// left to NumPy.
#include "arrays.hpp"
#include "labels.hpp"

namespace skm {
namespace {

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

// A dense array of objects, held while it is read.
class Objects {
 public:
  explicit Objects(nb::handle array) {
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_CONTIG_RO | PyBUF_FORMAT) != 0) {
      throw nb::python_error();
    }
  }
  ~Objects() { PyBuffer_Release(&view_); }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  std::size_t size() const { return static_cast<std::size_t>(view_.len / view_.itemsize); }
  PyObject* operator[](std::size_t i) const { return static_cast<PyObject**>(view_.buf)[i]; }

 private:
  Py_buffer view_;
};

// The types that occur.
nb::object types_(nb::object array) {
  const Objects objects(array);
  nb::set types;
  PyTypeObject* last = nullptr;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (Py_TYPE(objects[i]) == last) continue;
    last = Py_TYPE(objects[i]);
    types.add(nb::handle(reinterpret_cast<PyObject*>(last)));
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
    const Objects objects(column);
    const std::size_t n = objects.size();
    Memory<i64> own(n);
    for (std::size_t i = 0; i < n; ++i) {
      PyObject* object = objects[i];
      auto& [address, code] = by_address[(reinterpret_cast<std::uintptr_t>(object) >> 4) % cached];
      if (address != object) {
        PyObject* known = PyDict_GetItemWithError(seen.ptr(), object);
        if (known == nullptr) {
          if (PyErr_Occurred()) throw nb::python_error();
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
    arrays.append(as_array(own.take(), {n}));
  }
  return nb::make_tuple(values, arrays);
}

}  // namespace

void bind_labels(nb::module_& m) {
  m.def("all_finite", &all_finite_, nb::arg("values"));
  m.def("value_range", &value_range_, nb::arg("values"));
  m.def("encode_integers", &encode_integers_, nb::arg("columns"), nb::arg("cells_per_row"),
        nb::arg("small"));
  m.def("confusion", &confusion_, nb::arg("true"), nb::arg("pred"), nb::arg("n_classes"));
  m.def("encode_text", &encode_text_, nb::arg("columns"));
  m.def("encode_objects", &encode_objects_, nb::arg("columns"));
  m.def("types", &types_, nb::arg("objects"));
}

}  // namespace skm
