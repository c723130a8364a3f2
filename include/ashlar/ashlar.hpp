/*
 * ashlar.hpp - the library from C++17 and later: objects of any class, smart pointers, std::pmr.
 *
 *     ash::arena             owns an ash_arena; make<T>, make_array<T>, make_unique<T>, make_shared<T>
 *     ash::scope             what was made since dies at the end of a block, exceptions included
 *     ash::deleter<T>        for std::unique_ptr; ash::unique_ptr<T>
 *     ash::allocator<T>      for containers and std::allocate_shared: memory that is deleted one by one
 *     pmr.hpp                resources of std::pmr over those of the library, and under them
 *
 * Out of memory is std::bad_alloc; what begins with try_ answers nullptr. Without exceptions it is
 * std::terminate, and there is try_. A destructor that throws is std::terminate too. Misuse is reported as
 * in C, see fatal.h. Nothing here is compiled into the library.
 *
 * Cost: make is ash_object_new for a class that has a destructor and a constructor that is noexcept; if it may
 * throw, two calls of C, and the type word is written twice. Without a destructor it is ash_object_alloc.
 */
#ifndef ASHLAR_ASHLAR_HPP
#define ASHLAR_ASHLAR_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#if defined(__has_include) && __cplusplus >= 202002L
#if __has_include(<span>)
#include <span>
#endif
#endif

#include "ashlar/ashlar.h"
#include "ashlar/pmr.hpp"

namespace ash
{

/* ---- not for users ---- */

namespace detail_
{

/* A type's name is cut out of the name of a function, where the compiler writes it as the user did. */
template <class T> constexpr const char *signature()
{
#if defined(__GNUC__) || defined(__clang__)
    return __PRETTY_FUNCTION__;
#else
    return "T = C++ object]";
#endif
}

constexpr std::string_view cut(std::string_view signature)
{
    std::size_t start = signature.find("T = ") + 4;
    return signature.substr(start, signature.rfind(']') - start);
}

template <class T> constexpr auto terminated_name()
{
    constexpr std::string_view name = cut(signature<T>());
    std::array<char, name.size() + 1> copy{};
    for (std::size_t i = 0; i < name.size(); i++)
        copy[i] = name[i];
    return copy;
}

template <class T> inline constexpr auto name_of = terminated_name<T>();

template <class T> void end_life(void *self) noexcept
{
    static_cast<T *>(self)->~T();
}

template <class T> constexpr ash_type describe()
{
    ash_type type{};
    type.name = name_of<T>.data();
    type.size = sizeof(T);
    type.align = alignof(T);
    if constexpr (!std::is_trivially_destructible_v<T>)
        type.destroy = end_life<T>;
    return type;
}

template <class T> inline constexpr ash_type type_of = describe<T>();

template <class T> constexpr void check_type()
{
    static_assert(std::is_object_v<T> && !std::is_array_v<T>,
                  "ash::arena makes objects, not void; arrays with make_array<T>(count)");
    static_assert(!std::is_const_v<T> && !std::is_volatile_v<T>,
                  "ash::arena makes objects that can be written: name the type without const");
    static_assert(!std::is_abstract_v<T>, "ash::arena cannot make an object of an abstract class");
    static_assert(std::is_destructible_v<T>, "ash::arena needs a destructor that it can call");
    static_assert(alignof(T) <= ASH_ALIGN_MAX, "the alignment is over ASH_ALIGN_MAX");
}

using any_allocator = std::pmr::polymorphic_allocator<std::byte>;

/* Calls `make` with the arguments, and with the resource where T takes an allocator and was given none. */
template <class T, class Make, class... A>
decltype(auto) with_allocator(Make make, std::pmr::memory_resource *resource, A &&...args)
{
    if constexpr (!std::uses_allocator_v<T, any_allocator>)
        return make(std::forward<A>(args)...);
    else if constexpr (std::is_constructible_v<T, std::allocator_arg_t, any_allocator, A...>)
        return make(std::allocator_arg, any_allocator(resource), std::forward<A>(args)...);
    else if constexpr (std::is_constructible_v<T, A..., any_allocator>)
        return make(std::forward<A>(args)..., any_allocator(resource));
    else
        return make(std::forward<A>(args)...);
}

/* Braces are for aggregates, which parentheses cannot make before C++20. */
template <class T, class... A>
T *construct(void *place, std::pmr::memory_resource *resource, A &&...args)
{
    auto make = [place](auto &&...all) {
        if constexpr (std::is_constructible_v<T, decltype(all)...>)
            return ::new (place) T(std::forward<decltype(all)>(all)...);
        else
            return ::new (place) T{std::forward<decltype(all)>(all)...};
    };
    return with_allocator<T>(make, resource, std::forward<A>(args)...);
}

/* Memory in which objects are being made. Unless it is finished, it is as if it had never been taken. */
class typed_place
{
  public:
    typed_place(ash_arena *arena, const ash_type *type, std::size_t count) noexcept
        : making_{arena, type, count, nullptr, 0}, taken_(ash_making_begin_(&making_))
    {
    }
    ~typed_place()
    {
        if (taken_)
            ash_making_abandon_(&making_);
    }
    typed_place(const typed_place &) = delete;
    typed_place &operator=(const typed_place &) = delete;

