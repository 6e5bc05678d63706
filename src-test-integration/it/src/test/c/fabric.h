/*
 * A device with extended reliable connections (XRC), which soft-RoCE lacks, in place of libibverbs: for whoever loads
 * this library, Java or a C tool, in one process or in several.
 *
 * All that processes share is a directory, which the environment variable VERBS4J_FABRIC names. Every object that
 * lives is a file there, so whatever is left at the end has not been destroyed:
 *
 *   qp-17 -> DOMAIN             a queue pair, a link that tells the XRC domain that it receives for
 *   srq-1000 -> DOMAIN          a shared receive queue, and
 *   inbox-1000-DOMAIN           the socket where its messages arrive
 *   mr-3 -> ADDRESS:LENGTH      pd-1, cq-2, channel-1, context-1, xrcd-1 ... likewise
 *
 * A message goes from a sending queue pair to the receiving one that it is connected to, and into the queue that the
 * request names: to the inbox of that queue in that queue pair's domain, where there is one.
 */
#ifndef VERBS4J_FABRIC_H
#define VERBS4J_FABRIC_H

#include "null_identity.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/uio.h>

enum { FABRIC_MAX_QUEUES = 8, FABRIC_DOMAIN = 64 };

/* What precedes the bytes of a message. */
struct fabric_header {
	uint32_t receiver; /* the number of the queue pair that it comes in by */
	uint32_t immediate;
	bool has_immediate;
};

struct fabric_context {
	struct verbs_context verbs;
	uint32_t number;
};

struct fabric_xrcd {
	struct ibv_xrcd xrcd;
	char domain[FABRIC_DOMAIN];
	uint32_t number;
};

struct fabric_cq {
	struct ibv_cq cq;
	pthread_mutex_t lock;
	struct ibv_wc *entries; /* of sends; what is received is taken from the inboxes by who polls */
	uint32_t head;
	uint32_t tail;
	int ready;  /* an eventfd: whether there are entries */
	bool armed; /* the channel is to have one event */
	struct fabric_srq *queues[FABRIC_MAX_QUEUES];
};

struct fabric_srq {
	struct ibv_srq srq;
	struct fabric_cq *cq;
	char domain[FABRIC_DOMAIN];
	uint32_t number;
	int inbox;
	pthread_mutex_t lock;
	struct fabric_receive {
		uint64_t wr_id;
		struct iovec parts[NULL_MAX_SGE];
		int count;
	} *receives;
	uint32_t size;
	uint32_t head;
	uint32_t tail;
};

struct fabric_qp {
	struct ibv_qp qp;
	struct ibv_qp_init_attr_ex init;
	struct ibv_qp_attr attributes;
};

/* Puts a file for a new object into the directory and gives its number, from the first one on; 0 and errno. */
uint32_t fabric_enter(const char *kind, uint32_t first, const char *about);

/* Takes it out; does nothing to what is not there. */
void fabric_leave(const char *kind, uint32_t number);

/* What was said about an object; whether it is there. */
bool fabric_look(const char *kind, uint32_t number, char *about, size_t size);

/* The path of a file, or NULL and errno when it is too long. */
const char *fabric_path(char path[PATH_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Zeroed memory for an object, with a number of its kind; NULL and errno. */
void *fabric_new(size_t size, const char *kind, uint32_t first, const char *about, uint32_t *number);

/* What the context's operations do. */
struct ibv_xrcd *fabric_open_xrcd(struct ibv_context *, struct ibv_xrcd_init_attr *);
int fabric_close_xrcd(struct ibv_xrcd *);
struct ibv_srq *fabric_create_srq(struct ibv_context *, struct ibv_srq_init_attr_ex *);
int fabric_srq_number(struct ibv_srq *, uint32_t *number);
struct ibv_qp *fabric_create_qp(struct ibv_context *, struct ibv_qp_init_attr_ex *);
int fabric_post_send(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **);
int fabric_post_recv(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **);
int fabric_post_srq_recv(struct ibv_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **);
int fabric_poll_cq(struct ibv_cq *, int, struct ibv_wc *);
int fabric_req_notify_cq(struct ibv_cq *, int solicited_only);

#endif
