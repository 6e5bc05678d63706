/*
 * A verbs device without a device: what a user-space driver does for every message, with nothing behind the doorbell.
 *
 * Posting writes a 64-byte big-endian work queue entry, the doorbell record and the doorbell, and fences; polling
 * reads a ring of 64-byte completion entries by owner bit and finds the identifier in the queue pair's table. The
 * shape is that of a mlx5 queue. The objects are genuine ibv_context, ibv_qp and ibv_cq of <infiniband/verbs.h>, so
 * the inline functions of that header, and verbs4j, work on them unchanged.
 */
#ifndef VERBS4J_NULL_DEVICE_H
#define VERBS4J_NULL_DEVICE_H

#include "null_identity.h"

#include <endian.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

/* What becomes of a posted request. */
enum null_send_mode {
	NULL_SEND_COMPLETE, /* done at once; a signaled one leaves a completion */
	NULL_SEND_DISCARD,  /* done at once, without a trace: for measuring the post alone */
};

/* What a poll finds. */
enum null_poll_mode {
	NULL_POLL_QUEUE,  /* what was completed */
	NULL_POLL_ALWAYS, /* always a completion: for measuring the poll alone */
};

enum { NULL_ENTRY_SIZE = 64, NULL_MAX_INLINE = 28 };

/*
 *  0  opcode and index | queue pair and length | signature ... flags | immediate
 * 16  remote address                           | remote key          | reserved
 * 32  byte count       | local key             | local address
 * 48  a second one of these, or operands of an atomic; inline data from 32 on
 */
struct null_wqe {
	uint32_t opcode_index;
	uint32_t qpn_size;
	uint8_t signature;
	uint8_t reserved[2];
	uint8_t flags;
	uint32_t immediate;
	uint64_t remote_address;
	uint32_t remote_key;
	uint32_t reserved2;
	union {
		struct {
			uint32_t byte_count;
			uint32_t local_key;
			uint64_t address;
		} data[NULL_MAX_SGE];
		struct {
			uint32_t inline_count;
			uint8_t inline_data[NULL_MAX_INLINE];
		};
	};
};
_Static_assert(sizeof(struct null_wqe) == NULL_ENTRY_SIZE, "one entry is one cache line");

enum { NULL_WQE_SIGNALED = 8, NULL_WQE_SOLICITED = 2, NULL_WQE_FENCE = 0x80 };

struct null_cqe {
	uint8_t reserved[32];
	uint32_t immediate;
	uint32_t reserved2[2];
	uint32_t byte_count;
	uint64_t timestamp;
	uint32_t opcode_qpn;  /* opcode of the request and number of the queue pair */
	uint16_t wqe_counter; /* index of the request in its ring */
	uint8_t status;
	uint8_t op_own; /* validity in the high bits, owner in bit 0 */
};
_Static_assert(sizeof(struct null_cqe) == NULL_ENTRY_SIZE, "one entry is one cache line");

enum { NULL_CQE_INVALID = 0xf0, NULL_CQE_OWNER = 1 };

/* A driver's lock where one thread uses the queue: a mark that catches a second one, no atomic instruction. */
struct null_lock {
	pthread_spinlock_t spin;
	int shared; /* several threads: take the spin lock */
	int in_use;
};

struct null_ring {
	struct null_lock lock;
	struct null_wqe *entries;
	uint64_t *wr_id;
	uint32_t *head_at; /* the ring's head when this entry was written: what its completion frees */
	uint32_t mask;
	uint32_t head;
	uint32_t tail;
	uint32_t max_sge;
};

struct null_cq {
	struct ibv_cq cq;
	struct null_lock lock;
	struct null_cqe *entries;
	uint32_t mask;
	uint32_t consumer;
	uint32_t producer;
	enum null_poll_mode mode;
	struct null_qp *current;
	volatile uint32_t *doorbell_record;
	volatile uint64_t *doorbell;
	uint32_t arm_sequence;
};

struct null_qp {
	struct ibv_qp qp;
	struct null_ring send;
	struct null_ring receive;
	enum null_send_mode mode;
	bool system_call; /* every post makes one system call, as rxe's and siw's do */
	bool signal_all;
	volatile uint32_t *doorbell_record;
	volatile uint64_t *doorbell;
	struct ibv_qp_attr attributes;
	struct ibv_qp_init_attr init;
};

struct null_context {
	struct verbs_context verbs;
	struct null_qp *queue_pairs[NULL_MAX_QP];
};

static inline struct null_context *null_context_of(struct ibv_context *context)
{
	return (struct null_context *)((char *)context - offsetof(struct null_context, verbs.context));
}

/* The data path, for the context's operations. */
int null_post_send(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **);
int null_post_recv(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **);
int null_poll_cq(struct ibv_cq *, int, struct ibv_wc *);
int null_req_notify_cq(struct ibv_cq *, int);

/* How the benchmarks choose what the device does; exported. */
EXPORT void null_set_send_mode(struct ibv_qp *, int mode, int system_call);
EXPORT void null_set_poll_mode(struct ibv_cq *, struct ibv_qp *, int mode);

#endif
