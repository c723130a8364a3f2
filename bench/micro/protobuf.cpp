// protobuf.cpp - protobuf's arena.

#include "suite.hpp"

#ifdef BENCH_PROTOBUF
#include <google/protobuf/arena.h>

namespace bench
{

struct protobuf_arena {
    google::protobuf::Arena arena;

    void *alloc(std::size_t size)
    {
        return google::protobuf::Arena::CreateArray<char>(&arena, size);
    }
    void reset()
    {
        arena.Reset();
    }
};

struct protobuf_typed : protobuf_arena {
    void *alloc(std::size_t)
    {
        return google::protobuf::Arena::Create<cpp_thing>(&arena);
    }
};

void add_protobuf(suite &s)
{
    s.plain<protobuf_arena>("protobuf arena");
    s.destructors<protobuf_typed>("protobuf arena");
    s.tree<protobuf_arena>("protobuf arena");
}

} // namespace bench
#else
void bench::add_protobuf(suite &) {}
#endif