    void *get() const noexcept
    {
        return making_.object;
    }
    void finish() noexcept
    {
        ash_making_finish_(&making_);
        taken_ = false;
    }

  private:
    ash_making_ making_;
    bool taken_;
};

/* The same for what needs no destructor, and so no type word. */
class untyped_place
{
  public:
    untyped_place(ash_arena *arena, const ash_type *type, std::size_t count) noexcept
        : arena_(arena),
          object_(ash_object_alloc(
              arena, count > SIZE_MAX / type->size ? SIZE_MAX : count * type->size, type->align))
    {
    }
    ~untyped_place()
    {
        if (object_)
            ash_delete(arena_, object_);
    }
    untyped_place(const untyped_place &) = delete;
    untyped_place &operator=(const untyped_place &) = delete;

    void *get() const noexcept
    {
        return object_;
    }
    void finish() noexcept
    {
        object_ = nullptr;
    }

  private:
    ash_arena *arena_;
    void *object_;
};

/* The same where nothing can be thrown: it may have its type from the start. A rewind past it is refused all
 * the same. */
class sure_place
{
  public:
    sure_place(ash_arena *arena, const ash_type *type, std::size_t count) noexcept
        : arena_(arena), floor_(arena->floor_), object_(ash_object_new(arena, type, count))
    {
        if (object_)
            arena->floor_ = arena->marks_;
    }
    sure_place(const sure_place &) = delete;
    sure_place &operator=(const sure_place &) = delete;

    void *get() const noexcept
    {
        return object_;
    }
    void finish() noexcept
    {
        arena_->floor_ = floor_;
    }

