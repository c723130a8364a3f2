// main.cpp - what single operations cost, beside the budgets they are held to.
//
// Exit status: 0, whatever the figures say; 1 with --strict where a budget is missed; 2 wrong usage.

#include "suite.hpp"

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

namespace bench
{

std::uint8_t random_sizes[hot];
std::uint16_t random_order[hot];
std::uint64_t destroyed;
std::size_t piece_size = sizeof piece - 1;

static void fill_random()
{
    std::mt19937 twister(42);
    for (std::uint8_t &size : random_sizes)
        size = static_cast<std::uint8_t>(8 + twister() % 121);
    std::iota(random_order, random_order + hot, std::uint16_t(0));
    for (std::size_t i = hot; i > 1; i--)
        std::swap(random_order[i - 1], random_order[twister() % i]);
}

suite::suite()
{
    const budget bump = {"Ashlar", 1.1, "bump (limit)"}, peers = {"Ashlar", 1, "*"};
    const char *limit = "bump (limit)";
    plain16 = {"plain, 16 B, hot, dropped at once", limit, {bump, peers}};
    plain32 = {"plain, 32 B, hot, dropped at once", limit, {bump, peers}};
    plain_varied = {"plain, 8 to 128 B, hot, dropped at once", limit, {bump, peers}};
    warm = {"plain, a million of 32 B, memory reused", limit, {bump, peers}, 100};
    first_touch = {"plain, a million of 32 B, first touch, all given back",
                   limit,
                   {{"Ashlar over pages", 0.5, "*"}},
                   100};

    first_touch.before_slice([] {
        cool_glibc();
        cool_mimalloc();
    });

    const char *cleeus = "cleeus/obstack";
    newest = {"objects, 32 B, newest first",
              "mimalloc",
              {{"Ashlar", 0.65, "mimalloc"}, {"Ashlar", 0.65, cleeus}}};
    paired = {"objects, 32 B, new and delete in turn", "mimalloc", {{"Ashlar", 0.65, cleeus}}};
    ordered = {"objects, 32 B, in order",
               "mimalloc",
               {{"Ashlar", 0.7, "mimalloc"}, {"Ashlar", 0.7, cleeus}}};
    randomly = {"objects, 32 B, at random",
                "mimalloc",
                {{"Ashlar", 0.7, "mimalloc"}, {"Ashlar", 0.7, cleeus}}};

    dropped = {"objects with a destructor, 32 B, dropped at once",
               "boost::object_pool",
               {{"Ashlar", 0.75, "boost::object_pool"}}};
    const std::vector<budget> typed = {
        {"Ashlar, typed", 1, cleeus},
        {"Ashlar, typed, no destructor", 1.5, "Ashlar, untyped", budget::more_ns}};
    typed_newest = {"objects with a destructor, 32 B, newest first", "mimalloc", typed};
    typed_paired = {"objects with a destructor, 32 B, new and delete in turn", "mimalloc", typed};
    typed_ordered = {"objects with a destructor, 32 B, in order", "mimalloc", typed};
    typed_randomly = {"objects with a destructor, 32 B, at random", "mimalloc", typed};

    strings_long = {"strings, 11 B appended to a long one",
                    "std::pmr::string",
                    {{"Ashlar", 0.6, "std::pmr::string"}}};
    strings_kept = {"strings, of 8 pieces of 12 B, kept, ns a string",
                    "GNU obstack",
                    {{"Ashlar", 0.8, "GNU obstack"}}};
    strings_formatted = {"strings, formatted text appended to a long one",
                         "snprintf (limit)",
                         {{"Ashlar", 1.05, "snprintf (limit)"}}};

    trees = {"trees of depth 12, an allocator each, ns a node", limit, {bump}, 10};
}

std::vector<duel *> suite::all()
{
    std::vector<duel *> tables = {
        &plain16,        &plain32,  &plain_varied, &warm,         &newest,           &paired,
        &ordered,        &randomly, &dropped,      &typed_newest, &typed_paired,     &typed_ordered,
        &typed_randomly, &trees,    &strings_long, &strings_kept, &strings_formatted};
    pools.append_to(tables);
    tables.push_back(&first_touch); // the last: it changes settings
    return tables;
}

struct options {
    std::size_t rounds = 400;
    const char *table = "";
    bool strict = false;
};

static const char usage[] =
    "usage: micro [--quick] [--rounds N] [--table WORDS] [--strict]\n"
    "Times single operations of arenas and of other allocators, in turn, and prints ratios.\n\n"
    "  --quick         40 rounds\n"
    "  --rounds N      1 to 100000 (default 400); tables of long slices have fewer\n"
    "  --table WORDS   only tables whose title has these words\n"
    "  --strict        exit status 1 if a budget is missed\n"
    "  --help          this text\n";

// Returns an exit status, or -1 to go on.
static int parse(int argc, char **argv, options &o)
{
    for (int i = 1; i < argc; i++) {
        const std::string option = argv[i];
        const char *value = i + 1 < argc ? argv[i + 1] : nullptr;
        if (option == "--help") {
            std::fputs(usage, stdout);
            return 0;
        }
        if (option == "--quick")
            o.rounds = 40;
        else if (option == "--strict")
            o.strict = true;
        else if (option == "--table" && value)
            o.table = argv[++i];
        else if (option == "--rounds" && value && std::atoi(value) > 0 &&
                 std::atoi(value) <= 100000)
            o.rounds = static_cast<std::size_t>(std::atoi(argv[++i]));
        else {
            std::fprintf(stderr, "micro: wrong usage at '%s'\n%s", argv[i], usage);
            return 2;
        }
    }
    return -1;
}

static int report_memory()
{
    const double most = 24.8;
    double bytes = bytes_per_object(24);
    bool met = bytes > 0 && bytes <= most;
    std::printf("\nmemory of an object of 24 B, map and all: %.2f B\n"
                "  budget: at most %.2f: %s\n",
                bytes, most, met ? "met" : "MISSED");
    return !met;
}

static std::vector<duel *> chosen(suite &s, const char *words)
{
    std::vector<duel *> tables;
    for (duel *d : s.all()) {
        if (d->title.find(words) != std::string::npos)
            tables.push_back(d);
    }
    return tables;
}

static int no_table(suite &s, const char *words)
{
    std::fprintf(stderr, "micro: no table has '%s' in its title; there are:\n", words);
    for (const duel *d : s.all())
        std::fprintf(stderr, "  %s\n", d->title.c_str());
    return 2;
}

static int run(const options &o)
{
    fill_random();
    suite s;
    for (auto add : {add_limits, add_ashlar, add_pools, add_glibc, add_c_peers, add_std, add_boost,
                     add_foonathan, add_llvm, add_protobuf, add_mimalloc, add_cleeus})
        add(s);
    const std::vector<duel *> tables = chosen(s, o.table);
    if (tables.empty())
        return no_table(s, o.table);
    std::printf("Medians; fastest: a tenth of the rounds was faster. The last column is the ratio "
                "within a round.\n");
    int missed = 0;
    for (duel *d : tables) {
        d->run(o.rounds);
        missed += d->report();
    }
    missed += report_memory();
    std::printf("\nbudgets missed: %d\n", missed);
    return o.strict && missed ? 1 : 0;
}

} // namespace bench

int main(int argc, char **argv)
{
    bench::options o;
    int leave = bench::parse(argc, argv, o);
    if (leave < 0)
        leave = bench::run(o);
    if (std::fflush(stdout) || std::ferror(stdout)) {
        std::perror("micro: standard output");
        return 1;
    }
    return leave;
}
