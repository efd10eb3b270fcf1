// Arrays of Python: read in place, and made of memory that a kernel filled.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <type_traits>

#include "keys.hpp"
#include "memory.hpp"

namespace skm {

namespace nb = nanobind;

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

// NumPy's own int64, kept for ever and set when the module is made. A buffer of 64-bit integers
// would become an array of "long long", which is as wide but prints as another type.
extern PyObject* numpy_int64;

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

void bind_labels(nb::module_& m);
void bind_ranks(nb::module_& m);

}  // namespace skm