  private:
    ash_arena *arena_;
    std::uint64_t floor_;
    void *object_;
};

/* ash_object_new zeroes; that is cheaper than a second type word for what is small. */
template <class T, class... A>
inline constexpr bool is_sure = sizeof(T) <= 256 && std::is_nothrow_constructible_v<T, A...> &&
                                !std::uses_allocator_v<T, any_allocator>;

template <class T, bool Sure = false>
using place_for = std::conditional_t<std::is_trivially_destructible_v<T>, untyped_place,
                                     std::conditional_t<Sure, sure_place, typed_place>>;

/* The elements of an array that have been made; unless released, they are destroyed, the last one first. */
template <class T> class elements
{
  public:
    explicit elements(void *place) noexcept : first_(static_cast<T *>(place)) {}
    ~elements()
    {
        while (count_)
            first_[--count_].~T();
    }
    elements(const elements &) = delete;
    elements &operator=(const elements &) = delete;

    template <class... A> void add(std::pmr::memory_resource *resource, const A &...args)
    {
        construct<T>(first_ + count_, resource, args...);
        count_++;
    }
    T *release() noexcept
    {
        count_ = 0;
        return first_;
    }

  private:
    T *first_;
    std::size_t count_ = 0;
};

/* May a U be deleted through a pointer to T? Both may be incomplete if they are the same. */
template <class U, class T>
inline constexpr bool may_delete_as =
    std::conjunction_v<std::is_convertible<U *, T *>,
                       std::disjunction<std::is_same<std::remove_cv_t<U>, std::remove_cv_t<T>>,
                                        std::has_virtual_destructor<T>>>;

template <class T> void *address_of(T *p) noexcept
{
    return const_cast<void *>(static_cast<const volatile void *>(p));
}

/* Where the whole object begins that *p is a part of. Asked of the object only if it does not begin at p: a
 * dead one cannot be asked. */
template <class T> void *start_of(const ash_arena *arena, T *p) noexcept
{
    void *start = address_of(p);
#ifdef __cpp_rtti
    if constexpr (std::is_polymorphic_v<T> && !std::is_final_v<T>)
        if (p && ash_object_inspect(arena, start) == ASH_OBJECT_FOREIGN)
            start = const_cast<void *>(dynamic_cast<const volatile void *>(p));
#endif
    (void)arena;
    return start;
}

} // namespace detail_

namespace detail_
{

/* An arena's plain memory. As the adaptor it is, but it allocates in line. */
class arena_memory final : public resource_adaptor
{
  public:
    explicit arena_memory(ash_arena *arena) noexcept
        : resource_adaptor(ash_arena_resource(arena)), arena_(arena)
    {
    }

  private:
    void *do_allocate(std::size_t size, std::size_t align) override
    {
        void *p = ash_alloc(arena_, size, align);
        if (!p)
            throw_bad_alloc();
        return p;
    }

