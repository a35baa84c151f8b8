/*
 * A server's wall clock that a test may step. Preloaded into redis-server; adds as many microseconds
 * as the file MORTISE_CLOCK says to what the system's clock says. Monotonic time is left alone.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long long *step;

static long long now_micros(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  if (!step) {
    const char *file = getenv("MORTISE_CLOCK");
    int fd = file ? open(file, O_RDONLY) : -1;
    void *mapped = fd < 0 ? MAP_FAILED : mmap(0, sizeof *step, PROT_READ, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) {
      abort();
    }
    close(fd);
    step = mapped;
  }
  return now.tv_sec * 1000000LL + now.tv_nsec / 1000 + *step;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  long long micros = now_micros();
  now->tv_sec = micros / 1000000;
  now->tv_usec = micros % 1000000;
  return 0;
}

int clock_gettime(clockid_t id, struct timespec *now) {
  if (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE) {
    return syscall(SYS_clock_gettime, id, now);
  }
  long long micros = now_micros();
  now->tv_sec = micros / 1000000;
  now->tv_nsec = micros % 1000000 * 1000;
  return 0;
}

time_t time(time_t *now) {
  time_t seconds = now_micros() / 1000000;
  if (now) {
    *now = seconds;
  }
  return seconds;
}
