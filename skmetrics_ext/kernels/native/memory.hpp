// Working memory: small blocks are kept by each thread, large ones ask for huge pages, because
// the page faults of fresh memory cost as much as a pass over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace skm {

constexpr std::size_t kept_bytes = std::size_t{16} << 20;  // a million rows with weights
constexpr std::size_t large_bytes = std::size_t{4} << 20;
constexpr std::size_t huge_page = std::size_t{2} << 20;

// Uninitialised memory, to be given to `release`.
inline void* acquire(std::size_t bytes) {
  void* block = std::malloc(bytes ? bytes : 1);
  if (block == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  if (bytes > large_bytes) {
    const auto start = reinterpret_cast<std::uintptr_t>(block), end = start + bytes;
    const auto first = (start + huge_page - 1) / huge_page * huge_page;
    madvise(reinterpret_cast<void*>(first), end / huge_page * huge_page - first, MADV_HUGEPAGE);
  }
#endif
  return block;
}

// The same block, of which only so much is used from now on.
inline void* shrink(void* block, std::size_t bytes) noexcept {
  void* smaller = std::realloc(block, bytes ? bytes : 1);
  return smaller ? smaller : block;
}

inline void release(void* block) noexcept { std::free(block); }

template <class T>
std::size_t bytes_of(std::size_t count) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 4 / sizeof(T);
  if (count > most) throw std::bad_alloc();
  return count * sizeof(T);
}

constexpr std::size_t prefetched_rows = std::size_t{1} << 16;  // more are not in a near cache

// Asks for what will be read in a moment, if it lies beyond the caches: from there the hardware
// alone fetches too late.
template <class T>
inline void fetch_ahead(const T* now, bool uncached) {
#if defined(__GNUC__) || defined(__clang__)
  constexpr std::uintptr_t distance = 2048;
  const auto address = reinterpret_cast<std::uintptr_t>(now) + distance;
  if (uncached) __builtin_prefetch(reinterpret_cast<const void*>(address));
#else
  (void)now, (void)uncached;
#endif
}

// The blocks that one thread may use at a time.
enum class Slot { first, second, table, column, count };

// A block that its thread keeps for the next call.
class Kept {
 public:
  Kept() = default;
  ~Kept() { release(block_); }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  void* grow(std::size_t bytes) {
    if (size_ < bytes || block_ == nullptr) {
      release(block_);
      block_ = nullptr;
      block_ = acquire(bytes);
      size_ = bytes;
    }
    return block_;
  }

 private:
  void* block_ = nullptr;
  std::size_t size_ = 0;
};

// The thread's own block of a slot. One of them is in use at a time, whatever it holds.
inline void* kept_block(Slot slot, std::size_t bytes) {
  thread_local Kept kept[static_cast<int>(Slot::count)];
  return kept[static_cast<int>(slot)].grow(bytes);
}

// Working memory of a function. A thread keeps up to `kept_bytes` of each slot until it ends. With
// `times` there is so much room, of which only the first part is used if all goes well: the rest
// has addresses and no memory.
template <class T>
class Scratch {
 public:
  Scratch(Slot slot, std::size_t count, std::size_t times = 1) {
    const std::size_t bytes = bytes_of<T>(count * times);
    if (bytes > kept_bytes * times) {
      owned_ = acquire(bytes);
      data_ = static_cast<T*>(owned_);
      return;
    }
    data_ = static_cast<T*>(kept_block(slot, bytes));
  }

  ~Scratch() { release(owned_); }

  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }

 private:
  T* data_ = nullptr;
  void* owned_ = nullptr;
};

}  // namespace skm
