/* A disk that refuses. Loaded in front of the C library (LD_PRELOAD), it lets calls on files under one folder fail, or
 * take long, as a page of shared memory says.
 *
 *     FAULTS_IN     the folder
 *     FAULTS_BY     a file of eight numbers of 64 bits, which whoever tries something sets:
 *
 *     0 kinds   1 errno   2 first   3 last   4 delay in us   5 calls   6 failed   7 delayed
 *
 * Of the calls of these kinds, counted from 1, those from `first` to `last` fail; every sync takes `delay` longer. A write
 * on a full disk takes a half of its first failing piece before it fails, as a disk does that has some room left.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, SIZE = 2, NAME = 4, SYNC = 8, REMOVE = 16, OPEN = 32, OPEN_TO_WRITE = 64 };
enum { KINDS, ERROR, FIRST, LAST, DELAY, CALLS, FAILED, DELAYED, NUMBERS };

static volatile long long *numbers;
static char folder[PATH_MAX];
static size_t length;

__attribute__((constructor)) static void begin(void) {
    const char *in = getenv("FAULTS_IN"), *by = getenv("FAULTS_BY");
    int (*open_)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    if (!in || !by) return;
    int descriptor = open_(by, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return;
    void *page = mmap(NULL, NUMBERS * sizeof *numbers, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (page == MAP_FAILED) return;
    snprintf(folder, sizeof folder, "%s/", in);
    length = strlen(folder);
    numbers = page;
}

static int is_ours(int at, const char *path) {
    char whole[PATH_MAX], link[64];
    ssize_t size;
    if (path && path[0] == '/') return !strncmp(path, folder, length);
    if (at == AT_FDCWD) size = readlink("/proc/self/cwd", whole, sizeof whole - 1);
    else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", at);
        size = readlink(link, whole, sizeof whole - 2);
    }
    if (size < 0) return 0;
    whole[size] = '/';
    whole[size + 1] = 0;
    return !strncmp(whole, folder, length);
}

/* Whether this call fails; errno says how. */
static int fails(int kind, int at, const char *path) {
    int before = errno;
    if (!numbers || !(numbers[KINDS] & kind) || !is_ours(at, path)) {
        errno = before;
        return 0;
    }
    long long call = __atomic_add_fetch(&numbers[CALLS], 1, __ATOMIC_SEQ_CST);
    if (call < numbers[FIRST] || call > numbers[LAST]) {
        errno = before;
        return 0;
    }
    __atomic_add_fetch(&numbers[FAILED], 1, __ATOMIC_SEQ_CST);
    errno = (int)numbers[ERROR];
    return call == numbers[FIRST] ? 1 : 2;
}

static void delays(int descriptor) {
    if (numbers && numbers[DELAY] && is_ours(descriptor, NULL)) {
        __atomic_add_fetch(&numbers[DELAYED], 1, __ATOMIC_SEQ_CST);
        usleep((useconds_t)numbers[DELAY]);
    }
}

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, #name)

/* A disk that has just become full still takes a part. */
#define TAKES_A_PART(how, count) (how == 1 && numbers[ERROR] == ENOSPC && (count) > 1)

ssize_t write(int descriptor, const void *data, size_t count) {
    REAL(ssize_t, write, int, const void *, size_t);
    int how = fails(WRITE, descriptor, NULL);
    if (how) return TAKES_A_PART(how, count) ? real(descriptor, data, count / 2) : -1;
    return real(descriptor, data, count);
}

#define PWRITE(name, offset_type)                                                                                  \
    ssize_t name(int descriptor, const void *data, size_t count, offset_type at) {                                 \
        REAL(ssize_t, name, int, const void *, size_t, offset_type);                                               \
        int how = fails(WRITE, descriptor, NULL);                                                                  \
        if (how) return TAKES_A_PART(how, count) ? real(descriptor, data, count / 2, at) : -1;                     \
        return real(descriptor, data, count, at);                                                                  \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    int how = fails(WRITE, descriptor, NULL);
    if (how) return TAKES_A_PART(how, count) ? real(descriptor, parts, count / 2) : -1;
    return real(descriptor, parts, count);
}

