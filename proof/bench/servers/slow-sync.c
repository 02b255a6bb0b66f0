/* A disk that takes its time, for slow-disk.ts: preloaded, it makes each fsync and fdatasync last so many ms longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void wait_as_a_slow_disk(void) {
  const char *text = getenv("BENCH_SYNC_DELAY_MS");
  long milliseconds = text == NULL ? 0 : atol(text);
  struct timespec delay = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
  if (milliseconds > 0) nanosleep(&delay, NULL);
}

static int sync_slowly(const char *name, int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  int outcome = real(file);
  wait_as_a_slow_disk();
  return outcome;
}

int fsync(int file) { return sync_slowly("fsync", file); }

int fdatasync(int file) { return sync_slowly("fdatasync", file); }