    ash_arena *arena_;
};

} // namespace detail_

/* ---- pointers that delete, and memory for containers ---- */

class arena;

/**
 * deleter - for std::unique_ptr, as arena::make_unique makes it: runs the destructor, gives the memory back.
 *
 * The object belongs to the pointer alone: no rewind runs its destructor. So a pointer may be a member of
 * what is itself on the arena, older or newer; but one that outlives the memory is reported when it deletes.
 * A deleter for a class becomes one for a base of it that has a virtual destructor.
 */
template <class T> class deleter
{
  public:
    deleter() noexcept = default;
    template <class U, class = std::enable_if_t<detail_::may_delete_as<U, T>>>
    deleter(const deleter<U> &other) noexcept : arena_(other.arena_)
    {
    }
    void operator()(T *p) const noexcept
    {
        void *start = detail_::start_of(arena_, p);
        if (ash_object_inspect(arena_, start) == ASH_OBJECT_LIVE)
            p->~T();
        ash_delete(arena_, start); /* reports what does not live */
    }

  private:
    friend arena;
    template <class U> friend class deleter;
    explicit deleter(ash_arena *arena) noexcept : arena_(arena) {}

    ash_arena *arena_ = nullptr;
};

/* The same for arrays, the last element first. */
template <class T> class deleter<T[]>
{
  public:
    deleter() noexcept = default;
    template <class U, class = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>>>
    deleter(const deleter<U[]> &other) noexcept : arena_(other.arena_), count_(other.count_)
    {
    }
    void operator()(T *p) const noexcept
    {
        void *start = detail_::address_of(p);
        bool live = ash_object_inspect(arena_, start) == ASH_OBJECT_LIVE;
        for (std::size_t left = live ? count_ : 0; left-- > 0;)
            p[left].~T();
        ash_delete(arena_, start);
    }

  private:
    friend arena;
    template <class U> friend class deleter;
    deleter(ash_arena *arena, std::size_t count) noexcept : arena_(arena), count_(count) {}

    ash_arena *arena_ = nullptr;
    std::size_t count_ = 0;
};

template <class T> using unique_ptr = std::unique_ptr<T, deleter<T>>;

/**
 * allocator - a C++17 allocator over the untyped objects of an arena.
 *
 * What it hands out comes back one by one and in any order: for lists, maps and std::allocate_shared. What
 * mostly grows, or goes with everything else, is better off with arena::resource(). It does not propagate:
 * a container keeps to its arena, and elements are moved one by one from another one's.
 *
 * Fails    std::bad_alloc; std::bad_array_new_length where the size does not fit.
 * Example:
 *     std::list<int, ash::allocator<int>> numbers(ash::allocator<int>(arena));
 */
template <class T> class allocator
{
  public:
    using value_type = T;

    allocator(ash_arena *arena) noexcept : arena_(arena) {}
    allocator(arena &arena) noexcept;
    template <class U> allocator(const allocator<U> &other) noexcept : arena_(other.get_arena()) {}

    [[nodiscard]] T *allocate(std::size_t count)
    {
        static_assert(alignof(T) <= ASH_ALIGN_MAX, "the alignment is over ASH_ALIGN_MAX");
        std::size_t size = count > SIZE_MAX / sizeof(T) ? SIZE_MAX : count * sizeof(T);
        void *p = ash_object_alloc(arena_, size, alignof(T));
        if (!p)
            refuse(size);
        return static_cast<T *>(p);
    }
    void deallocate(T *p, std::size_t) noexcept
    {
        ash_delete(arena_, p);
    }
    ash_arena *get_arena() const noexcept
    {
        return arena_;
    }

  private:
    [[noreturn]] static void refuse(std::size_t size)
    {
#ifdef __cpp_exceptions
        if (size == SIZE_MAX)
            throw std::bad_array_new_length();
#endif
        (void)size;
        detail_::throw_bad_alloc();
    }

    ash_arena *arena_;
};

template <class T, class U> bool operator==(const allocator<T> &a, const allocator<U> &b) noexcept
{
    return a.get_arena() == b.get_arena();
}

template <class T, class U> bool operator!=(const allocator<T> &a, const allocator<U> &b) noexcept
{
    return a.get_arena() != b.get_arena();
}

/* ---- the arena ---- */

/**
 * arena - owns an ash_arena, and makes objects of any class on it.
 *
 * Its end, a rewind, a reset and a release run the destructors of what was made and not yet destroyed,
 * newest first. It cannot be copied or moved, as an ash_arena cannot.
 *
 * Fails    std::bad_alloc where ash_arena_init is false. The first and the third never fail.
 * Threads  one thread at a time; const functions may run at once.
 * Example:
 *     ash::arena arena;
 *     parser *p = arena.make<parser>(file, 80);
 *     auto *words = arena.make<std::pmr::vector<std::pmr::string>>();   // all of it on the arena
 */
class arena
{
  public:
    arena() noexcept
    {
        (void)ash_arena_init(&arena_, nullptr);
        ash_arena_resource(&arena_);
    }
    explicit arena(const ash_arena_config &config)
    {
        if (!ash_arena_init(&arena_, &config))
            detail_::throw_bad_alloc();
        ash_arena_resource(&arena_);
    }
    /* Over one buffer; it never asks anyone for more. */
    arena(void *buffer, std::size_t size) noexcept
    {
        ash_arena_init_fixed(&arena_, buffer, size);
        ash_arena_resource(&arena_);
    }
#ifdef __cpp_lib_span
    explicit arena(std::span<std::byte> buffer) noexcept : arena(buffer.data(), buffer.size()) {}
#endif
    ~arena()
    {
        ash_arena_deinit(&arena_);
    }
    arena(const arena &) = delete;
    arena &operator=(const arena &) = delete;

    /* For all functions of C. */
    ash_arena *get() noexcept
    {
        return &arena_;
    }
    const ash_arena *get() const noexcept
    {
        return &arena_;
    }

