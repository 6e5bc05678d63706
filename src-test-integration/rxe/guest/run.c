/* Runs the job's command as a child and passes its output on. */
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

struct stream {
	int number; /* 1 or 2 in the command */
	int sink;   /* the engine's device */
	int source; /* read end of the pipe; -1 if the command writes to the device itself */
	int child;  /* what the command gets */
};

static void write_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t done = write(fd, data, size);

		if (done < 0 && errno != EINTR && errno != EAGAIN)
			return; /* nobody listens; the command need not fail for that */
		if (done > 0) {
			data += done;
			size -= (size_t)done;
		}
	}
}

/*
 * The command sees a terminal only where its caller has one: with the device itself, a tty under
 * UML, programs would colour and fold what goes to a file.
 */
static void open_stream(struct stream *stream, const struct job *job)
{
	char *ttys = guest_read(guest_job_file(job, "ttys"), NULL);
	int ends[2];

	if (isatty(stream->sink)) {
		struct termios raw;

		tcgetattr(stream->sink, &raw);
		cfmakeraw(&raw);
		tcsetattr(stream->sink, TCSANOW, &raw);
	}
	stream->source = -1;
	stream->child = stream->sink;
	if (ttys && strchr(ttys, '0' + stream->number) && isatty(stream->sink)) {
		free(ttys);
		return;
	}
	free(ttys);
	if (pipe2(ends, O_CLOEXEC) < 0)
		guest_die("pipe: %s", strerror(errno));
	stream->source = ends[0];
	stream->child = ends[1];
	fcntl(stream->source, F_SETFL, O_NONBLOCK);
}

/* True when there was something to pass on. */
static int pass_on(struct stream *stream)
{
	char data[65536];
	ssize_t got = stream->source < 0 ? 0 : read(stream->source, data, sizeof data);

	if (got > 0)
		write_all(stream->sink, data, (size_t)got);
	else if (stream->source >= 0 && (got == 0 || errno != EAGAIN)) {
		close(stream->source);
		stream->source = -1;
	}
	return got > 0;
}

static char **strings(const struct job *job, const char *name)
{
	unsigned long size = 0;
	size_t count = 0;
	char *content = guest_read(guest_job_file(job, name), &size);
	char **list = calloc(size + 1, sizeof *list);

	if (!content || !list)
		guest_die("no %s in %s", name, job->dir);
	for (char *at = content; at < content + size; at += strlen(at) + 1)
		list[count++] = at;
	return list;
}

static void set_environment(const struct job *job)
{
	struct utsname system;
	char number[2] = {(char)('0' + job->host), '\0'};

	for (char **entry = strings(job, "env"); *entry; entry++)
		putenv(*entry);
	uname(&system);
	setenv("VERBS4J_KERNEL", system.release, 1);
	if (job->hosts == 2) {
		setenv("VERBS4J_HOST", number, 1);
		setenv("VERBS4J_PEER", job->host == 1 ? "10.78.0.2" : "10.78.0.1", 1);
	}
}

/* RDMA pins memory; the default of 8 MiB or less would be the first thing every test meets. */
static void set_limits(void)
{
	struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
	struct rlimit files = {1024, 1048576};

	setrlimit(RLIMIT_MEMLOCK, &all);
	setrlimit(RLIMIT_NOFILE, &files);
}

static _Noreturn void child(const struct job *job, const struct stream streams[2])
{
	char **argv = strings(job, "argv");
	char *cwd = guest_read(guest_job_file(job, "cwd"), NULL);
	char *mask = guest_read(guest_job_file(job, "umask"), NULL);
	sigset_t none;
	int error;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(streams[0].child, 1);
	dup2(streams[1].child, 2);
	close_range(3, ~0u, 0);
	set_limits();
	if (!cwd || chdir(cwd) < 0) {
		fprintf(stderr, "verbs: %s: %s\n", cwd ? cwd : "cwd", strerror(errno));
		_exit(126);
	}
	umask(mask ? (mode_t)strtoul(mask, NULL, 8) : 022);
	clearenv();
	set_environment(job);
	execvp(argv[0], argv);
	error = errno;
	fprintf(stderr, "verbs: %s: %s\n", argv[0], strerror(error));
	_exit(error == ENOENT ? 127 : 126);
}

/* Reaps everything, as process 1 has to; true when the command itself has ended. */
static int reap(pid_t command, int *status)
{
	int found = 0, one;
	pid_t pid;

	while ((pid = waitpid(-1, &one, WNOHANG)) > 0) {
		if (pid != command)
			continue;
		*status = WIFSIGNALED(one) ? 128 + WTERMSIG(one) : WEXITSTATUS(one);
		found = 1;
	}
	return found;
}

int guest_run(const struct job *job, int out, int err)
{
	struct stream streams[2] = {{.number = 1, .sink = out}, {.number = 2, .sink = err}};
	struct pollfd waits[3] = {{.events = POLLIN}, {.events = POLLIN}, {.events = POLLIN}};
	struct signalfd_siginfo info;
	sigset_t signals;
	pid_t command;
	int status = 0;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	waits[2].fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	for (int i = 0; i < 2; i++)
		open_stream(&streams[i], job);
	command = fork();
	if (command < 0)
		guest_die("fork: %s", strerror(errno));
	if (command == 0)
		child(job, streams);
	for (int i = 0; i < 2; i++)
		if (streams[i].source >= 0)
			close(streams[i].child);

	for (;;) {
		for (int i = 0; i < 2; i++)
			waits[i].fd = streams[i].source;
		if (poll(waits, 3, -1) < 0 && errno != EINTR)
			guest_die("poll: %s", strerror(errno));
		for (int i = 0; i < 2; i++)
			if (waits[i].revents)
				pass_on(&streams[i]);
		if (read(waits[2].fd, &info, sizeof info) > 0 && reap(command, &status))
			break;
	}
	kill(-1, SIGKILL); /* what the command left in the background */
	for (int i = 0; i < 2; i++) {
		while (pass_on(&streams[i]))
			;
		tcdrain(streams[i].sink);
	}
	return status;
}
