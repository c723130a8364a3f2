/*
 * property_resource.cpp - random programs over every resource, through random stacks of wrappers.
 *
 * Programs of alloc, resize, remap, realloc and free are generated, and made smaller when one fails, by
 * RapidCheck. Between all layers stands a ledger, which passes everything on and knows what lives:
 *
 *     program | ledger | layer | ledger | ... | layer | ledger | source | ledger | heap
 *
 * so that what each layer does to the one below is held to the contract of resource.h too: alignment,
 * no overlap, frees of the exact size and alignment, nothing left at the end. The program itself looks
 * at the bytes. The same programs run over the memory resources of the C++ library, which pass, and
 * over broken resources, which must not: that is the test of the test.
 *
 * A resource is added in `sources` (property_sources.hpp), a wrapper in `layer_kinds` (here).
 * RC_PARAMS="seed=..." repeats a run.
 */
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "ashlar/ashlar.h"
#include "property_sources.hpp"

namespace
{

/* ---- layers: what stands over a source ---- */

struct layer {
    virtual ~layer() = default;
    virtual ash_resource *resource() = 0;
    /* Is what it says of itself what the ledgers say? */
    virtual bool is_right(const ledger &above, const ledger &below) const = 0;
    /* A name of its own; nullptr: upstream's. Those that have one, and guarded ones, know what they own. */
    virtual const char *name() const
    {
        return nullptr;
    }
    virtual bool knows_its_own() const
    {
        return name() != nullptr;
    }
};

struct counting_layer : layer {
    ash_counting counting;
    counting_layer(ash_resource *upstream, ash_budget *, unsigned)
    {
        ash_counting_init(&counting, upstream);
    }
    ash_resource *resource() override
    {
        return ash_counting_resource(&counting);
    }
    bool is_right(const ledger &above, const ledger &below) const override
    {
        ash_counts counts = ash_counting_counts(&counting);
        return counts.live == above.live.size() && counts.live_bytes == above.bytes &&
               counts.live_bytes == ash_counting_live(&counting) && below.live == above.live &&
               counts.allocs - counts.frees == counts.live &&
               counts.failures + counts.declined == below.refused &&
               counts.allocs + counts.resizes + counts.remaps + below.refused == below.requests &&
               counts.peak_bytes >= counts.live_bytes && counts.total_bytes >= counts.peak_bytes;
    }
};

struct limited_layer : layer {
    ash_limited limited;
    limited_layer(ash_resource *upstream, ash_budget *budget, unsigned)
    {
        ash_limited_init(&limited, upstream, budget);
    }
    ~limited_layer() override
    {
        ash_limited_deinit(&limited);
    }
    ash_resource *resource() override
    {
        return ash_limited_resource(&limited);
    }
    bool is_right(const ledger &above, const ledger &below) const override
    {
        return ash_limited_used(&limited) == above.bytes && below.live == above.live &&
               above.bytes <= ash_budget_used(limited.budget_) &&
               ash_budget_used(limited.budget_) <= ash_budget_limit(limited.budget_);
    }
};

struct failing_layer : layer {
    ash_failing failing;
    failing_layer(ash_resource *upstream, ash_budget *, unsigned parameter)
    {
        ash_failing_init(&failing, upstream);
        if (parameter % 3 == 0)
            ash_failing_at(&failing, parameter);
        else if (parameter % 3 == 1)
            ash_failing_every(&failing, parameter + 1);
        else
            ash_failing_fraction(&failing, 1, parameter, parameter);
    }
    ash_resource *resource() override
    {
        return ash_failing_resource(&failing);
    }
    bool is_right(const ledger &above, const ledger &below) const override
    {
        return ash_failing_requests(&failing) == above.requests &&
               ash_failing_refused(&failing) + below.requests == above.requests &&
               ash_failing_refused(&failing) + below.refused == above.refused &&
               below.live == above.live;
    }
};

struct traced_layer : layer {
    ash_traced traced;
    std::map<std::uintptr_t, block> live; /* as the trace tells it */
    traced_layer(ash_resource *upstream, ash_budget *, unsigned)
    {
        ash_traced_init(&traced, upstream, follow, this);
    }
    static void follow(const ash_trace_event *event, void *self)
    {
        auto &live = static_cast<traced_layer *>(self)->live;
        if (!event->served)
            return;
        if (event->p)
            live.erase(reinterpret_cast<std::uintptr_t>(event->p));
        if (event->result)
            live[reinterpret_cast<std::uintptr_t>(event->result)] = {event->new_size, event->align};
    }
    ash_resource *resource() override
    {
        return ash_traced_resource(&traced);
    }
    bool is_right(const ledger &above, const ledger &below) const override
    {
        return live == above.live && below.live == above.live;
    }
};

struct guarded_layer : layer {
    ash_guarded guarded;
    guarded_layer(ash_resource *upstream, ash_budget *, unsigned)
    {
        ash_guarded_init(&guarded, upstream);
    }
    ~guarded_layer() override
    {
        ash_guarded_deinit(&guarded);
    }
    ash_resource *resource() override
    {
        return ash_guarded_resource(&guarded);
    }
    bool is_right(const ledger &above, const ledger &below) const override
    {
        return ash_guarded_live(&guarded) == above.live.size() &&
               ash_guarded_held(&guarded) >= above.bytes && below.live.size() <= 1;
    }
    bool knows_its_own() const override
    {
        return true;
    }
};

struct arena_layer : layer {
    ash_arena arena;
    arena_layer(ash_resource *upstream, ash_budget *, unsigned parameter)
    {
        ash_arena_config config = {};
        config.name = "layer";
        config.upstream = upstream;
        config.block_size = 512 + parameter * 16;
        RC_ASSERT(ash_arena_init(&arena, &config));
    }
    ~arena_layer() override
    {
        ash_arena_deinit(&arena);
    }
    ash_resource *resource() override
    {
        return ash_arena_resource(&arena);
    }
    bool is_right(const ledger &above, const ledger &below) const override
    {
        return ash_arena_check(&arena) && ash_arena_capacity(&arena) == below.bytes &&
               ash_arena_used(&arena) >= above.bytes;
    }
    const char *name() const override
    {
        return "layer";
    }
};

template <typename T>
std::unique_ptr<layer> make_layer(ash_resource *upstream, ash_budget *budget, unsigned parameter)
{
    return std::make_unique<T>(upstream, budget, parameter);
}

struct layer_kind {
    const char *name;
    std::unique_ptr<layer> (*make)(ash_resource *upstream, ash_budget *budget, unsigned parameter);
};

const layer_kind layer_kinds[] = {
    {"counting", make_layer<counting_layer>}, {"limited", make_layer<limited_layer>},
    {"failing", make_layer<failing_layer>},   {"traced", make_layer<traced_layer>},
    {"guarded", make_layer<guarded_layer>},   {"arena", make_layer<arena_layer>},
};

/* ---- a stack of them ---- */

struct layer_choice {
    std::size_t kind;
    unsigned parameter;
};

std::ostream &operator<<(std::ostream &out, const layer_choice &choice)
{
    return out << layer_kinds[choice.kind].name << '(' << choice.parameter << ')';
}

struct tower {
    ash_budget budget;
    ledger ground{ash_heap()};
    std::unique_ptr<source> bottom;
    std::vector<std::unique_ptr<ledger>> ledgers; /* one more than layers */
    std::vector<std::unique_ptr<layer>> layers;

