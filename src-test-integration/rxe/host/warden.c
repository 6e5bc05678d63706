/*
 * warden JOB HOSTS SECONDS: starts the guests of a job, passes their output on, and sees to it that
 * nothing is left of them.
 *
 * Guest N is `bash JOB/N/boot`; its descriptors are described in README.md. Descriptor 3 of the
 * warden is the read end of a pipe that the launcher holds: its end is the launcher's end,
 * even by SIGKILL, and then the job's directory is removed too.
 *
 * Exit status: 0 all guests ended by themselves, 124 time over, 141 nobody reads the output,
 * 128+N signal N, 70 could not start.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	ALIVE = 3,         /* the launcher's pipe */
	CHUNK = 4096,      /* PIPE_BUF: a pipe that polls writable takes it without blocking */
	PENDING = 1 << 28, /* how much output waits for a slow reader before a guest has to */
	LONG_LINE = 1 << 16,
	GRACE_MS = 10000 /* for the other host, when one has failed */
};

struct bytes {
	char *at;
	size_t from, size, room; /* from: what is before has been written */
};

struct stream {
	int source, sink;
	char prefix[4];      /* "1| ", or empty */
	struct bytes line;   /* an unfinished line, only with a prefix */
	struct bytes out;    /* for the sink */
};

static const char *job;
static int hosts;
static struct stream streams[4];
static pid_t guests[2];
static pid_t self;

static void add(struct bytes *bytes, const char *data, size_t size)
{
	if (bytes->from > bytes->size / 2) {
		memmove(bytes->at, bytes->at + bytes->from, bytes->size - bytes->from);
		bytes->size -= bytes->from;
		bytes->from = 0;
	}
	if (bytes->size + size > bytes->room) {
		bytes->room = 2 * (bytes->size + size);
		if (!(bytes->at = realloc(bytes->at, bytes->room)))
			abort();
	}
	memcpy(bytes->at + bytes->size, data, size);
	bytes->size += size;
}

static void end_line(struct stream *stream)
{
	if (stream->line.size == 0)
		return;
	if (stream->line.at[stream->line.size - 1] != '\n')
		add(&stream->line, "\n", 1);
	add(&stream->out, stream->prefix, strlen(stream->prefix));
	add(&stream->out, stream->line.at, stream->line.size);
	stream->line.size = 0;
}

static void take(struct stream *stream)
{
	char data[CHUNK];
	ssize_t got = read(stream->source, data, sizeof data);

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0) {
		end_line(stream);
		close(stream->source);
		stream->source = -1;
		return;
	}
	if (stream->prefix[0] == '\0') {
		add(&stream->out, data, (size_t)got);
		return;
	}
	for (char *from = data, *end = data + got; from < end;) {
		char *newline = memchr(from, '\n', (size_t)(end - from));
		char *next = newline ? newline + 1 : end;

		add(&stream->line, from, (size_t)(next - from));
		if (newline || stream->line.size >= LONG_LINE)
			end_line(stream);
		from = next;
	}
}

/* A chunk ends with a line if it can: the lines of two hosts share a descriptor. */
static int give(struct stream *stream)
{
	struct bytes *out = &stream->out;
	size_t size = out->size - out->from < CHUNK ? out->size - out->from : CHUNK;
	char *newline = memrchr(out->at + out->from, '\n', size);
	ssize_t done;

	if (newline && stream->prefix[0])
		size = (size_t)(newline + 1 - out->at) - out->from;
	done = write(stream->sink, out->at + out->from, size);
	if (done < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -1;
	out->from += (size_t)done;
	if (out->from == out->size)
		out->from = out->size = 0;
	return 0;
}

static int pipe_for_guest(struct stream *stream, int host, int sink)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	stream->source = ends[0];
	stream->sink = sink;
	if (hosts > 1)
		snprintf(stream->prefix, sizeof stream->prefix, "%c| ", '0' + host);
	return ends[1];
}

static _Noreturn void boot(int host, int out, int err, int link)
{
	char script[4096], console[4096];
	sigset_t none;
	int log;

	/* Should the warden be killed, its guests go too; the check closes the gap before. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != self)
		_exit(70);
	snprintf(script, sizeof script, "%s/%d/boot", job, host);
	snprintf(console, sizeof console, "%s/%d/console", job, host);
	log = open(console, O_WRONLY | O_CREAT | O_APPEND, 0644);
	/* Out of the way of the targets first. */
	out = fcntl(out, F_DUPFD, 20);
	err = fcntl(err, F_DUPFD, 20);
	link = link < 0 ? link : fcntl(link, F_DUPFD, 20);
	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(log, 1);
	dup2(log, 2);
	dup2(out, 3);
	dup2(err, 4);
	if (link >= 0)
		dup2(link, 5);
	closefrom(link >= 0 ? 6 : 5);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	execl("/bin/bash", "bash", script, (char *)NULL);
	_exit(70);
}

