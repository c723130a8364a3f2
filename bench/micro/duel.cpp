#include "duel.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <sys/resource.h>

namespace bench
{

static double now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

static long preemptions()
{
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

static double slice(const contestant &c)
{
    double begin = now_ns();
    c.repeat(c.repeats);
    return (now_ns() - begin) / (c.operations * static_cast<double>(c.repeats));
}

// A slice in which another process had the processor says nothing: once more, but not for ever.
double duel::undisturbed_slice(const contestant &c) const
{
    double ns = 0;
    for (int attempt = 0; attempt < 3; attempt++) {
        prepare();
        long before = preemptions();
        ns = slice(c);
        if (preemptions() == before)
            break;
    }
    return ns;
}

static double quantile(std::vector<double> values, double part)
{
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

static double ratio(const contestant &a, const contestant &b)
{
    std::vector<double> ratios;
    for (std::size_t i = 0; i < a.ns.size(); i++)
        ratios.push_back(a.ns[i] / b.ns[i]);
    return quantile(ratios, 0.5);
}

static double difference(const contestant &a, const contestant &b)
{
    std::vector<double> ns;
    for (std::size_t i = 0; i < a.ns.size(); i++)
        ns.push_back(a.ns[i] - b.ns[i]);
    return quantile(ns, 0.5);
}

void duel::run(std::size_t rounds)
{
    for (contestant &c : contestants) {
        slice(c); // warms up
        double once = slice(c) * c.operations;
        c.repeats = once < slice_ns ? static_cast<std::size_t>(slice_ns / once) + 1 : 1;
    }
    rounds = std::max<std::size_t>(rounds / part, 5);
    for (std::size_t round = 0; round < rounds; round++) {
        for (contestant &c : contestants)
            c.ns.push_back(undisturbed_slice(c));
    }
}

const contestant *duel::find(const std::string &name) const
{
    for (const contestant &c : contestants) {
        if (c.name == name)
            return &c;
    }
    return nullptr;
}

static bool is_peer(const contestant &c)
{
    return c.name.find("(limit)") == std::string::npos && c.name.find("Ashlar") != 0;
}

// One line, but none for a peer of many that is met.
static int compare(const budget &b, const contestant &who, const contestant &other)
{
    double measured = b.in == budget::times ? ratio(who, other) : difference(who, other);
    bool met = measured <= b.most;
    if (!met || b.against != "*")
        std::printf("  budget: %s at most %.2f%s %s: %.2f, %s\n", b.who.c_str(), b.most,
                    b.in == budget::times ? " of" : " ns more than", other.name.c_str(), measured,
                    met ? "met" : "MISSED");
    return !met;
}

int duel::check(const budget &b) const
{
    const contestant *who = find(b.who);
    int missed = 0, compared = 0;
    for (const contestant &c : contestants) {
        if (!who || (b.against == "*" ? !is_peer(c) : c.name != b.against))
            continue;
        missed += compare(b, *who, c);
        compared++;
    }
    if (!compared)
        std::printf("  budget: %s at most %.2f of %s: not measured, it is not here\n",
                    b.who.c_str(), b.most, b.against.c_str());
    else if (b.against == "*" && !missed)
        std::printf("  budget: %s at most %.2f of every peer: met\n", b.who.c_str(), b.most);
    return missed;
}

int duel::report() const
{
    const contestant *base = find(reference);
    if (!base)
        base = &contestants.front();
    std::vector<const contestant *> order;
    for (const contestant &c : contestants)
        order.push_back(&c);
    std::stable_sort(order.begin(), order.end(),
                     [base](auto *a, auto *b) { return ratio(*a, *base) < ratio(*b, *base); });
    std::printf("\n%s\n  %-34s %9s %9s   of %s\n", title.c_str(), "", "ns", "fastest",
                base->name.c_str());
    for (const contestant *c : order)
        std::printf("  %-34s %9.2f %9.2f %7.2f\n", c->name.c_str(), quantile(c->ns, 0.5),
                    quantile(c->ns, 0.1), ratio(*c, *base));
    int missed = 0;
    for (const budget &b : budgets)
        missed += check(b);
    std::fflush(stdout);
    return missed;
}

} // namespace bench
