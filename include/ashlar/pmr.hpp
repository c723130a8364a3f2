/*
 * pmr.hpp - resources of the library and of std::pmr under each other; C++17 and later.
 *
 *     ash::resource_adaptor  an ash_resource as a std::pmr::memory_resource
 *     ash::from_pmr          a std::pmr::memory_resource as an ash_resource
 *
 * Each costs one indirect call more.
 */
#ifndef ASHLAR_PMR_HPP
#define ASHLAR_PMR_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory_resource>
#include <new>
#include <type_traits>

#include "ashlar/resource.h"

namespace ash
{

namespace detail_
{

[[noreturn]] inline void throw_bad_alloc()
{
#ifdef __cpp_exceptions
    throw std::bad_alloc();
#else
    std::terminate();
#endif
}

} // namespace detail_

/**
 * resource_adaptor - an ash_resource, seen as a std::pmr::memory_resource.
 *
 * resource  NULL: ash_default(), looked up now. It must outlive the adaptor.
 * allocate  std::bad_alloc where the resource refuses; an alignment over ASH_ALIGN_MAX is refused.
 * is_equal  two are equal if they are over the same resource; without RTTI, if they are the same.
 * Threads   as the resource says.
 * Example:
 *     ash::resource_adaptor pages(ash_pages());
 *     std::pmr::vector<double> samples(1 << 20, &pages);
 */
class resource_adaptor : public std::pmr::memory_resource
{
  public:
    explicit resource_adaptor(ash_resource *resource) noexcept
        : resource_(resource ? resource : ash_default())
    {
    }
    resource_adaptor(const resource_adaptor &) = default;
    resource_adaptor &operator=(const resource_adaptor &) = delete;
    ~resource_adaptor() override = default;

    ash_resource *upstream() const noexcept
    {
        return resource_;
    }

  protected:
    void *do_allocate(std::size_t size, std::size_t align) override
    {
        void *p = ash_resource_alloc(resource_, size, align);
        if (!p)
            detail_::throw_bad_alloc();
        return p;
    }
    void do_deallocate(void *p, std::size_t size, std::size_t align) override
    {
        ash_resource_free(resource_, p, size, align);
    }
    bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override
    {
#ifdef __cpp_rtti
        const auto *adaptor = dynamic_cast<const resource_adaptor *>(&other);
        return adaptor && adaptor->resource_ == resource_;
#else
        return this == &other;
#endif
    }

  private:
    ash_resource *resource_;
};

/**
 * from_pmr - a std::pmr::memory_resource, seen as an ash_resource.
 *
 * upstream  NULL: std::pmr::get_default_resource(), looked up now. It must outlive this object, and this
 *           object what uses it.
 * alloc     whatever upstream throws is answered with NULL.
 * epoch     that of the ash_resource where upstream is a resource_adaptor, as arena::resource() is, and there
 *           is RTTI: growth inside a younger scope is reported then as without the two between. Else 0.
 * Threads   as upstream says.
 * Example:
 *     ash::from_pmr upstream(&pool);
 *     ash_arena_config config{};
 *     config.upstream = upstream.get();
 *     ash::arena arena(config);
 */
class from_pmr
{
  public:
    explicit from_pmr(std::pmr::memory_resource *upstream) noexcept
        : resource_{table()}, upstream_(upstream ? upstream : std::pmr::get_default_resource()),
          adapted_(adapted_by(upstream_))
    {
    }
    from_pmr(const from_pmr &) = delete;
    from_pmr &operator=(const from_pmr &) = delete;

    ash_resource *get() noexcept
    {
        return &resource_;
    }

  private:
    static std::pmr::memory_resource *upstream_of(ash_resource *self) noexcept
    {
        return reinterpret_cast<from_pmr *>(self)->upstream_;
    }
    static void *allocate(ash_resource *self, std::size_t size, std::size_t align) noexcept
    {
#ifdef __cpp_exceptions
        try {
            return upstream_of(self)->allocate(size, align);
        } catch (...) {
            return nullptr;
        }
#else
        return upstream_of(self)->allocate(size, align);
#endif
    }
    static void deallocate(ash_resource *self, void *p, std::size_t size,
                           std::size_t align) noexcept
    {
        upstream_of(self)->deallocate(p, size, align);
    }
    static ash_resource *adapted_by(std::pmr::memory_resource *upstream) noexcept
    {
#ifdef __cpp_rtti
        auto *adaptor = dynamic_cast<resource_adaptor *>(upstream);
        return adaptor ? adaptor->upstream() : nullptr;
#else
        (void)upstream;
        return nullptr;
#endif
    }
    static std::uint64_t epoch(const ash_resource *self) noexcept
    {
        return ash_resource_epoch(reinterpret_cast<const from_pmr *>(self)->adapted_);
    }
    static const char *name(const ash_resource *) noexcept
    {
        return "std::pmr::memory_resource";
    }
    static constexpr ash_resource_ops operations() noexcept
    {
        ash_resource_ops all{};
        all.alloc = allocate;
        all.free = deallocate;
        all.epoch = epoch;
        all.name = name;
        return all;
    }
    static const ash_resource_ops *table() noexcept
    {
        static constexpr ash_resource_ops all = operations();
        return &all;
    }

    ash_resource resource_; /* first: found by its address */
    std::pmr::memory_resource *upstream_;
    ash_resource
        *adapted_; /* what upstream is an adaptor of; nullptr: of nothing, or it is not known */
};
static_assert(std::is_standard_layout_v<from_pmr>, "an ash_resource * is cast to a from_pmr *");

} // namespace ash

#endif