    /* Its plain memory for containers of std::pmr: deallocate gives back the newest, else nothing. It lives as
     * long as the arena. */
    std::pmr::memory_resource *resource() noexcept
    {
        return &resource_;
    }

    /**
     * make, try_make - an object of class T.
     *
     * args     forwarded to a constructor; an aggregate is filled with them. A T that takes an allocator of
     *          std::pmr, and was given none, gets resource(): containers and strings, and what is in them.
     * Returns  the object. It can be destroyed alone, trivial or not.
     * Fails    make: std::bad_alloc. try_make: nullptr. Both: whatever the constructor throws. Nothing is
     *          left then of the object; what its constructor made on the arena it has to destroy itself.
     * Requires the constructor rewinds at most to marks it took itself: else reported as fatal, if T has a
     *          destructor.
     * Lifetime until destroy, or a rewind to an earlier mark, reset, release or the arena's end.
     * Cost     as ash_object_new, without zeroing; see the head of this file.
     */
    template <class T, class... A> T *make(A &&...args)
    {
        return have(try_make<T>(std::forward<A>(args)...));
    }
    template <class T, class... A> [[nodiscard]] T *try_make(A &&...args)
    {
        detail_::check_type<T>();
        return build<T, detail_::place_for<T, detail_::is_sure<T, A...>>>(std::forward<A>(args)...);
    }

    /**
     * make_array, try_make_array - `count` objects in a row, each made from the same arguments.
     *
     * args     none: each is value-initialised, numbers are 0. Copied from, never moved.
     * Returns  the first. They are destroyed together, the last one first.
     * Fails    as make, also where the size does not fit. If a constructor throws, those before it are
     *          destroyed, the last one first.
     */
    template <class T, class... A> T *make_array(std::size_t count, const A &...args)
    {
        return have(try_make_array<T>(count, args...));
    }
    template <class T, class... A>
    [[nodiscard]] T *try_make_array(std::size_t count, const A &...args)
    {
        return build_array<T, detail_::place_for<T>>(count, args...);
    }

    /**
     * destroy - end one object, or one array, now.
     *
     * p        what make or make_array answered, once; nullptr is nothing. Of a class with virtual functions it may
     *          be a pointer to a base, if there is RTTI; else a base has to lie at the object's start. Where it
     *          does not, the object is asked where it begins, which a dead one cannot answer: a second destroy
     *          through such a base reads what is left of it, and may go wrong before it can be reported.
     *          In a rewind what is newer dies first: a destructor must not destroy by hand what its object
     *          has made there, or has to hold it in an ash::unique_ptr.
     * Reports  as ash_delete.
     */
    template <class T> void destroy(T *p) noexcept
    {
        ash_delete(&arena_, detail_::start_of(&arena_, p));
    }

    /* As make, make_array; the object belongs to the pointer, see deleter. */
    template <class T, class... A, class = std::enable_if_t<!std::is_array_v<T>>>
    [[nodiscard]] unique_ptr<T> make_unique(A &&...args)
    {
        T *object = have(build<T, detail_::untyped_place>(std::forward<A>(args)...));
        return unique_ptr<T>(object, deleter<T>(&arena_));
    }
    template <class T, class = std::enable_if_t<std::is_array_v<T> && std::extent_v<T> == 0>>
    [[nodiscard]] unique_ptr<T> make_unique(std::size_t count)
    {
        using element = std::remove_extent_t<T>;
        element *first = have(build_array<element, detail_::untyped_place>(count));
        return unique_ptr<T>(first, deleter<T>(&arena_, count));
    }

    /* An object that dies with the last std::shared_ptr to it, and its memory with the last weak one. They must
     * be gone before the memory is: a rewind does not wait for them, nor does it run the destructor. */
    template <class T, class... A> [[nodiscard]] std::shared_ptr<T> make_shared(A &&...args)
    {
        detail_::check_type<T>();
        auto make = [this](auto &&...all) {
            return std::allocate_shared<T>(allocator<T>(&arena_),
                                           std::forward<decltype(all)>(all)...);
        };
        return detail_::with_allocator<T>(make, &resource_, std::forward<A>(args)...);
    }

