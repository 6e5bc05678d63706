/*
 * The little of libc that the library needs beside rdma-core: error numbers, waiting on file descriptors
 * with a wake-up, the locked-memory limit, huge pages, and the two initialisers that an inline of verbs.h calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
