// pools.hpp - tables of what is freed piece by piece: one size or many, one thread or several.
//
// A driver has alloc and free, as in suite.hpp. For the tables of threads one driver is shared by all.

#ifndef ASHLAR_BENCH_POOLS_HPP
#define ASHLAR_BENCH_POOLS_HPP

#include "duel.hpp"

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace bench
{

constexpr std::size_t pooled = 1000; // live at once, a thread

// Shuffled once; the same for all.
struct pool_plan {
    std::uint16_t sizes[pooled];  // 8 to 512
    std::uint16_t newest[pooled]; // orders to free in
    std::uint16_t oldest[pooled];
    std::uint16_t random[pooled];

    pool_plan();
};
extern const pool_plan plan;

template <std::size_t Size> struct all_of {
    static std::size_t size(std::size_t)
    {
        return Size;
    }
};

struct mixed {
    static std::size_t size(std::size_t i)
    {
        return plan.sizes[i];
    }
};

template <class D, class Sizes>
__attribute__((noinline)) void pool_round(D &driver, const std::uint16_t *order)
{
    void *objects[pooled];
    for (std::size_t i = 0; i < pooled; i++) {
        objects[i] = driver.alloc(Sizes::size(i));
        *static_cast<void **>(objects[i]) = objects;
        used(objects[i]);
    }
    for (std::size_t i = 0; i < pooled; i++) {
        std::size_t which = order[i];
        driver.free(objects[which], Sizes::size(which));
    }
}

// Threads that wait for something to do, all at once.
class team
{
  public:
    explicit team(std::size_t size);
    ~team();
    team(const team &) = delete;
    team &operator=(const team &) = delete;

    // Each thread calls work(its number); returns when all have.
    void run(const std::function<void(std::size_t)> &work);

  private:
    std::mutex lock{};
    std::condition_variable begin{}, end{};
    const std::function<void(std::size_t)> *job = nullptr;
    std::size_t turn = 0, busy = 0;
    bool over = false;
    std::vector<std::thread> threads{};

    void serve(std::size_t number);
};

struct pool_tables {
    // [sizes: 32, 64, mixed][order: newest first, in order, at random]
    duel single[3][3];
    // [1, 2, 4 threads][32 B, mixed]
    duel shared[3][2];

    pool_tables();
    void append_to(std::vector<duel *> &all);

    // What serves one size, given as a template argument.
    template <template <std::size_t> class D> void one_size(const std::string &name)
    {
        row<D<32>, all_of<32>>(0, name);
        row<D<64>, all_of<64>>(1, name);
    }

    template <class D, class Sizes> void row(std::size_t sizes, const std::string &name)
    {
        const std::uint16_t *orders[] = {plan.newest, plan.oldest, plan.random};
        auto driver = std::make_shared<D>();
        for (std::size_t i = 0; i < 3; i++) {
            const std::uint16_t *order = orders[i];
            single[sizes][i].add(name, pooled, [driver, order](std::size_t repeats) {
                while (repeats--)
                    pool_round<D, Sizes>(*driver, order);
            });
        }
    }

    // What serves any size.
    template <class D> void any_size(const std::string &name)
    {
        row<D, all_of<32>>(0, name);
        row<D, all_of<64>>(1, name);
        row<D, mixed>(2, name);
    }

    template <class D> void many_threads(const std::string &name)
    {
        auto driver = std::make_shared<D>();
        for (std::size_t i = 0; i < 3; i++) {
            auto workers = std::make_shared<team>(std::size_t(1) << i);
            add_shared(shared[i][0], name, workers, [driver](std::size_t) {
                for (std::size_t n = 0; n < rounds; n++)
                    pool_round<D, all_of<32>>(*driver, plan.random);
            });
            add_shared(shared[i][1], name, workers, [driver](std::size_t) {
                for (std::size_t n = 0; n < rounds; n++)
                    pool_round<D, mixed>(*driver, plan.random);
            });
        }
    }

  private:
    static constexpr std::size_t rounds = 50; // so that waking the threads does not count

    static void add_shared(duel &to, const std::string &name, std::shared_ptr<team> workers,
                           std::function<void(std::size_t)> work)
    {
        to.add(name, pooled * rounds, [workers, work](std::size_t repeats) {
            while (repeats--)
                workers->run(work);
        });
    }
};

} // namespace bench

#endif