#define PWRITEV(name, offset_type)                                                                                 \
    ssize_t name(int descriptor, const struct iovec *parts, int count, offset_type at) {                           \
        REAL(ssize_t, name, int, const struct iovec *, int, offset_type);                                          \
        int how = fails(WRITE, descriptor, NULL);                                                                  \
        if (how) return TAKES_A_PART(how, count) ? real(descriptor, parts, count / 2, at) : -1;                    \
        return real(descriptor, parts, count, at);                                                                 \
    }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

#define RESIZE(name, offset_type)                                                                                  \
    int name(int descriptor, offset_type size) {                                                                   \
        REAL(int, name, int, offset_type);                                                                         \
        return fails(SIZE, descriptor, NULL) ? -1 : real(descriptor, size);                                        \
    }
RESIZE(ftruncate, off_t)
RESIZE(ftruncate64, off64_t)

/* These return the error, and leave errno alone. */
#define ALLOCATE(name, offset_type)                                                                                \
    int name(int descriptor, offset_type at, offset_type size) {                                                   \
        REAL(int, name, int, offset_type, offset_type);                                                            \
        return fails(SIZE, descriptor, NULL) ? errno : real(descriptor, at, size);                                 \
    }
ALLOCATE(posix_fallocate, off_t)
ALLOCATE(posix_fallocate64, off64_t)

#define SYNCS(name)                                                                                                \
    int name(int descriptor) {                                                                                     \
        REAL(int, name, int);                                                                                      \
        delays(descriptor);                                                                                        \
        return fails(SYNC, descriptor, NULL) ? -1 : real(descriptor);                                              \
    }
SYNCS(fsync)
SYNCS(fdatasync)

static int opening_fails(int at, const char *path, int flags) {
    int kinds = OPEN;
    if ((flags & O_ACCMODE) != O_RDONLY) kinds |= OPEN_TO_WRITE;
    if (flags & O_CREAT && faccessat(at, path, F_OK, 0)) kinds |= NAME;
    return fails(kinds, at, path);
}

#define OPENS(name)                                                                                                \
    int name(const char *path, int flags, ...) {                                                                   \
        REAL(int, name, const char *, int, ...);                                                                   \
        va_list more;                                                                                              \
        va_start(more, flags);                                                                                     \
        int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;                                          \
        va_end(more);                                                                                              \
        return opening_fails(AT_FDCWD, path, flags) ? -1 : real(path, flags, mode);                                \
    }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                                                                             \
    int name(int at, const char *path, int flags, ...) {                                                           \
        REAL(int, name, int, const char *, int, ...);                                                              \
        va_list more;                                                                                              \
        va_start(more, flags);                                                                                     \
        int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;                                          \
        va_end(more);                                                                                              \
        return opening_fails(at, path, flags) ? -1 : real(at, path, flags, mode);                                  \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    return fails(NAME, AT_FDCWD, path) ? -1 : real(path, mode);
}

int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    return fails(NAME, AT_FDCWD, to) ? -1 : real(from, to);
}

int unlink(const char *path) {
    REAL(int, unlink, const char *);
    return fails(REMOVE, AT_FDCWD, path) ? -1 : real(path);
}

int unlinkat(int at, const char *path, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    return fails(REMOVE, at, path) ? -1 : real(at, path, flags);
}

int rmdir(const char *path) {
    REAL(int, rmdir, const char *);
    return fails(REMOVE, AT_FDCWD, path) ? -1 : real(path);
}

/* A disk that is full says so. */
#define ROOM(name, of)                                                                                             \
    int name(const char *path, struct of *room) {                                                                  \
        REAL(int, name, const char *, struct of *);                                                                \
        int done = real(path, room);                                                                               \
        if (numbers && numbers[KINDS] && numbers[ERROR] == ENOSPC && numbers[FAILED]) room->f_bavail = 0;          \
        return done;                                                                                               \
    }
ROOM(statvfs, statvfs)
ROOM(statvfs64, statvfs64)
