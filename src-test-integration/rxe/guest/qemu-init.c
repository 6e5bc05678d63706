/*
 * First process of a QEMU guest: what stands between the kernel and the common part in guest.h.
 *
 * It lives in the initial archive together with the modules, and finds everything else by name:
 *
 *   9p tag "root"     the host's root, read-only; gets an overlay in memory, so that writes vanish
 *   9p tag "job"      the job's directory
 *   9p tag "rw0" ...  the writable directories, in the order of the job's file `rw`
 *   ports "stdout", "stderr"   virtio-serial ports for what the command prints
 *
 * Kernel parameters arrive as environment variables: verbs4j_host says which host of the job this is,
 * verbs4j_probe asks only to show that the first process is reached.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* QEMU's isa-debug-exit device ends the machine when this port is written. */
enum { DEBUG_EXIT_PORT = 0xf4, PROBE_REACHED = 0x10 };

/* 512000 bytes is the most that the virtio transport takes. */
#define NINE_P "trans=virtio,version=9p2000.L,msize=512000,cache="

static void mount_or_die(const char *source, const char *target, const char *type, unsigned long flags,
			 const char *options)
{
	guest_make_directories(target);
	if (mount(source, target, type, flags, options))
		guest_die("cannot mount %s (%s) on %s: %m", source, type, target);
}

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* The files are numbered: alphabetical order is loading order. */
static void load_modules(void)
{
	struct dirent **modules;
	int count = scandir("/modules", &modules, not_hidden, alphasort);

	for (int i = 0; i < count; i++) {
		char path[512];
		int file;

		snprintf(path, sizeof path, "/modules/%s", modules[i]->d_name);
		file = open(path, O_RDONLY | O_CLOEXEC);
		if (file < 0 || syscall(SYS_finit_module, file, "", 0))
			guest_die("cannot load module %s: %m", modules[i]->d_name);
		close(file);
		unlink(path); /* its memory is the guest's */
	}
}

/* Host files are taken as unchanging during a run: reading them at leisure is what makes starting a JVM bearable. */
static void enter_root(void)
{
	mount_or_die("root", "/lower", "9p", MS_RDONLY, NINE_P "loose");
	mount_or_die("upper", "/upper", "tmpfs", 0, "size=50%");
	guest_make_directories("/upper/files");
	guest_make_directories("/upper/work");
	mount_or_die("root", "/root", "overlay", 0, "lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work");
	if (chdir("/root") || chroot(".") || chdir("/"))
		guest_die("cannot enter the root: %m");
}

/*
 * cache=mmap: reads and writes reach the host at once, so that both sides see each other's files, and yet a shared
 * mapping works (it is refused with cache=none).
 */
static void mount_writable(const char *directory)
{
	static int number;
	char tag[16];

	snprintf(tag, sizeof tag, "rw%d", number++);
	/* All of the root: what the overlay is there to prevent. */
	if (strcmp(directory, "/") == 0)
		return;
	mount_or_die(tag, directory, "9p", 0, NINE_P "mmap");
}

/* A port's device node is numbered as the bus was scanned; its name is in sysfs. */
static int open_port(const char *name)
{
	struct dirent **ports;
	int count = scandir("/sys/class/virtio-ports", &ports, not_hidden, alphasort);

	for (int i = 0; i < count; i++) {
		char path[512];
		char *text;

		snprintf(path, sizeof path, "/sys/class/virtio-ports/%s/name", ports[i]->d_name);
		text = guest_read(path, NULL);
		if (!text || strncmp(text, name, strlen(name)) != 0)
			continue;
		snprintf(path, sizeof path, "/dev/%s", ports[i]->d_name);
		return open(path, O_WRONLY | O_CLOEXEC);
	}
	return -1;
}

int main(void)
{
	struct job job = { .dir = "/.verbs4j" };
	const char *host = getenv("verbs4j_host"), *hosts;
	int out, err;

	if (getenv("verbs4j_probe") && ioperm(DEBUG_EXIT_PORT, 1, 1) == 0)
		outb(PROBE_REACHED, DEBUG_EXIT_PORT);
	job.host = host ? atoi(host) : 1;

	load_modules();
	enter_root();
	guest_mounts();
	mount_or_die("job", job.dir, "9p", 0, NINE_P "none");
	hosts = guest_read(guest_job_file(&job, "hosts"), NULL);
	job.hosts = hosts ? atoi(hosts) : 1;
	guest_each(&job, "rw", mount_writable);
	guest_names(&job);
	guest_network(&job);

	out = open_port("stdout");
	err = open_port("stderr");
	if (out < 0 || err < 0)
		guest_die("cannot open the ports for stdout and stderr: %m");
	guest_finish(&job, guest_run(&job, out, err));
}
