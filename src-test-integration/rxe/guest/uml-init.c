/*
 * Process 1 under User-Mode Linux. The kernel has mounted the host's root read-only through hostfs
 * and started this program as JOB/N/init; JOB/hosts says how many guests there are.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The host's root with a layer of memory over it: programs may write wherever they like, and
 * the host sees nothing of it. /proc, which every root has, holds the layer.
 */
static void root_in_memory(void)
{
	if (mount("tmpfs", "/proc", "tmpfs", 0, "mode=755") < 0)
		guest_die("tmpfs: %s", strerror(errno));
	mkdir("/proc/upper", 0755);
	mkdir("/proc/work", 0755);
	mkdir("/proc/root", 0755);
	if (mount("overlay", "/proc/root", "overlay", 0,
		  "lowerdir=/,upperdir=/proc/upper,workdir=/proc/work") < 0)
		guest_die("overlay: %s", strerror(errno));
	if (chdir("/proc/root") < 0 || mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0)
		guest_die("new root: %s", strerror(errno));
}

static void writable(const char *directory)
{
	/* All of the root: what the layer in memory is there to prevent. */
	if (strcmp(directory, "/") == 0)
		return;
	guest_make_directories(directory);
	if (mount("none", directory, "hostfs", 0, directory) < 0)
		guest_die("hostfs %s: %s", directory, strerror(errno));
}

int main(int argc, char **argv)
{
	struct job job = {.dir = argv[0], .hosts = 1};
	char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	char *hosts;

	if (!slash || slash - argv[0] < 3)
		guest_die("init=JOB/N/init is missing");
	job.host = slash[-1] - '0';
	slash[-2] = '\0';

	root_in_memory();
	guest_mounts();
	writable(job.dir);
	guest_each(&job, "rw", writable);
	writable(job.dir); /* on top, should one of them hold it */
	if ((hosts = guest_read(guest_job_file(&job, "hosts"), NULL)))
		job.hosts = atoi(hosts);
	guest_names(&job);
	guest_network(&job);
	guest_finish(&job, guest_run(&job, open("/dev/tty1", O_WRONLY | O_NOCTTY | O_CLOEXEC),
				     open("/dev/tty2", O_WRONLY | O_NOCTTY | O_CLOEXEC)));
}