    tower(const source_kind &kind, const std::vector<layer_choice> &choices, std::size_t limit)
        : bottom{kind.make(&ground)}
    {
        ash_budget_init(&budget, limit);
        ledgers.push_back(std::make_unique<ledger>(bottom->resource()));
        for (const layer_choice &choice : choices) {
            layers.push_back(
                layer_kinds[choice.kind].make(ledgers.back().get(), &budget, choice.parameter));
            ledgers.push_back(std::make_unique<ledger>(layers.back()->resource()));
        }
    }
    ~tower();
    ledger &top()
    {
        return *ledgers.back();
    }
    const char *name() const;
    bool owns(const void *p) const;
    std::string look() const;
    std::string take_down();
};

/* From the top down, whatever went wrong; broken sources leave things behind. */
tower::~tower()
{
    while (!layers.empty())
        layers.pop_back();
    bottom.reset();
    for (const auto &left : ground.live)
        ash_resource_free(ash_heap(), reinterpret_cast<void *>(left.first), left.second.size,
                          left.second.align);
}

/* What the uppermost ledger must answer. */
const char *tower::name() const
{
    const char *name = ash_resource_name(bottom->resource());
    for (const auto &l : layers)
        name = l->name() ? l->name() : name;
    return name;
}

bool tower::owns(const void *p) const
{
    for (const auto &l : layers)
        if (l->knows_its_own())
            return true;
    return ash_resource_owns(bottom->resource(), p);
}

/* What is wrong now; empty: nothing. */
std::string tower::look() const
{
    if (!ground.wrong.empty())
        return "under the source: " + ground.wrong;
    for (std::size_t i = 0; i < ledgers.size(); i++)
        if (!ledgers[i]->wrong.empty())
            return "at level " + std::to_string(i) + ": " + ledgers[i]->wrong;
    for (std::size_t i = 0; i < layers.size(); i++)
        if (!layers[i]->is_right(*ledgers[i + 1], *ledgers[i]))
            return "layer " + std::to_string(i) + " says of itself what is not so";
    if (std::strcmp(ash_resource_name(ledgers.back().get()), name()))
        return "another name than upstream's";
    return "";
}

/* The layers end, the uppermost first, and each has given back what it took. */
std::string tower::take_down()
{
    while (!layers.empty()) {
        if (!ledgers.back()->live.empty())
            return "something is left over layer " + std::to_string(layers.size() - 1);
        layers.pop_back();
        ledgers.pop_back();
        if (std::string wrong = look(); !wrong.empty())
            return wrong;
    }
    if (!top().live.empty())
        return "something is left in the source";
    if (ash_budget_used(&budget))
        return "something is left taken of the budget";
    ledgers.clear();
    bottom.reset();
    return ground.live.empty() ? ground.wrong : "something is left under the source";
}

/* ---- programs ---- */

enum class op_kind { alloc, resize, remap, realloc, free };

struct op {
    op_kind kind;
    std::size_t which, size, align;
};

std::ostream &operator<<(std::ostream &out, const op &o)
{
    static const char *const names[] = {"alloc", "resize", "remap", "realloc", "free"};
    out << names[static_cast<int>(o.kind)];
    if (o.kind != op_kind::alloc)
        out << " #" << o.which;
    if (o.kind != op_kind::free)
        out << ' ' << o.size;
    return o.kind == op_kind::alloc ? out << " align " << o.align : out;
}

enum { LARGEST_SERVED = 70000 };

/* What memory is filled with: 0, 1, ... 255 again and again, begun anywhere. */
const unsigned char *pattern(unsigned seed)
{
    static const std::vector<unsigned char> bytes = [] {
        std::vector<unsigned char> all(LARGEST_SERVED + 256);
        std::iota(all.begin(), all.end(), static_cast<unsigned char>(0));
        return all;
    }();
    return bytes.data() + seed % 256;
}

struct held {
    unsigned char *p;
    std::size_t size, align;
    unsigned seed;

