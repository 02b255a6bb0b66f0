// Records what a process does to the files below one folder: preloaded (LD_PRELOAD) by the power drill.
//
// Every change is appended to a log outside the folder *before* it is made, under one lock, so that the order of the
// log is the order of the changes. A sync is recorded when it begins and when it has returned; so an acknowledgement
// that waited for the disk has its sync in the log before anybody can see it. The log lies in the page cache, which
// survives the SIGKILL that stands for the power cut. power-log.ts reads it; the layout is in `struct record`.
//
// Files that end in "-shm" are memory-mapped and are rebuilt by SQLite; they are not followed. A way to write that is
// not followed here ends the process loudly: a drill that misses writes proves nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { STARTED = 1, OPENED, CREATED, FOLDER_OPENED, WROTE, TRUNCATED, SYNC_BEGAN, SYNCED, UNLINKED, RENAMED };

// Little-endian, then `length` bytes: a name, the bytes written, or two names with a NUL between them.
struct record {
  uint32_t kind;
  uint32_t handle;
  uint64_t number; // an offset, a size, or the number of a sync
  uint64_t length;
};

#define DESCRIPTORS_MAX 65536

static uint32_t handle_of[DESCRIPTORS_MAX]; // 0: not followed
static uint32_t last_handle;
static uint64_t last_sync;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static size_t folder_length;
static int log_descriptor = -1;
static useconds_t sync_delay; // a slow disk, on which a cut finds more that is not synced yet

#define REAL(name) ((__typeof__(name) *)real(#name))

static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) abort();
  return found;
}

static void fail(const char *why) {
  dprintf(2, "power-shim: %s\n", why);
  abort();
}

static void append(struct record record, const void *bytes) {
  struct iovec parts[2] = {{&record, sizeof record}, {(void *)bytes, record.length}};
  ssize_t whole = (ssize_t)(sizeof record + record.length);
  if (REAL(writev)(log_descriptor, parts, record.length == 0 ? 1 : 2) != whole) fail("the log cannot be written");
}