    /* Plain memory, as ash_alloc. */
    [[nodiscard]] void *alloc(std::size_t size, std::size_t align = alignof(std::max_align_t))
    {
        return have(try_alloc(size, align));
    }
    [[nodiscard]] void *try_alloc(std::size_t size,
                                  std::size_t align = alignof(std::max_align_t)) noexcept
    {
        return ash_alloc(&arena_, size, align);
    }

    /* As their namesakes ash_arena_* in arena.h. */
    ash_mark mark() noexcept
    {
        return ash_arena_mark(&arena_);
    }
    void rewind(ash_mark to) noexcept
    {
        ash_arena_rewind(&arena_, to);
    }
    void reset() noexcept
    {
        ash_arena_reset(&arena_);
    }
    void trim(std::size_t keep) noexcept
    {
        ash_arena_trim(&arena_, keep);
    }
    void release() noexcept
    {
        ash_arena_release(&arena_);
    }
    std::size_t used() const noexcept
    {
        return ash_arena_used(&arena_);
    }
    std::size_t capacity() const noexcept
    {
        return ash_arena_capacity(&arena_);
    }
    std::size_t peak() const noexcept
    {
        return ash_arena_peak(&arena_);
    }
    std::size_t room() const noexcept
    {
        return ash_arena_room(&arena_);
    }
    bool owns(const void *p) const noexcept
    {
        return ash_arena_owns(&arena_, p);
    }
    bool failed() const noexcept
    {
        return ash_arena_failed(&arena_);
    }
    void clear_failed() noexcept
    {
        ash_arena_clear_failed(&arena_);
    }
    const char *name() const noexcept
    {
        return ash_arena_name(&arena_);
    }
    bool check() const noexcept
    {
        return ash_arena_check(&arena_);
    }

  private:
    template <class T, class Place, class... A> T *build(A &&...args)
    {
        detail_::check_type<T>();
        Place place(&arena_, &detail_::type_of<T>, 1);
        if (!place.get())
            return nullptr;
        T *object = detail_::construct<T>(place.get(), &resource_, std::forward<A>(args)...);
        place.finish();
        return object;
    }
    template <class T, class Place, class... A> T *build_array(std::size_t count, const A &...args)
    {
        detail_::check_type<T>();
        Place place(&arena_, &detail_::type_of<T>, count);
        if (!place.get())
            return nullptr;
        detail_::elements<T> made(place.get());
        for (std::size_t i = 0; i < count; i++)
            made.add(&resource_, args...);
        place.finish();
        return made.release();
    }
    template <class T> static T *have(T *p)
    {
        if (!p)
            detail_::throw_bad_alloc();
        return p;
    }

    ash_arena arena_;
    detail_::arena_memory resource_{&arena_}; /* set up by each constructor, once the arena is */
};

template <class T> allocator<T>::allocator(arena &arena) noexcept : arena_(arena.get()) {}

/* The description under which make<T> enters a T in the arena: what ash_object_type answers, unless T is
 * trivially destructible. */
template <class T> constexpr const ash_type *type_of() noexcept
{
    return &detail_::type_of<T>;
}

/**
 * scope - an ash_scope: what was made since dies where the block ends, by whatever way it is left.
 *
 * Fails    std::bad_alloc where the arena has no room for its record.
 * Example:
 *     ash::scope until_here(arena);
 *     line *l = arena.make<line>(text);        // gone at the closing brace
 */
class [[nodiscard]] scope
{
  public:
    explicit scope(ash_arena *arena) : scope_(ash_scope_begin(arena))
    {
        if (!ash_scope_is_open(&scope_))
            detail_::throw_bad_alloc();
    }
    explicit scope(arena &arena) : scope(arena.get()) {}
    ~scope()
    {
        ash_scope_end(&scope_);
    }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

  private:
    ash_scope scope_;
};

} // namespace ash

#endif
