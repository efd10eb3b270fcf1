// Sums of weights: exact for integers, compensated for floats (Knuth's two-sum).
#pragma once

#include <cstdint>

namespace skm {

template <class W>
class Sum;

template <>
class Sum<std::int64_t> {
 public:
  void add(std::int64_t value) { total_ += value; }
  std::int64_t value() const { return total_; }

 private:
  std::int64_t total_ = 0;
};

template <>
class Sum<double> {
 public:
  void add(double value) {
    const double total = total_ + value, added = total - total_;
    lost_ += (total_ - (total - added)) + (value - added);
    total_ = total;
  }
  double value() const { return total_ + lost_; }

 private:
  double total_ = 0, lost_ = 0;
};

}  // namespace skm
