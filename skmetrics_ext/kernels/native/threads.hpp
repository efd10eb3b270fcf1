// Tasks shared by threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace skm {

// Threads that are joined whatever happens: one that is given up unjoined ends the process.
class Joined {
 public:
  Joined() = default;
  ~Joined() {
    for (auto& thread : threads_) thread.join();
  }
  Joined(const Joined&) = delete;
  Joined& operator=(const Joined&) = delete;

  // As many as can be started: limits of the system on threads and on memory leave fewer.
  template <class Work>
  void start(std::size_t count, const Work& work) noexcept {
    try {
      threads_.reserve(count);
      while (threads_.size() < count) threads_.emplace_back(std::cref(work));
    } catch (const std::exception&) {
    }
  }

 private:
  std::vector<std::thread> threads_;
};

// Calls `task(i)` for every i below `count`, on up to `threads` threads, this one among them. Each
// takes the next task that nobody has taken, so that those there are do all of them. The first
// exception ends the work and is thrown here.
template <class Task>
void share(std::size_t count, std::size_t threads, const Task& task) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::once_flag failed;
  const auto work = [&]() noexcept {
    try {
      for (std::size_t i = next++; i < count; i = next++) task(i);
    } catch (...) {
      next = count;
      std::call_once(failed, [&] { error = std::current_exception(); });
    }
  };
  {
    Joined others;
    others.start(std::min(threads, count) - (count > 0), work);
    work();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace skm