static void start(void)
{
	int link[2] = {-1, -1};

	if (hosts > 1) {
		int room = 4 << 20;

		if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, link) < 0)
			exit(70);
		for (int i = 0; i < 2; i++)
			setsockopt(link[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
	}
	for (int i = 0; i < hosts; i++) {
		int out = pipe_for_guest(&streams[2 * i], i + 1, 1);
		int err = pipe_for_guest(&streams[2 * i + 1], i + 1, 2);

		if (out < 0 || err < 0 || (guests[i] = fork()) < 0)
			exit(70);
		if (guests[i] == 0)
			boot(i + 1, out, err, link[i]);
		close(out);
		close(err);
	}
	if (hosts > 1) {
		close(link[0]);
		close(link[1]);
	}
}

/* Kills every child, orphans of the guests that fell to us included; true if there were any. */
static int kill_children(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int found = 0;

	while (proc && (entry = readdir(proc))) {
		char path[300], text[512] = "", *end;
		int fd, parent = 0;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
		if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
			continue;
		if (read(fd, text, sizeof text - 1) > 0 && (end = strrchr(text, ')')))
			sscanf(end + 1, " %*c %d", &parent);
		close(fd);
		if (parent == getpid()) {
			kill(atoi(entry->d_name), SIGKILL);
			found = 1;
		}
	}
	if (proc)
		closedir(proc);
	return found;
}

static void end_all(void)
{
	while (kill_children())
		while (waitpid(-1, NULL, 0) > 0)
			;
}

static _Noreturn void end_with(int status)
{
	end_all();
	exit(status);
}

static _Noreturn void launcher_is_gone(void)
{
	end_all();
	execl("/bin/rm", "rm", "-rf", job, (char *)NULL);
	_exit(70);
}

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static int succeeded(int host)
{
	char path[4096];
	int status = -1;
	FILE *file;

	snprintf(path, sizeof path, "%s/%d/status", job, host);
	if ((file = fopen(path, "re"))) {
		if (fscanf(file, "%d", &status) != 1)
			status = -1;
		fclose(file);
	}
	return status == 0;
}

/* Reaps; returns how many guests still run. When one has failed, the other has not much longer. */
static int reap(long long *deadline)
{
	int running = 0;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (int i = 0; i < hosts; i++)
			if (guests[i] == pid) {
				guests[i] = 0;
				if (!succeeded(i + 1) && *deadline > now_ms() + GRACE_MS)
					*deadline = now_ms() + GRACE_MS;
			}
	for (int i = 0; i < hosts; i++)
		running += guests[i] != 0;
	return running;
}

static int drained(void)
{
	for (int i = 0; i < 2 * hosts; i++)
		if (streams[i].source >= 0 || streams[i].out.size > 0)
			return 0;
	return 1;
}

/*
 * Output is read though its reader is not ready: what is still under way in a virtual device when
 * the guest powers off is lost, and the guest cannot ask whether it has arrived.
 */
static void watch(int signals, long long deadline)
{
	struct pollfd waits[10] = {{.fd = ALIVE}, {.fd = signals, .events = POLLIN}};
	int running = hosts;

	while (running > 0 || !drained()) {
		long long left = deadline - now_ms();
		struct signalfd_siginfo info;

		/* Once the guests are done, a slow reader (a pager, say) may take its time. */
		if (running == 0)
			left = 1000000;
		if (left <= 0)
			end_with(124);
		for (int i = 0; i < 2 * hosts; i++) {
			size_t pending = streams[i].out.size;

			waits[2 + 2 * i] = (struct pollfd){pending < PENDING ? streams[i].source : -1, POLLIN, 0};
			waits[3 + 2 * i] = (struct pollfd){pending > 0 ? streams[i].sink : -1, POLLOUT, 0};
		}
		if (poll(waits, (nfds_t)(2 + 4 * hosts), left > 1000000 ? 1000000 : (int)left) < 0)
			continue;
		if (waits[0].revents)
			launcher_is_gone();
		for (int i = 0; i < 2 * hosts; i++) {
			if (waits[2 + 2 * i].revents)
				take(&streams[i]);
			if (waits[3 + 2 * i].revents && give(&streams[i]) < 0)
				end_with(141);
		}
		while (read(signals, &info, sizeof info) > 0)
			if (info.ssi_signo != SIGCHLD)
				end_with(128 + (int)info.ssi_signo);
		if (running > 0 && (running = reap(&deadline)) == 0)
			end_all(); /* helpers of the kernel that hold the pipes */
	}
}

int main(int argc, char **argv)
{
	sigset_t signals;

	if (argc != 4)
		return 70;
	job = argv[1];
	hosts = atoi(argv[2]);
	if (hosts < 1 || hosts > 2)
		return 70;
	self = getpid();
	setsid(); /* Ctrl-C is the launcher's to handle */
	fcntl(ALIVE, F_SETFD, FD_CLOEXEC);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	start();
	watch(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK), now_ms() + atoll(argv[3]) * 1000);
	return 0;
}
