/*
 * What every guest does, whichever engine started it. An engine's init calls, in this order:
 * guest_mounts, (its own mounts of the job and the writable directories), guest_names,
 * guest_network, guest_run, guest_finish.
 */
#ifndef GUEST_H
#define GUEST_H

/* One job, as README.md describes its directory. */
struct job {
	const char *dir; /* JOB, as seen in the guest */
	int host;        /* 1 or 2 */
	int hosts;       /* how many guests there are */
};

/* Says what failed on the kernel's console and powers off: no status file, so the launcher shows it. */
_Noreturn void guest_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fresh proc, sys, dev, dev/pts, dev/shm, run below the current root, whatever is mounted there now. */
void guest_mounts(void);

/* mkdir -p; errors show up when the directory is used. */
void guest_make_directories(const char *path);

/* Reads a whole file; a NUL follows the content. NULL if there is no such file. */
char *guest_read(const char *path, unsigned long *size);

/* Path of a file in the job's directory; static buffer. */
const char *guest_job_file(const struct job *job, const char *name);

/* Calls `each` for every NUL-terminated string of a file of the job. */
void guest_each(const struct job *job, const char *name, void (*each)(const char *));

/* Host name and /etc/hosts, which must not be the host's own file: after the root's layer is there. */
void guest_names(const struct job *job);

/*
 * lo and the RDMA link. One host: veth pair ve0/ve1 with rxe0/rxe1. Two hosts: the
 * interface eth0 that the engine brings (renamed if it is called otherwise), rxe0.
 */
void guest_network(const struct job *job);

/*
 * Runs the job's command with stdout and stderr going to these two descriptors,
 * and returns its status. All other processes are gone afterwards.
 */
int guest_run(const struct job *job, int out, int err);

/* Writes the status, flushes and powers off. */
_Noreturn void guest_finish(const struct job *job, int status);

/* Writes a string to a file, for sysctls; errors are the caller's to judge. */
int guest_write(const char *path, const char *text);

/* netlink.c: one request each, 0 or a negative errno. */
int link_add_veth(const char *name, const char *peer);
int link_up(const char *name, int mtu); /* mtu 0: as it is */
int link_rename(const char *name, const char *new_name);
int link_delete(const char *name);
int address_add(const char *name, unsigned address, int prefix);
int neighbour_add(const char *name, unsigned address, const unsigned char mac[6]);
int rdma_link_add(const char *name, const char *netdev);

#endif
