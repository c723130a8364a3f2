// pools.cpp - the tables of pools, and Ashlar's.

#include "suite.hpp"

#include <algorithm>
#include <ashlar.h>
#include <numeric>
#include <random>

namespace bench
{

pool_plan::pool_plan()
{
    std::mt19937 random_bits(2012);
    for (std::uint16_t &size : sizes)
        size = static_cast<std::uint16_t>(8 + random_bits() % 505);
    std::iota(oldest, oldest + pooled, std::uint16_t(0));
    std::reverse_copy(oldest, oldest + pooled, newest);
    std::copy(oldest, oldest + pooled, random);
    std::shuffle(random, random + pooled, random_bits);
}

const pool_plan plan;

// ---- threads ------------------------------------------------------------------------------------

team::team(std::size_t size)
{
    for (std::size_t i = 0; i < size; i++)
        threads.emplace_back([this, i] { serve(i); });
}

team::~team()
{
    {
        std::lock_guard<std::mutex> guard(lock);
        over = true;
    }
    begin.notify_all();
    for (std::thread &t : threads)
        t.join();
}

void team::serve(std::size_t number)
{
    std::unique_lock<std::mutex> guard(lock);
    for (std::size_t done = 0;;) {
        begin.wait(guard, [&] { return over || turn != done; });
        if (over)
            return;
        done = turn;
        guard.unlock();
        (*job)(number);
        guard.lock();
        if (--busy == 0)
            end.notify_one();
    }
}

void team::run(const std::function<void(std::size_t)> &work)
{
    std::unique_lock<std::mutex> guard(lock);
    job = &work;
    busy = threads.size();
    turn++;
    begin.notify_all();
    end.wait(guard, [this] { return busy == 0; });
}

// ---- the tables ---------------------------------------------------------------------------------

static std::vector<budget> single_budgets(bool one_size)
{
    std::vector<budget> budgets = {{"Ashlar pools", 1, "std::pmr unsynchronized pool"},
                                   {"Ashlar pools", 1, "boost pmr unsynchronized pool"}};
    if (one_size) {
        budgets.push_back({"Ashlar pool", 1, "boost::pool"}); // which checks nothing
        budgets.push_back({"Ashlar pool", 1, "std::pmr unsynchronized pool"});
    }
    return budgets;
}

pool_tables::pool_tables()
{
    const std::string sizes[] = {"32 B", "64 B", "8 to 512 B"};
    const std::string orders[] = {"newest first", "in order", "at random"};
    const std::string counts[] = {"1 thread", "2 threads", "4 threads"};
    for (std::size_t i = 0; i < 3; i++) {
        for (std::size_t j = 0; j < 3; j++)
            single[i][j] = {"pools, " + sizes[i] + ", " + orders[j], "std::pmr unsynchronized pool",
                            single_budgets(i < 2)};
        for (std::size_t j = 0; j < 2; j++)
            shared[i][j] = {"sync pools, " + counts[i] + ", " + sizes[j * 2] + ", at random",
                            "glibc malloc",
                            {{"Ashlar sync pools", 1, "glibc malloc"},
                             {"Ashlar sync pools", 1, "std::pmr synchronized pool"},
                             {"Ashlar sync pools", 1, "mimalloc"}},
                            4};
    }
}

void pool_tables::append_to(std::vector<duel *> &all)
{
    for (auto &row : single)
        for (duel &d : row)
            all.push_back(&d);
    for (auto &row : shared)
        for (duel &d : row)
            all.push_back(&d);
}

// ---- Ashlar -------------------------------------------------------------------------------------

template <std::size_t Size> struct one_pool {
    ash_pool pool;

    one_pool()
    {
        ash_pool_config config = {};
        config.size = Size;
        (void)!ash_pool_init(&pool, &config);
    }
    ~one_pool()
    {
        ash_pool_deinit(&pool);
    }
    one_pool(const one_pool &) = delete;
    one_pool &operator=(const one_pool &) = delete;

    void *alloc(std::size_t)
    {
        return ash_pool_alloc(&pool);
    }
    void free(void *p, std::size_t)
    {
        ash_pool_free(&pool, p);
    }
};

struct many_pools {
    ash_pools pools;

    many_pools()
    {
        ash_pools_init(&pools, nullptr);
    }
    ~many_pools()
    {
        ash_pools_deinit(&pools);
    }
    many_pools(const many_pools &) = delete;
    many_pools &operator=(const many_pools &) = delete;

    void *alloc(std::size_t size)
    {
        return ash_pools_alloc(&pools, size, 8);
    }
    void free(void *p, std::size_t size)
    {
        ash_pools_free(&pools, p, size, 8);
    }
};

struct sync_pools {
    ash_sync_pools pools;

    sync_pools()
    {
        (void)!ash_sync_pools_init(&pools, nullptr);
    }
    ~sync_pools()
    {
        ash_sync_pools_deinit(&pools);
    }
    sync_pools(const sync_pools &) = delete;
    sync_pools &operator=(const sync_pools &) = delete;

    void *alloc(std::size_t size)
    {
        return ash_sync_pools_alloc(&pools, size, 8);
    }
    void free(void *p, std::size_t size)
    {
        ash_sync_pools_free(&pools, p, size, 8);
    }
};

void add_pools(suite &s)
{
    s.pools.one_size<one_pool>("Ashlar pool");
    s.pools.any_size<many_pools>("Ashlar pools");
    s.pools.many_threads<sync_pools>("Ashlar sync pools");
}

} // namespace bench
