/* The four functions that a program calls for every message. */
#include "null_device.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

static inline void compiler_barrier(void)
{
	asm volatile("" ::: "memory");
}

/* Drains the write-combining buffers that a doorbell goes through. */
static inline void store_fence(void)
{
#ifdef __x86_64__
	asm volatile("sfence" ::: "memory");
#else
	__sync_synchronize();
#endif
}

static inline void take(struct null_lock *lock)
{
	if (lock->shared) {
		pthread_spin_lock(&lock->spin);
		return;
	}
	if (unlikely(lock->in_use))
		abort(); /* two threads in a queue that belongs to one */
	lock->in_use = 1;
	__atomic_thread_fence(__ATOMIC_ACQ_REL);
}

static inline void release(struct null_lock *lock)
{
	if (lock->shared)
		pthread_spin_unlock(&lock->spin);
	else
		lock->in_use = 0;
}

static inline bool ring_is_full(const struct null_ring *ring, uint32_t more)
{
	return unlikely(ring->head - ring->tail + more > ring->mask);
}

/* One completion, as the device writes it: the owner byte last. */
static inline void complete(struct null_qp *qp, const struct null_wqe *wqe, uint32_t index, uint8_t status)
{
	struct null_cq *cq = (struct null_cq *)qp->qp.send_cq;
	struct null_cqe *cqe = cq->entries + (cq->producer & cq->mask);

	cqe->byte_count = wqe->data[0].byte_count;
	cqe->opcode_qpn = (wqe->opcode_index & htobe32(0xff)) << 24 | htobe32(qp->qp.qp_num);
	cqe->wqe_counter = htobe16(index);
	cqe->status = status;
	compiler_barrier();
	cqe->op_own = (cq->producer & (cq->mask + 1)) ? NULL_CQE_OWNER : 0;
	cq->producer++;
}

/* Stands for the hardware: takes what has been posted. */
static inline void device_takes(struct null_qp *qp, uint32_t count)
{
	struct null_ring *ring = &qp->send;

	if (qp->mode == NULL_SEND_DISCARD) {
		ring->tail = ring->head;
		return;
	}
	for (uint32_t i = ring->head - count; i != ring->head; i++) {
		const struct null_wqe *wqe = ring->entries + (i & ring->mask);

		if (wqe->flags & NULL_WQE_SIGNALED)
			complete(qp, wqe, i & ring->mask, IBV_WC_SUCCESS);
	}
}

static inline int write_inline(struct null_wqe *wqe, const struct ibv_send_wr *wr)
{
	uint32_t size = 0;

	for (int i = 0; i < wr->num_sge; i++) {
		if (unlikely(size + wr->sg_list[i].length > NULL_MAX_INLINE))
			return ENOMEM;
		memcpy(wqe->inline_data + size, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
		size += wr->sg_list[i].length;
	}
	wqe->inline_count = htobe32(size);
	return 0;
}

static inline int write_entry(struct null_qp *qp, struct null_wqe *wqe, const struct ibv_send_wr *wr, uint32_t index)
{
	unsigned size = 1;
	unsigned flags = wr->send_flags;

	wqe->immediate = 0;
	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		wqe->immediate = wr->imm_data;
		/* fall through */
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_READ:
		wqe->remote_address = htobe64(wr->wr.rdma.remote_addr);
		wqe->remote_key = htobe32(wr->wr.rdma.rkey);
		wqe->reserved2 = 0;
		size++;
		break;
	case IBV_WR_SEND_WITH_IMM:
		wqe->immediate = wr->imm_data;
		/* fall through */
	case IBV_WR_SEND:
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		wqe->remote_address = htobe64(wr->wr.atomic.remote_addr);
		wqe->remote_key = htobe32(wr->wr.atomic.rkey);
		wqe->reserved2 = htobe32((uint32_t)wr->wr.atomic.compare_add);
		size += 2;
		break;
	default:
		return EINVAL;
	}
	if (flags & IBV_SEND_INLINE) {
		int error = write_inline(wqe, wr);

		if (unlikely(error))
			return error;
		size += 2;
	} else {
		for (int i = 0; i < wr->num_sge; i++) {
			wqe->data[i].byte_count = htobe32(wr->sg_list[i].length);
			wqe->data[i].local_key = htobe32(wr->sg_list[i].lkey);
			wqe->data[i].address = htobe64(wr->sg_list[i].addr);
			size++;
		}
	}
	wqe->opcode_index = htobe32(index << 8 | wr->opcode);
	wqe->qpn_size = htobe32(qp->qp.qp_num << 8 | size);
	wqe->signature = 0;
	wqe->flags = (flags & IBV_SEND_SIGNALED || qp->signal_all ? NULL_WQE_SIGNALED : 0) |
		     (flags & IBV_SEND_SOLICITED ? NULL_WQE_SOLICITED : 0) |
		     (flags & IBV_SEND_FENCE ? NULL_WQE_FENCE : 0);
	return 0;
}

