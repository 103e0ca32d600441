/* A disk whose syncs take 2 ms more: preloaded into a server by bench/groups/group_commit.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static const struct timespec two_ms = {0, 2 * 1000 * 1000};

static int slowly(const char *name, int file) {
    int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    int result = sync(file);
    nanosleep(&two_ms, NULL);
    return result;
}

int fsync(int file) { return slowly("fsync", file); }

int fdatasync(int file) { return slowly("fdatasync", file); }
