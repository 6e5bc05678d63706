/*
 * What each benchmark does, in C: the loops that the Java contenders are compared with, on the same objects.
 *
 * Java makes the queue pair, the queue and the region, passes their pointers here once, and calls a loop once for each
 * slice of operations. ibv_post_send() and its kind are the inline functions of <infiniband/verbs.h>. A loop returns
 * the checksum that its Java twin must return too, or a negative number when an operation failed.
 */
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { TWIN_MAX_BATCH = 128, TWIN_FAILED = -1 };

struct twin {
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct ibv_qp *peer;    /* the other end, for ping-pong */
	struct ibv_cq *peer_cq;
	uint64_t local;
	uint64_t remote;
	uint32_t length;
	uint32_t lkey;
	uint32_t rkey;
	struct ibv_send_wr wr[TWIN_MAX_BATCH];
	struct ibv_sge sge[TWIN_MAX_BATCH];
	struct ibv_recv_wr recv_wr;
	struct ibv_sge recv_sge;
	struct ibv_wc wc[TWIN_MAX_BATCH];
};

static inline void compiler_barrier(void)
{
	asm volatile("" ::: "memory");
}

static inline void fill(struct twin *t, int i, uint64_t wr_id, struct ibv_send_wr *next)
{
	struct ibv_send_wr *wr = &t->wr[i];
	struct ibv_sge *sge = &t->sge[i];

	sge->addr = t->local;
	sge->length = t->length;
	sge->lkey = t->lkey;
	wr->wr_id = wr_id;
	wr->next = next;
	wr->sg_list = sge;
	wr->num_sge = 1;
	wr->opcode = IBV_WR_RDMA_WRITE;
	wr->send_flags = IBV_SEND_SIGNALED;
	wr->wr.rdma.remote_addr = t->remote;
	wr->wr.rdma.rkey = t->rkey;
}

/* The requests are prepared as signaled WRITEs of the whole length. */
EXPORT struct twin *twin_new(struct ibv_qp *qp, struct ibv_cq *cq, uint64_t local, uint32_t length, uint32_t lkey,
			     uint64_t remote, uint32_t rkey)
{
	struct twin *t = aligned_alloc(64, (sizeof(*t) + 63) & ~63ul);

	if (!t)
		return NULL;
	memset(t, 0, sizeof(*t));
	t->qp = qp;
	t->cq = cq;
	t->local = local;
	t->remote = remote;
	t->length = length;
	t->lkey = lkey;
	t->rkey = rkey;
	for (int i = 0; i < TWIN_MAX_BATCH; i++)
		fill(t, i, 0, NULL);
	t->recv_sge = t->sge[0];
	t->recv_wr.sg_list = &t->recv_sge;
	t->recv_wr.num_sge = 1;
	for (int i = 0; i < TWIN_MAX_BATCH; i++) {
		t->wc[i].wr_id = i;
		t->wc[i].opcode = IBV_WC_RDMA_WRITE;
		t->wc[i].byte_len = length;
	}
	return t;
}

EXPORT int64_t twin_free(struct twin *t)
{
	free(t);
	return 0;
}

EXPORT int64_t twin_set_opcode(struct twin *t, int opcode)
{
	for (int i = 0; i < TWIN_MAX_BATCH; i++) {
		t->wr[i].opcode = opcode;
		if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
			t->wr[i].wr.atomic.remote_addr = t->remote;
			t->wr[i].wr.atomic.compare_add = 1;
			t->wr[i].wr.atomic.rkey = t->rkey;
		}
	}
	return 0;
}

EXPORT int64_t twin_set_peer(struct twin *t, struct ibv_qp *peer, struct ibv_cq *peer_cq)
{
	t->peer = peer;
	t->peer_cq = peer_cq;
	return 0;
}