int null_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct null_qp *qp = (struct null_qp *)ibqp;
	struct null_ring *ring = &qp->send;
	struct null_wqe *wqe = NULL;
	uint32_t count = 0;
	int error = 0;

	take(&ring->lock);
	for (; wr; wr = wr->next, count++) {
		uint32_t index = (ring->head + count) & ring->mask;

		if (ring_is_full(ring, count)) {
			error = ENOMEM;
			break;
		}
		if (unlikely(wr->num_sge > (int)ring->max_sge)) {
			error = EINVAL;
			break;
		}
		error = write_entry(qp, ring->entries + index, wr, index);
		if (unlikely(error))
			break;
		wqe = ring->entries + index;
		ring->wr_id[index] = wr->wr_id;
		ring->head_at[index] = ring->head + count;
	}
	if (likely(count)) {
		ring->head += count;
		compiler_barrier(); /* x86 keeps the order of stores; the device must see the entry before the record */
		qp->doorbell_record[1] = htobe32(ring->head & 0xffff);
		compiler_barrier();
		*qp->doorbell = *(uint64_t *)wqe;
		store_fence();
		if (qp->system_call)
			syscall(SYS_getppid);
		device_takes(qp, count);
	}
	if (unlikely(error))
		*bad_wr = wr;
	release(&ring->lock);
	return error;
}

int null_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct null_qp *qp = (struct null_qp *)ibqp;
	struct null_ring *ring = &qp->receive;
	uint32_t count = 0;
	int error = 0;

	take(&ring->lock);
	for (; wr; wr = wr->next, count++) {
		uint32_t index = (ring->head + count) & ring->mask;
		struct null_wqe *wqe = ring->entries + index;

		if (ring_is_full(ring, count)) {
			error = ENOMEM;
			break;
		}
		if (unlikely(wr->num_sge > (int)ring->max_sge)) {
			error = EINVAL;
			break;
		}
		for (int i = 0; i < wr->num_sge; i++) {
			wqe->data[i].byte_count = htobe32(wr->sg_list[i].length);
			wqe->data[i].local_key = htobe32(wr->sg_list[i].lkey);
			wqe->data[i].address = htobe64(wr->sg_list[i].addr);
		}
		ring->wr_id[index] = wr->wr_id;
	}
	if (likely(count)) {
		ring->head += count;
		compiler_barrier();
		qp->doorbell_record[0] = htobe32(ring->head & 0xffff);
		if (qp->mode == NULL_SEND_DISCARD)
			ring->tail = ring->head;
	}
	if (unlikely(error))
		*bad_wr = wr;
	release(&ring->lock);
	return error;
}

