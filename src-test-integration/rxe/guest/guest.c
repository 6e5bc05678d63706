/* What every guest does: mounts, reading the job, the end. The command itself: run.c. */
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

static _Noreturn void power_off(void)
{
	sync(); /* shared mappings of the caller's files */
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

void guest_die(const char *format, ...)
{
	char text[512] = "<0>verbs4j: ";
	size_t head = strlen(text);
	va_list arguments;
	int fd;

	va_start(arguments, format);
	vsnprintf(text + head, sizeof text - head - 1, format, arguments);
	va_end(arguments);
	strcat(text, "\n");
	if ((fd = open("/dev/kmsg", O_WRONLY)) >= 0 && write(fd, text, strlen(text)) > 0)
		power_off();
	if ((fd = open("/dev/console", O_WRONLY)) < 0)
		fd = 2;
	if (write(fd, text + 3, strlen(text + 3)) < 0)
		reboot(RB_POWER_OFF);
	power_off();
}

int guest_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	int result = -errno;

	if (fd < 0)
		return result;
	result = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return result;
}

char *guest_read(const char *path, unsigned long *size)
{
	struct stat file;
	char *content;
	ssize_t got;
	size_t have = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (fstat(fd, &file) < 0 || !(content = calloc(1, (size_t)file.st_size + 1)))
		guest_die("%s: %s", path, strerror(errno));
	while ((got = read(fd, content + have, (size_t)file.st_size - have)) > 0)
		have += (size_t)got;
	close(fd);
	if (size)
		*size = have;
	return content;
}

const char *guest_job_file(const struct job *job, const char *name)
{
	static char path[4096];

	snprintf(path, sizeof path, "%s/%s", job->dir, name);
	return path;
}

void guest_each(const struct job *job, const char *name, void (*each)(const char *))
{
	unsigned long size = 0;
	char *content = guest_read(guest_job_file(job, name), &size);

	for (char *at = content; at && at < content + size; at += strlen(at) + 1)
		each(at);
	free(content);
}

void guest_make_directories(const char *path)
{
	char copy[4096];

	snprintf(copy, sizeof copy, "%s", path);
	for (char *slash = copy + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(copy, 0755);
	}
	mkdir(copy, 0755);
}

static void mount_fresh(const char *type, const char *path, const char *options)
{
	guest_make_directories(path);
	if (mount(type, path, type, 0, options) < 0)
		guest_die("mount %s on %s: %s", type, path, strerror(errno));
}

void guest_mounts(void)
{
	umask(0);
	mount_fresh("proc", "/proc", NULL);
	mount_fresh("sysfs", "/sys", NULL);
	mount_fresh("devtmpfs", "/dev", "mode=755");
	mount_fresh("devpts", "/dev/pts", "ptmxmode=666,mode=620,gid=5");
	mount_fresh("tmpfs", "/dev/shm", "mode=1777");
	/* Sockets of the host's daemons in /run answer nobody here. */
	mount_fresh("tmpfs", "/run", "mode=755");
	guest_make_directories("/run/lock");
	if (symlink("/proc/self/fd", "/dev/fd") < 0 || symlink("/proc/self/fd/0", "/dev/stdin") < 0 ||
	    symlink("/proc/self/fd/1", "/dev/stdout") < 0 || symlink("/proc/self/fd/2", "/dev/stderr") < 0)
		guest_die("symlinks in /dev: %s", strerror(errno));
}

void guest_finish(const struct job *job, int status)
{
	char name[32], text[16], part[4096];

	snprintf(name, sizeof name, "%d/status.part", job->host);
	snprintf(part, sizeof part, "%s", guest_job_file(job, name));
	close(open(part, O_WRONLY | O_CREAT | O_TRUNC, 0644));
	snprintf(text, sizeof text, "%d\n", status);
	if (guest_write(part, text) < 0)
		guest_die("can not write %s", part);
	snprintf(name, sizeof name, "%d/status", job->host);
	/* Under its final name it is whole. */
	if (rename(part, guest_job_file(job, name)) < 0)
		guest_die("can not rename %s: %s", part, strerror(errno));
	power_off();
}
