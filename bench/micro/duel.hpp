// duel.hpp - contestants in one process, a short slice each, in turn.
//
// The speed of a shared machine changes by a factor of two, for seconds at a time, and separate runs
// rank nothing. Here every contestant gets a slice of some ten microseconds a round; what counts is
// the ratio within the round, and of all rounds the median.

#ifndef ASHLAR_BENCH_DUEL_HPP
#define ASHLAR_BENCH_DUEL_HPP

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace bench
{

struct contestant {
    std::string name;
    double operations;                       // in one repeat
    std::function<void(std::size_t)> repeat; // does it so many times
    std::vector<double> ns = {};             // of one operation, a figure a round
    std::size_t repeats = 1;                 // in a slice
};

// What Ashlar is held to. `against` names a contestant; "*" is each that has no "(limit)" in its
// name and is not Ashlar itself.
struct budget {
    std::string who;
    double most;
    std::string against;
    enum unit { times, more_ns } in = times; // what `most` is: a factor, or nanoseconds more
};

class duel
{
  public:
    duel() = default;
    // Ratios are printed to `reference`. Long slices: only one of `part` rounds is run.
    duel(const std::string &title_, const std::string &reference_, std::vector<budget> budgets_,
         std::size_t part_ = 1)
        : title(title_), reference(reference_), budgets(std::move(budgets_)), part(part_)
    {
    }

    std::string title = {};

    void add(const std::string &name, double operations, std::function<void(std::size_t)> repeat)
    {
        contestants.push_back({name, operations, std::move(repeat)});
    }

    // Called before each slice, outside of the time.
    void before_slice(std::function<void()> prepare_)
    {
        prepare = std::move(prepare_);
    }

    void run(std::size_t rounds);

    // Prints the table and returns how many budgets are missed.
    int report() const;

  private:
    static constexpr double slice_ns = 30e3;

    std::string reference = {};
    std::vector<budget> budgets = {};
    std::size_t part = 1;
    std::vector<contestant> contestants = {};
    std::function<void()> prepare = [] {};

    double undisturbed_slice(const contestant &c) const;
    const contestant *find(const std::string &name) const;
    int check(const budget &b) const;
};

// The optimiser must take it that `p` and all memory are looked at here.
inline void used(void *p)
{
    asm volatile("" : : "r"(p) : "memory");
}

} // namespace bench

#endif
