// counting.hpp - what a vector of the standard library does to its memory, for the run that counts.
//
// Such a vector grows when it is full: so whenever it takes memory while it has some, all that it
// has is moved.

#ifndef ASHLAR_BENCH_VECTOR_COUNTING_HPP
#define ASHLAR_BENCH_VECTOR_COUNTING_HPP

#include <memory_resource>
#include <new>

#include "subject.h"

class growth_counter
{
  public:
    explicit growth_counter(counts *to) : to_(to) {}
    void took(std::size_t bytes)
    {
        to_->growths++;
        to_->moved_bytes += held_;
        held_ = bytes;
    }

  private:
    counts *to_;
    std::size_t held_ = 0;
};

template <class T> class counting_allocator
{
  public:
    using value_type = T;
    explicit counting_allocator(growth_counter *counter) : counter_(counter) {}
    T *allocate(std::size_t count)
    {
        counter_->took(count * sizeof(T));
        return static_cast<T *>(::operator new(count * sizeof(T)));
    }
    void deallocate(T *p, std::size_t)
    {
        ::operator delete(p);
    }
    bool operator==(const counting_allocator &other) const
    {
        return counter_ == other.counter_;
    }
    bool operator!=(const counting_allocator &other) const
    {
        return counter_ != other.counter_;
    }

  private:
    growth_counter *counter_;
};

class counting_resource : public std::pmr::memory_resource
{
  public:
    counting_resource(std::pmr::memory_resource *under, growth_counter *counter)
        : under_(under), counter_(counter)
    {
    }

  private:
    void *do_allocate(std::size_t bytes, std::size_t align) override
    {
        counter_->took(bytes);
        return under_->allocate(bytes, align);
    }
    void do_deallocate(void *p, std::size_t bytes, std::size_t align) override
    {
        under_->deallocate(p, bytes, align);
    }
    bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override
    {
        return this == &other;
    }
    std::pmr::memory_resource *under_;
    growth_counter *counter_;
};

#endif