static inline void describe(struct null_cq *cq, const struct null_cqe *cqe, struct ibv_wc *wc)
{
	static const uint8_t opcodes[] = {
		[IBV_WR_RDMA_WRITE] = IBV_WC_RDMA_WRITE,
		[IBV_WR_RDMA_WRITE_WITH_IMM] = IBV_WC_RDMA_WRITE,
		[IBV_WR_SEND] = IBV_WC_SEND,
		[IBV_WR_SEND_WITH_IMM] = IBV_WC_SEND,
		[IBV_WR_RDMA_READ] = IBV_WC_RDMA_READ,
		[IBV_WR_ATOMIC_CMP_AND_SWP] = IBV_WC_COMP_SWAP,
		[IBV_WR_ATOMIC_FETCH_AND_ADD] = IBV_WC_FETCH_ADD,
	};
	uint32_t opcode_qpn = be32toh(cqe->opcode_qpn);
	uint32_t number = opcode_qpn & 0xffffff;
	struct null_qp *qp = cq->current;
	uint32_t index;

	if (unlikely(!qp || qp->qp.qp_num != number))
		cq->current = qp = null_context_of(cq->cq.context)->queue_pairs[number % NULL_MAX_QP];
	index = be16toh(cqe->wqe_counter);
	qp->send.tail = qp->send.head_at[index] + 1;
	wc->wr_id = qp->send.wr_id[index];
	wc->status = cqe->status;
	wc->opcode = opcodes[opcode_qpn >> 24 & 7];
	wc->vendor_err = 0;
	wc->byte_len = be32toh(cqe->byte_count);
	wc->qp_num = number;
	wc->wc_flags = 0;
}

int null_poll_cq(struct ibv_cq *ibcq, int wanted, struct ibv_wc *wc)
{
	struct null_cq *cq = (struct null_cq *)ibcq;
	int count = 0;

	take(&cq->lock);
	for (; count < wanted; count++, wc++) {
		struct null_cqe *cqe = cq->entries + (cq->consumer & cq->mask);
		uint8_t op_own = *(volatile uint8_t *)&cqe->op_own;

		if ((op_own & 0xf0) == NULL_CQE_INVALID ||
		    (op_own & NULL_CQE_OWNER) != !!(cq->consumer & (cq->mask + 1)))
			break;
		cq->consumer++;
		compiler_barrier(); /* x86 keeps the order of loads: the rest of the entry after its owner */
		describe(cq, cqe, wc);
		if (cq->mode == NULL_POLL_ALWAYS)
			cqe->op_own = op_own ^ NULL_CQE_OWNER;
	}
	if (count)
		*cq->doorbell_record = htobe32(cq->consumer & 0xffffff);
	release(&cq->lock);
	return count;
}

int null_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct null_cq *cq = (struct null_cq *)ibcq;
	uint32_t what = (cq->arm_sequence & 3) << 28 | (solicited_only ? 1u << 24 : 0) | (cq->consumer & 0xffffff);

	cq->doorbell_record[1] = htobe32(what);
	compiler_barrier();
	*cq->doorbell = htobe64((uint64_t)what << 32 | cq->cq.handle);
	return 0;
}

void null_set_send_mode(struct ibv_qp *ibqp, int mode, int system_call)
{
	struct null_qp *qp = (struct null_qp *)ibqp;

	qp->mode = mode;
	qp->system_call = system_call;
	qp->send.tail = qp->send.head;
	qp->receive.tail = qp->receive.head;
}

/* With NULL_POLL_ALWAYS the ring holds completions whose identifiers go from 0 to 63 and over again. */
void null_set_poll_mode(struct ibv_cq *ibcq, struct ibv_qp *ibqp, int mode)
{
	struct null_cq *cq = (struct null_cq *)ibcq;
	struct null_qp *qp = (struct null_qp *)ibqp;

	cq->mode = mode;
	cq->consumer = cq->producer = 0;
	for (uint32_t i = 0; i <= cq->mask; i++)
		cq->entries[i].op_own = NULL_CQE_INVALID | NULL_CQE_OWNER;
	if (mode == NULL_POLL_QUEUE)
		return;
	for (uint32_t i = 0; i <= qp->send.mask; i++)
		qp->send.wr_id[i] = i & 63;
	for (uint32_t i = 0; i <= cq->mask; i++) {
		struct null_cqe *cqe = cq->entries + i;

		cqe->byte_count = htobe32(8);
		cqe->opcode_qpn = htobe32(qp->qp.qp_num);
		cqe->wqe_counter = htobe16(i & qp->send.mask);
		cqe->status = IBV_WC_SUCCESS;
		cqe->op_own = 0;
	}
}