__attribute__((constructor)) static void start(void) {
  const char *wanted = getenv("DRILL_FOLDER"), *log = getenv("DRILL_LOG");
  if (wanted == NULL || log == NULL || strlen(wanted) >= PATH_MAX) fail("DRILL_FOLDER and DRILL_LOG must be set");
  log_descriptor = REAL(open64)(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (log_descriptor < 0) fail("the log cannot be opened");
  append((struct record){STARTED, 0, 0, 0}, NULL);
  const char *delay = getenv("DRILL_SYNC_MICROSECONDS");
  sync_delay = delay == NULL ? 0 : (useconds_t)strtoul(delay, NULL, 10);
  strcpy(folder, wanted);
  folder_length = strlen(folder);
}

// The name below the folder; NULL where the path is elsewhere or is not followed; "" for the folder itself.
static const char *name_of(const char *path) {
  if (folder_length == 0 || path == NULL || strncmp(path, folder, folder_length) != 0) return NULL;
  if (path[folder_length] == '\0') return "";
  if (path[folder_length] != '/') return NULL;
  const char *name = path + folder_length + 1;
  size_t length = strlen(name);
  return length >= 4 && strcmp(name + length - 4, "-shm") == 0 ? NULL : name;
}

static uint32_t handle_at(int descriptor) {
  if (descriptor < 0 || descriptor >= DESCRIPTORS_MAX) return 0;
  return __atomic_load_n(&handle_of[descriptor], __ATOMIC_ACQUIRE);
}

static void follow(int descriptor, uint32_t handle) {
  if (descriptor < 0) return;
  if (descriptor >= DESCRIPTORS_MAX) fail("too many descriptors");
  __atomic_store_n(&handle_of[descriptor], handle, __ATOMIC_RELEASE);
}

static int open_followed(const char *path, int flags, mode_t mode) {
  const char *name = name_of(path);
  if (name == NULL) {
    int descriptor = REAL(open64)(path, flags, mode);
    follow(descriptor, 0);
    return descriptor;
  }
  pthread_mutex_lock(&lock);
  int is_new = (flags & O_CREAT) != 0 && access(path, F_OK) != 0;
  uint32_t handle = ++last_handle;
  enum kind kind = is_new ? CREATED : *name == '\0' ? FOLDER_OPENED : OPENED;
  append((struct record){kind, handle, 0, strlen(name)}, name);
  if ((flags & O_TRUNC) != 0 && !is_new) append((struct record){TRUNCATED, handle, 0, 0}, NULL);
  int descriptor = REAL(open64)(path, flags, mode);
  int failure = errno;
  if (descriptor < 0 && is_new) fail("a file could not be created");
  follow(descriptor, handle);
  pthread_mutex_unlock(&lock);
  errno = failure;
  return descriptor;
}

#define MODE_OF(flags, mode)                                  \
  mode_t mode = 0;                                            \
  if (((flags) & O_CREAT) != 0 || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list rest;                                             \
    va_start(rest, flags);                                    \
    mode = va_arg(rest, mode_t);                              \
    va_end(rest);                                             \
  }

int open(const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return open_followed(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return open_followed(path, flags, mode);
}

int openat(int at, const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  if (at == AT_FDCWD || path[0] == '/') return open_followed(path, flags, mode);
  return REAL(openat64)(at, path, flags, mode);
}

int openat64(int at, const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  if (at == AT_FDCWD || path[0] == '/') return open_followed(path, flags, mode);
  return REAL(openat64)(at, path, flags, mode);
}

int close(int descriptor) {
  follow(descriptor, 0);
  return REAL(close)(descriptor);
}

static ssize_t write_followed(uint32_t handle, int descriptor, const struct iovec *bytes, off64_t offset) {
  pthread_mutex_lock(&lock);
  append((struct record){WROTE, handle, (uint64_t)offset, bytes->iov_len}, bytes->iov_base);
  ssize_t written = REAL(pwrite64)(descriptor, bytes->iov_base, bytes->iov_len, offset);
  if (written != (ssize_t)bytes->iov_len) fail("a write was short");
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
  uint32_t handle = handle_at(descriptor);
  if (handle == 0) return REAL(pwrite64)(descriptor, bytes, length, offset);
  return write_followed(handle, descriptor, &(struct iovec){(void *)bytes, length}, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  return pwrite64(descriptor, bytes, length, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
  uint32_t handle = handle_at(descriptor);
  if (handle == 0) return REAL(write)(descriptor, bytes, length);
  off64_t offset = lseek64(descriptor, 0, (fcntl(descriptor, F_GETFL) & O_APPEND) != 0 ? SEEK_END : SEEK_CUR);
  ssize_t written = write_followed(handle, descriptor, &(struct iovec){(void *)bytes, length}, offset);
  lseek64(descriptor, offset + written, SEEK_SET);
  return written;
}

int ftruncate64(int descriptor, off64_t size) {
  uint32_t handle = handle_at(descriptor);
  if (handle == 0) return REAL(ftruncate64)(descriptor, size);
  pthread_mutex_lock(&lock);
  append((struct record){TRUNCATED, handle, (uint64_t)size, 0}, NULL);
  if (REAL(ftruncate64)(descriptor, size) != 0) fail("a file could not be cut to size");
  pthread_mutex_unlock(&lock);
  return 0;
}

int ftruncate(int descriptor, off_t size) {
  return ftruncate64(descriptor, size);
}

static int sync_followed(int descriptor, int (*sync)(int)) {
  uint32_t handle = handle_at(descriptor);
  if (handle == 0) return sync(descriptor);
  pthread_mutex_lock(&lock);
  uint64_t number = ++last_sync;
  append((struct record){SYNC_BEGAN, handle, number, 0}, NULL);
  pthread_mutex_unlock(&lock);
  if (sync_delay != 0) usleep(sync_delay);
  if (sync(descriptor) != 0) fail("a sync failed");
  pthread_mutex_lock(&lock);
  append((struct record){SYNCED, handle, number, 0}, NULL);
  pthread_mutex_unlock(&lock);
  return 0;
}

int fsync(int descriptor) {
  return sync_followed(descriptor, REAL(fsync));
}

int fdatasync(int descriptor) {
  return sync_followed(descriptor, REAL(fdatasync));
}

int unlink(const char *path) {
  const char *name = name_of(path);
  if (name == NULL) return REAL(unlink)(path);
  pthread_mutex_lock(&lock);
  if (access(path, F_OK) == 0) append((struct record){UNLINKED, 0, 0, strlen(name)}, name);
  int outcome = REAL(unlink)(path), failure = errno;
  pthread_mutex_unlock(&lock);
  errno = failure;
  return outcome;
}

int rename(const char *from, const char *to) {
  const char *name = name_of(from), *other = name_of(to);
  if (name == NULL && other == NULL) return REAL(rename)(from, to);
  if (name == NULL || other == NULL) fail("a file was moved into or out of the folder");
  char names[2 * PATH_MAX];
  size_t length = strlen(name);
  memcpy(names, name, length + 1);
  strcpy(names + length + 1, other);
  pthread_mutex_lock(&lock);
  append((struct record){RENAMED, 0, 0, length + 1 + strlen(other)}, names);
  if (REAL(rename)(from, to) != 0) fail("a file could not be renamed");
  pthread_mutex_unlock(&lock);
  return 0;
}

#define NOT_FOLLOWED(descriptor, what) \
  if (handle_at(descriptor) != 0) fail(what " is not followed")

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  NOT_FOLLOWED(descriptor, "writev");
  return REAL(writev)(descriptor, parts, count);
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
  NOT_FOLLOWED(descriptor, "pwritev");
  return REAL(pwritev64)(descriptor, parts, count, offset);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  return pwritev64(descriptor, parts, count, offset);
}

int posix_fallocate64(int descriptor, off64_t offset, off64_t length) {
  NOT_FOLLOWED(descriptor, "posix_fallocate");
  return REAL(posix_fallocate64)(descriptor, offset, length);
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
  return posix_fallocate64(descriptor, offset, length);
}

int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
  NOT_FOLLOWED(descriptor, "fallocate");
  return REAL(fallocate64)(descriptor, mode, offset, length);
}

void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off64_t offset) {
  if ((protection & PROT_WRITE) != 0 && (flags & MAP_SHARED) != 0) NOT_FOLLOWED(descriptor, "a writable mmap");
  return REAL(mmap64)(address, length, protection, flags, descriptor, offset);
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
  return mmap64(address, length, protection, flags, descriptor, offset);
}