/* The processor's clock as perftest reads it, for converting what its tools report. */
EXPORT int64_t twin_cycles(struct twin *t)
{
	(void)t;
#ifdef __x86_64__
	return (int64_t)__builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/* A call through the operations that does next to nothing: what the foreign call itself costs. */
EXPORT int64_t twin_notify(struct twin *t, int64_t n)
{
	int64_t failures = 0;

	for (int64_t i = 0; i < n; i++)
		failures += ibv_req_notify_cq(t->cq, 0);
	return failures ? TWIN_FAILED : n;
}

EXPORT int64_t twin_post(struct twin *t, int64_t n)
{
	struct ibv_send_wr *bad;

	for (int64_t i = 0; i < n; i++)
		if (ibv_post_send(t->qp, &t->wr[0], &bad))
			return TWIN_FAILED;
	return n;
}

EXPORT int64_t twin_receive(struct twin *t, int64_t n)
{
	struct ibv_recv_wr *bad;

	for (int64_t i = 0; i < n; i++)
		if (ibv_post_recv(t->qp, &t->recv_wr, &bad))
			return TWIN_FAILED;
	return n;
}

EXPORT int64_t twin_poll_hit(struct twin *t, int64_t n)
{
	int64_t sum = 0;

	for (int64_t i = 0; i < n; i++) {
		if (ibv_poll_cq(t->cq, 1, t->wc) != 1 || t->wc[0].status != IBV_WC_SUCCESS)
			return TWIN_FAILED;
		sum += t->wc[0].wr_id;
	}
	return sum;
}

EXPORT int64_t twin_poll_empty(struct twin *t, int64_t n)
{
	int64_t found = 0;

	for (int64_t i = 0; i < n; i++)
		found += ibv_poll_cq(t->cq, 1, t->wc);
	return found ? TWIN_FAILED : n;
}

static inline int await(struct ibv_cq *cq, int want, struct ibv_wc *wc)
{
	int count;

	do {
		count = ibv_poll_cq(cq, want, wc);
	} while (count == 0);
	return count;
}

/* Post to completion, the request prepared: the identifier written, status and identifier read. */
EXPORT int64_t twin_pair(struct twin *t, int64_t n)
{
	struct ibv_send_wr *bad;
	int64_t sum = 0;

	for (int64_t i = 0; i < n; i++) {
		t->wr[0].wr_id = i;
		if (ibv_post_send(t->qp, &t->wr[0], &bad) || await(t->cq, 1, t->wc) != 1 ||
		    t->wc[0].status != IBV_WC_SUCCESS)
			return TWIN_FAILED;
		sum += t->wc[0].wr_id;
	}
	return sum;
}

/* The same with every field of the request written and four of the completion read. */
EXPORT int64_t twin_full_pair(struct twin *t, int64_t n)
{
	struct ibv_send_wr *bad;
	int64_t sum = 0;

	for (int64_t i = 0; i < n; i++) {
		fill(t, 0, i, NULL);
		if (ibv_post_send(t->qp, &t->wr[0], &bad) || await(t->cq, 1, t->wc) != 1 ||
		    t->wc[0].status != IBV_WC_SUCCESS)
			return TWIN_FAILED;
		sum += t->wc[0].wr_id + t->wc[0].opcode + t->wc[0].byte_len;
	}
	return sum;
}

/* n requests, `size` to a post: one call posts them, one takes their completions. */
static inline int64_t batch(struct twin *t, int64_t n, int size)
{
	struct ibv_send_wr *bad;
	int64_t sum = 0;

	for (int i = 0; i < size; i++)
		t->wr[i].next = i + 1 < size ? &t->wr[i + 1] : NULL;
	for (int64_t base = 0; base < n; base += size) {
		for (int i = 0; i < size; i++)
			t->wr[i].wr_id = base + i;
		if (ibv_post_send(t->qp, &t->wr[0], &bad))
			return TWIN_FAILED;
		for (int done = 0; done < size;) {
			int count = await(t->cq, size, t->wc);

			if (count < 0)
				return TWIN_FAILED;
			for (int i = 0; i < count; i++) {
				if (t->wc[i].status != IBV_WC_SUCCESS)
					return TWIN_FAILED;
				sum += t->wc[i].wr_id;
			}
			done += count;
		}
	}
	t->wr[0].next = NULL;
	return sum;
}

EXPORT int64_t twin_batch4(struct twin *t, int64_t n)
{
	return batch(t, n, 4);
}

EXPORT int64_t twin_batch16(struct twin *t, int64_t n)
{
	return batch(t, n, 16);
}

EXPORT int64_t twin_batch32(struct twin *t, int64_t n)
{
	return batch(t, n, 32);
}

/* Eleven fields of a request and its gather entry; the barrier stands for the call that would read them. */
EXPORT int64_t twin_fill(struct twin *t, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		fill(t, i & 63, i, NULL);
		compiler_barrier();
	}
	return n;
}

