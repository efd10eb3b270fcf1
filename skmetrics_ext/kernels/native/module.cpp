// The extension module.
#include "arrays.hpp"

namespace skm {

PyObject* numpy_int64 = nullptr;
PyObject* numpy_array = nullptr;

}  // namespace skm

NB_MODULE(_compiled, m) {
  const auto numpy = nanobind::module_::import_("numpy");
  skm::numpy_int64 = nanobind::object(numpy.attr("dtype")("int64")).release().ptr();
  skm::numpy_array = nanobind::object(numpy.attr("ndarray")).release().ptr();
  skm::bind_labels(m);
  skm::bind_ranks(m);
}
