// Arrays of Python: read in place, and made of memory that a kernel filled.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "keys.hpp"
#include "memory.hpp"

namespace skm {

namespace nb = nanobind;

// What NumPy calls its own, kept for ever and set when the module is made. A buffer of 64-bit
// integers would become an array of "long long", which is as wide but prints as another type.
extern PyObject* numpy_int64;
extern PyObject* numpy_array;

// How an array may lie in memory.
enum class Layout { strided, dense };

// An array of NumPy, held while it is read: in place where the machine can read it so, and else
// copied. Columns of packed records begin at odd addresses, and their rows lie at distances that
// are no multiple of their size. What is no plain array, or of another type, is of no type here.
class Array {
 public:
  explicit Array(nb::handle source, Layout layout = Layout::strided) {
    if (reinterpret_cast<PyObject*>(Py_TYPE(source.ptr())) != numpy_array) return;
    open(source);
    if (view_.buf == nullptr || lies(layout)) return;
    PyBuffer_Release(&view_);
    open(source.attr("copy")());
    in_place_ = false;
  }
  ~Array() { PyBuffer_Release(&view_); }
  Array(Array&& other) noexcept
      : view_(other.view_), kind_(other.kind_), in_place_(other.in_place_) {
    other.view_ = Py_buffer{};
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  // Whether its elements are numbers of the type.
  template <class T>
  bool holds() const {
    const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
    return kind_ == kind && view_.itemsize == static_cast<Py_ssize_t>(sizeof(T));
  }
  bool holds_objects() const { return kind_ == 'O'; }

  std::size_t dimensions() const { return static_cast<std::size_t>(view_.ndim); }
  bool is_column() const { return kind_ != 0 && view_.ndim == 1; }
  // Whether the elements fill one block, in whatever order.
  bool is_block() const { return kind_ != 0 && PyBuffer_IsContiguous(&view_, 'A'); }
  std::size_t size() const { return static_cast<std::size_t>(view_.len / view_.itemsize); }
  std::size_t length(int axis) const { return static_cast<std::size_t>(view_.shape[axis]); }
  std::ptrdiff_t stride(int axis) const {
    return view_.shape[axis] > 1 ? view_.strides[axis] / view_.itemsize : 1;
  }

  // Whether this is the memory of the source, not of a copy.
  bool is_in_place() const { return in_place_; }

  // Element of dense objects; an element that was never set is None.
  PyObject* object(std::size_t i) const {
    PyObject* found = static_cast<PyObject* const*>(view_.buf)[i];
    return found == nullptr ? Py_None : found;
  }

  template <class T>
  const T* data() const {
    return static_cast<const T*>(view_.buf);
  }
  template <class T>
  Column<T> column(int axis = 0) const {
    return {data<T>(), stride(axis)};
  }

 private:
  void open(nb::handle source) {
    if (PyObject_GetBuffer(source.ptr(), &view_, PyBUF_RECORDS_RO) != 0) {
      PyErr_Clear();  // a type that buffers do not know, as dates
      view_ = Py_buffer{};
      return;
    }
    kind_ = kind_of(view_.format);
  }

  static char kind_of(const char* format) {
    if (format == nullptr || format[0] == 0 || format[1] != 0) return 0;
    switch (format[0]) {
      case '?': case 'B': case 'H': case 'I': case 'L': case 'Q': return 'u';
      case 'b': case 'h': case 'i': case 'l': case 'q': return 'i';
      case 'f': case 'd': return 'f';
      case 'O': return 'O';
      default: return 0;
    }
  }

  bool lies(Layout layout) const {
    const std::ptrdiff_t size = view_.itemsize;
    if (size == 0) return true;
    const auto address = reinterpret_cast<std::uintptr_t>(view_.buf);
    if (address % static_cast<std::uintptr_t>(std::min<std::ptrdiff_t>(size, 8))) return false;
    std::ptrdiff_t dense = size;
    for (int axis = view_.ndim - 1; axis >= 0; --axis) {
      if (view_.shape[axis] > 1) {
        const auto stride = view_.strides[axis];
        if (stride % size != 0 || (layout == Layout::dense && stride != dense)) return false;
      }
      dense *= view_.shape[axis];
    }
    return true;
  }

  Py_buffer view_{};
  char kind_ = 0;
  bool in_place_ = true;
};

template <class T>
struct Memory {
  explicit Memory(std::size_t count) : data(static_cast<T*>(acquire(bytes_of<T>(count)))) {}
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

template <class T>
nb::object as_array(T* data, std::initializer_list<std::size_t> shape) {
  nb::capsule owner(data, [](void* block) noexcept { release(block); });
  nb::object array = nb::cast(nb::ndarray<nb::numpy, T>(data, shape, owner));
  if constexpr (std::is_same_v<T, i64>) return array.attr("view")(nb::handle(numpy_int64));
  return array;
}

// A function of the module. What it is called with in another way (a number of classes that is
// no number) is left to NumPy as well, whose error is then the only one.
template <class Function, class... Extra>
void define(nb::module_& m, const char* name, Function function, Extra... extra) {
  m.def(name, function, extra...);
  m.def(name, [](nb::args) { return nb::none(); });
}

void bind_labels(nb::module_& m);
void bind_ranks(nb::module_& m);

}  // namespace skm
