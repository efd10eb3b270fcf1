// The extension module.
#include "arrays.hpp"

namespace skm {

PyObject* numpy_int64 = nullptr;

}  // namespace skm

NB_MODULE(_compiled, m) {
  skm::numpy_int64 =
      nanobind::module_::import_("numpy").attr("dtype")("int64").release().ptr();
  skm::bind_labels(m);
  skm::bind_ranks(m);
}
