// llvm.cpp - LLVM's BumpPtrAllocator.

#include "suite.hpp"

#ifdef BENCH_LLVM
#include <llvm/Support/Allocator.h>

namespace bench
{

struct llvm_bump {
    llvm::BumpPtrAllocator allocator;

    void *alloc(std::size_t size)
    {
        return allocator.Allocate(size, llvm::Align(8));
    }
    void reset()
    {
        allocator.Reset();
    }
};

struct llvm_one_type {
    llvm::SpecificBumpPtrAllocator<cpp_thing> allocator;

    void *alloc(std::size_t)
    {
        return new (allocator.Allocate()) cpp_thing;
    }
    void reset()
    {
        allocator.DestroyAll();
    }
};

void add_llvm(suite &s)
{
    s.plain<llvm_bump>("LLVM BumpPtrAllocator");
    s.destructors<llvm_one_type>("LLVM, one type");
    s.tree<llvm_bump>("LLVM BumpPtrAllocator");
}

} // namespace bench
#else
void bench::add_llvm(suite &) {}
#endif
