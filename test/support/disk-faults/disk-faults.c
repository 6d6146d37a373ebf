/*
 * Preloaded by tests (LD_PRELOAD): a disk that fails, skips or tears the writes of a ledger.
 *
 * DISK_FAULTS names a folder. It gets a shadow of each watched file: what a power loss would leave of it. A write goes
 * to the file at once, as to the page cache, and to the shadow only when the file is synced. The file `mode` of the
 * folder, read at each call, says how the disk behaves:
 *   (absent)  honest
 *   fail      fsync and fdatasync fail with EIO, and what was written before is never durable unless it is written again:
 *             so does Linux, which takes the pages of a failed sync for clean
 *   skip      they say that they did it, and make nothing durable
 *   tear      honest, but of each write the first sector is durable at once, without the rest
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR 512
#define FILES 8
#define RANGES 65536

struct range {
  off64_t at;
  size_t size;
};

struct file {
  char path[4096];
  int shadow;
  size_t count;
  struct range dirty[RANGES];
};

static struct file files[FILES];
static size_t file_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static int (*real_ftruncate)(int, off64_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

__attribute__((constructor)) static void begin(void) {
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
}

/* A test that goes on after a fault of its own disk would show nothing. */
static void give_up(const char *what) {
  perror(what);
  abort();
}

static int ends_with(const char *text, const char *end) {
  size_t size = strlen(text), wanted = strlen(end);
  return size >= wanted && strcmp(text + size - wanted, end) == 0;
}

static void shadow_path(char *to, size_t size, const char *name) {
  snprintf(to, size, "%s/%s", getenv("DISK_FAULTS"), name);
}

/* First letter of the mode; 'h': honest. */
static char mode(void) {
  char path[4096], text = 'h';
  shadow_path(path, sizeof path, "mode");
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 'h';
  if (read(fd, &text, 1) != 1) text = 'h';
  close(fd);
  return text;
}

static void copy_range(int from, int to, off64_t at, size_t size) {
  char buffer[65536];
  while (size > 0) {
    ssize_t got = pread64(from, buffer, size < sizeof buffer ? size : sizeof buffer, at);
    if (got < 0) give_up("disk-faults: read");
    if (got == 0) return;
    if (real_pwrite(to, buffer, (size_t)got, at) != got) give_up("disk-faults: write");
    at += got;
    size -= (size_t)got;
  }
}

/* The shadow of a new file holds what is in it now: that is durable. */
static struct file *watch(const char *path) {
  if (file_count == FILES) give_up("disk-faults: too many files");
  struct file *file = &files[file_count];
  char shadow[4096];
  struct stat64 known;
  shadow_path(shadow, sizeof shadow, strrchr(path, '/') + 1);
  snprintf(file->path, sizeof file->path, "%s", path);
  file->shadow = open(shadow, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file->shadow < 0) give_up("disk-faults: open");
  int from = open(path, O_RDONLY | O_CLOEXEC);
  if (from < 0 || fstat64(from, &known) != 0) give_up("disk-faults: open");
  copy_range(from, file->shadow, 0, (size_t)known.st_size);
  close(from);
  file_count += 1;
  return file;
}

/* The watched file of a descriptor; NULL: it is none. To call with the lock. */
static struct file *watched(int fd) {
  char link[64], path[4096];
  if (getenv("DISK_FAULTS") == NULL) return NULL;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size <= 0) return NULL;
  path[size] = '\0';
  if (!ends_with(path, "/ledger.sqlite") && !ends_with(path, "/ledger.sqlite-wal")) return NULL;
  for (size_t at = 0; at < file_count; at++)
    if (strcmp(files[at].path, path) == 0) return &files[at];
  return watch(path);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  pthread_mutex_lock(&lock);
  struct file *file = watched(fd);
  ssize_t wrote = real_pwrite(fd, bytes, size, at);
  int cause = errno;
  if (file != NULL && wrote > 0) {
    if (file->count == RANGES) give_up("disk-faults: too many writes without a sync");
    file->dirty[file->count++] = (struct range){at, (size_t)wrote};
    if (mode() == 't') copy_range(fd, file->shadow, at, wrote < SECTOR ? (size_t)wrote : SECTOR);
  }
  pthread_mutex_unlock(&lock);
  errno = cause;
  return wrote;
}

static int sync_file(int fd, int (*real)(int)) {
  pthread_mutex_lock(&lock);
  struct file *file = watched(fd);
  char how = file == NULL ? 'h' : mode();
  int result = 0, cause = errno;
  if (how == 'f') {
    result = -1;
    cause = EIO;
    file->count = 0;
  } else if (how != 's') {
    result = real(fd);
    cause = errno;
    struct stat64 now;
    if (file != NULL && result == 0 && fstat64(fd, &now) == 0) {
      for (size_t at = 0; at < file->count; at++) copy_range(fd, file->shadow, file->dirty[at].at, file->dirty[at].size);
      file->count = 0;
      if (real_ftruncate(file->shadow, now.st_size) != 0) give_up("disk-faults: truncate");
    }
  }
  pthread_mutex_unlock(&lock);
  errno = cause;
  return result;
}

int fsync(int fd) { return sync_file(fd, real_fsync); }

int fdatasync(int fd) { return sync_file(fd, real_fdatasync); }

/* A shorter file is durable at the next sync: until then its shadow keeps the length of before. */
int ftruncate64(int fd, off64_t size) {
  pthread_mutex_lock(&lock);
  watched(fd);
  int result = real_ftruncate(fd, size);
  int cause = errno;
  pthread_mutex_unlock(&lock);
  errno = cause;
  return result;
}