/* Identifier, status, opcode and length of completions, by the 64 that a poll may have taken. */
EXPORT int64_t twin_read(struct twin *t, int64_t n)
{
	int64_t sum = 0;

	for (int64_t base = 0; base < n; base += 64) {
		for (int i = 0; i < 64; i++) {
			const struct ibv_wc *wc = &t->wc[i];

			compiler_barrier();
			sum += wc->wr_id + wc->status + wc->opcode + wc->byte_len;
		}
	}
	return sum;
}

/*
 * n requests of which at most `depth` are under way, posted `size` at a time; the last of each post is signaled and
 * stands for all of it. Bandwidth and message rate of a device.
 */
EXPORT int64_t twin_stream(struct twin *t, int64_t n, int64_t depth, int64_t size)
{
	struct ibv_send_wr *bad;
	int64_t posted = 0, done = 0, sum = 0;

	for (int i = 0; i < size; i++) {
		t->wr[i].next = i + 1 < size ? &t->wr[i + 1] : NULL;
		t->wr[i].send_flags = i + 1 < size ? 0 : IBV_SEND_SIGNALED;
	}
	while (done < n) {
		int count;

		while (posted < n && posted - done + size <= depth) {
			t->wr[size - 1].wr_id = posted;
			if (ibv_post_send(t->qp, &t->wr[0], &bad))
				return TWIN_FAILED;
			posted += size;
		}
		count = await(t->cq, TWIN_MAX_BATCH, t->wc);
		if (count < 0)
			return TWIN_FAILED;
		for (int i = 0; i < count; i++) {
			if (t->wc[i].status != IBV_WC_SUCCESS)
				return TWIN_FAILED;
			sum += t->wc[i].wr_id;
		}
		done += count * size;
	}
	t->wr[0].next = NULL;
	t->wr[0].send_flags = IBV_SEND_SIGNALED;
	return sum;
}

/* One half of a ping-pong: a SEND from one end, taken at the other; the receive was posted before. */
static inline int64_t half(struct twin *t, struct ibv_qp *from, struct ibv_cq *from_cq, struct ibv_qp *to,
			   struct ibv_cq *to_cq, uint64_t wr_id)
{
	struct ibv_send_wr *bad;
	struct ibv_recv_wr *bad_receive;

	t->recv_wr.wr_id = wr_id;
	t->wr[0].wr_id = wr_id;
	if (ibv_post_recv(to, &t->recv_wr, &bad_receive) || ibv_post_send(from, &t->wr[0], &bad))
		return TWIN_FAILED;
	if (await(from_cq, 1, t->wc) != 1 || t->wc[0].status != IBV_WC_SUCCESS)
		return TWIN_FAILED;
	if (await(to_cq, 1, t->wc) != 1 || t->wc[0].status != IBV_WC_SUCCESS)
		return TWIN_FAILED;
	return t->wc[0].wr_id;
}

/* n messages, every second one back: the time of one is half a round trip. */
EXPORT int64_t twin_ping_pong(struct twin *t, int64_t n)
{
	int64_t sum = 0;

	for (int64_t i = 0; i < n; i += 2) {
		int64_t there = half(t, t->qp, t->cq, t->peer, t->peer_cq, i);
		int64_t back = half(t, t->peer, t->peer_cq, t->qp, t->cq, i + 1);

		if (there < 0 || back < 0)
			return TWIN_FAILED;
		sum += there + back;
	}
	return sum;
}

typedef struct ibv_mr *(*register_function)(struct ibv_pd *, void *, size_t, int);
typedef int (*deregister_function)(struct ibv_mr *);

/* Registration and its undoing; the library's functions come from the caller, this file is linked to none. */
EXPORT int64_t twin_register(struct twin *t, int64_t n, register_function reg, deregister_function dereg, uint64_t length)
{
	for (int64_t i = 0; i < n; i++) {
		struct ibv_mr *mr = reg(t->qp->pd, (void *)(uintptr_t)t->local, length, IBV_ACCESS_LOCAL_WRITE);

		if (!mr || dereg(mr))
			return TWIN_FAILED;
	}
	return n;
}