    void fill() const
    {
        std::memcpy(p, pattern(seed), size);
    }
    bool is_kept(std::size_t bytes) const
    {
        return std::memcmp(p, pattern(seed), bytes) == 0;
    }
};

struct machine {
    tower &stack;
    std::vector<held> memory;
    unsigned seed = 0;

    std::string step(const op &o);
    std::string alloc(const op &o);
    std::string change(const op &o, held &m);
    std::string free(std::size_t index);
    std::string look() const;
};

std::string machine::alloc(const op &o)
{
    held m = {static_cast<unsigned char *>(ash_resource_alloc(&stack.top(), o.size, o.align)),
              o.size, o.align, seed++};
    if (!m.p)
        return "";
    m.fill();
    memory.push_back(m);
    bool right = ash_resource_owns(&stack.top(), m.p) == stack.owns(m.p);
    return right ? "" : "owns is not upstream's answer";
}

std::string machine::change(const op &o, held &m)
{
    ash_resource *top = &stack.top();
    void *q = nullptr;
    if (o.kind == op_kind::resize)
        q = ash_resource_resize(top, m.p, m.size, o.size, m.align) ? m.p : nullptr;
    else if (o.kind == op_kind::remap)
        q = ash_resource_remap(top, m.p, m.size, o.size, m.align);
    else
        q = ash_resource_realloc(top, m.p, m.size, o.size, m.align);
    if (!q)
        return m.is_kept(m.size) ? "" : "a refusal changed the bytes";
    m.p = static_cast<unsigned char *>(q);
    if (!m.is_kept(std::min(m.size, o.size)))
        return "bytes were lost";
    m.size = o.size;
    m.fill();
    return "";
}

std::string machine::free(std::size_t index)
{
    held m = memory[index];
    memory.erase(memory.begin() + static_cast<std::ptrdiff_t>(index));
    if (!m.is_kept(m.size))
        return "bytes changed by themselves";
    ash_resource_free(&stack.top(), m.p, m.size, m.align);
    return "";
}

std::string machine::step(const op &o)
{
    if (o.kind == op_kind::alloc)
        return alloc(o);
    if (memory.empty())
        return "";
    std::size_t index = o.which % memory.size();
    return o.kind == op_kind::free ? free(index) : change(o, memory[index]);
}

std::string machine::look() const
{
    if (stack.top().live.size() != memory.size())
        return "not as many live as the program has";
    for (const held &m : memory) {
        auto found = stack.top().live.find(reinterpret_cast<std::uintptr_t>(m.p));
        if (found == stack.top().live.end() ||
            !(found->second == block{m.size + !m.size, m.align}) || !m.is_kept(m.size))
            return "what lives is not what the program has";
    }
    return stack.look();
}

/* Runs a program; answers what was wrong, or nothing. */
std::string run(const source_kind &kind, const std::vector<layer_choice> &choices,
                std::size_t limit, const std::vector<op> &program)
{
    tower stack(kind, choices, limit);
    machine m = {stack, {}};
    std::string wrong;
    for (const op &o : program) {
        wrong = m.step(o);
        if (wrong.empty())
            wrong = m.look();
        if (!wrong.empty())
            return wrong;
    }
    while (!m.memory.empty() && wrong.empty())
        wrong = m.free(m.seed++ * 7 % m.memory.size());
    if (wrong.empty())
        wrong = stack.take_down();
    return wrong;
}

/* ---- generators ---- */

rc::Gen<std::size_t> sizes()
{
    return rc::gen::weightedOneOf<std::size_t>(
        {{40, rc::gen::inRange<std::size_t>(0, 65)},
         {24, rc::gen::inRange<std::size_t>(0, 1000)},
         {12, rc::gen::inRange<std::size_t>(0, 9000)},
         {4, rc::gen::element<std::size_t>(4095, 4096, 4097, LARGEST_SERVED)},
         {1,
          rc::gen::element<std::size_t>(PTRDIFF_MAX - 64, PTRDIFF_MAX, SIZE_MAX - 64, SIZE_MAX)}});
}

rc::Gen<std::size_t> aligns()
{
    return rc::gen::map(
        rc::gen::weightedOneOf<int>({{8, rc::gen::inRange(0, 7)}, {1, rc::gen::inRange(7, 15)}}),
        [](int shift) { return std::size_t{1} << shift; });
}

rc::Gen<op> ops()
{
    auto kinds = rc::gen::weightedElement<op_kind>({{4, op_kind::alloc},
                                                    {1, op_kind::resize},
                                                    {1, op_kind::remap},
                                                    {2, op_kind::realloc},
                                                    {3, op_kind::free}});
    return rc::gen::construct<op>(kinds, rc::gen::inRange<std::size_t>(0, 40), sizes(), aligns());
}

rc::Gen<std::vector<layer_choice>> stacks()
{
    auto choice =
        rc::gen::construct<layer_choice>(rc::gen::inRange<std::size_t>(0, std::size(layer_kinds)),
                                         rc::gen::resize(100, rc::gen::inRange(2u, 60u)));
    return rc::gen::mapcat(rc::gen::resize(100, rc::gen::inRange<std::size_t>(0, 6)),
                           [choice](std::size_t count) {
                               return rc::gen::container<std::vector<layer_choice>>(count, choice);
                           });
}

bool holds(const source_kind &kind)
{
    return rc::check(kind.name, [&kind] {
        auto choices = *stacks();
        auto limit = *rc::gen::resize(100, rc::gen::inRange<std::size_t>(1000, 100000));
        auto program = *rc::gen::scale(3, rc::gen::container<std::vector<op>>(ops()));
        RC_ASSERT(run(kind, choices, limit, program) == "");
    });
}

/* A program that no broken source gets through. */
bool is_found(const source_kind &kind)
{
    const std::vector<op> program = {{op_kind::alloc, 0, 100, 8},
                                     {op_kind::alloc, 0, 200, 8},
                                     {op_kind::remap, 0, 300, 8},
                                     {op_kind::free, 1, 0, 8}};
    std::string wrong = run(kind, {}, 0, program);
    std::cerr << "broken, " << kind.name << ": " << (wrong.empty() ? "NOT FOUND" : wrong) << '\n';
    return !wrong.empty();
}

} // namespace

int main()
{
    setenv("RC_PARAMS", "max_success=250", 0);
    bool all = true;
    for (const source_kind &kind : sources)
        all &= holds(kind);
    for (const source_kind &kind : broken_sources)
        all &= is_found(kind);
    return all ? 0 : 1;
}
