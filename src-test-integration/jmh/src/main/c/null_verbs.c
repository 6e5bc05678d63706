/*
 * The exported functions of libibverbs for the null device, so that a program finds, opens and connects it as it would
 * a real one. Any number of objects; nothing reaches a network. What the device says of itself is in null_identity.c.
 */
#include "null_device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* verbs.h wraps these names in macros that check arguments. */
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

static uint32_t handles;

static uint32_t next_handle(void)
{
	return __atomic_add_fetch(&handles, 1, __ATOMIC_RELAXED);
}

static uint32_t power_of_two(uint32_t least)
{
	uint32_t size = 1;

	while (size < least)
		size <<= 1;
	return size;
}

static void *zeroed(size_t size)
{
	void *memory = NULL;

	if (posix_memalign(&memory, 4096, (size + 4095) & ~4095ul)) {
		errno = ENOMEM;
		return NULL;
	}
	return memset(memory, 0, size);
}

/* Contexts */

EXPORT struct ibv_context *ibv_open_device(struct ibv_device *which)
{
	struct null_context *null = zeroed(sizeof(*null));
	struct ibv_context *context;

	if (!null)
		return NULL;
	context = &null->verbs.context;
	null->verbs.sz = sizeof(null->verbs);
	null->verbs.query_port = null_query_port;
	context->abi_compat = __VERBS_ABI_IS_EXTENDED;
	context->device = which;
	context->ops.post_send = null_post_send;
	context->ops.post_recv = null_post_recv;
	context->ops.poll_cq = null_poll_cq;
	context->ops.req_notify_cq = null_req_notify_cq;
	context->cmd_fd = eventfd(0, EFD_CLOEXEC);
	context->async_fd = eventfd(0, EFD_CLOEXEC);
	context->num_comp_vectors = 1;
	pthread_mutex_init(&context->mutex, NULL);
	return context;
}

EXPORT int ibv_close_device(struct ibv_context *context)
{
	close(context->cmd_fd);
	close(context->async_fd);
	free(null_context_of(context));
	return 0;
}

EXPORT int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	uint64_t value;

	(void)event;
	if (read(context->async_fd, &value, sizeof(value)) < 0)
		return -1;
	errno = EAGAIN;
	return -1;
}

EXPORT void ibv_ack_async_event(struct ibv_async_event *event)
{
	(void)event;
}

/* Protection domains and memory */

EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd = zeroed(sizeof(*pd));

	if (pd) {
		pd->context = context;
		pd->handle = next_handle();
	}
	return pd;
}

EXPORT int ibv_dealloc_pd(struct ibv_pd *pd)
{
	free(pd);
	return 0;
}

EXPORT struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	struct ibv_mr *mr = zeroed(sizeof(*mr));

	(void)iova;
	(void)access;
	if (mr) {
		mr->context = pd->context;
		mr->pd = pd;
		mr->addr = addr;
		mr->length = length;
		mr->handle = next_handle();
		mr->lkey = mr->rkey = mr->handle << 8;
	}
	return mr;
}

EXPORT struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, iova, access);
}

EXPORT struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr, access);
}

EXPORT int ibv_dereg_mr(struct ibv_mr *mr)
{
	free(mr);
	return 0;
}

/* Completions */

EXPORT struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct ibv_comp_channel *channel = zeroed(sizeof(*channel));

	if (channel) {
		channel->context = context;
		channel->fd = eventfd(0, EFD_CLOEXEC);
	}
	return channel;
}

EXPORT int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	close(channel->fd);
	free(channel);
	return 0;
}

EXPORT int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	(void)channel;
	(void)cq;
	(void)cq_context;
	errno = EAGAIN;
	return -1;
}

EXPORT void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int count)
{
	(void)cq;
	(void)count;
}

EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *context, int capacity, void *cq_context,
				    struct ibv_comp_channel *channel, int vector)
{
	struct null_cq *cq;
	uint32_t size = power_of_two(capacity);

	if (capacity <= 0 || capacity > NULL_MAX_CQE || vector) {
		errno = EINVAL;
		return NULL;
	}
	cq = zeroed(sizeof(*cq));
	if (!cq)
		return NULL;
	cq->entries = zeroed(size * sizeof(*cq->entries));
	cq->doorbell_record = zeroed(2 * NULL_ENTRY_SIZE);
	if (!cq->entries || !cq->doorbell_record)
		return NULL;
	cq->doorbell = (volatile uint64_t *)((char *)cq->doorbell_record + NULL_ENTRY_SIZE);
	cq->mask = size - 1;
	pthread_spin_init(&cq->lock.spin, PTHREAD_PROCESS_PRIVATE);
	cq->cq.context = context;
	cq->cq.channel = channel;
	cq->cq.cq_context = cq_context;
	cq->cq.handle = next_handle();
	cq->cq.cqe = size;
	pthread_mutex_init(&cq->cq.mutex, NULL);
	pthread_cond_init(&cq->cq.cond, NULL);
	null_set_poll_mode(&cq->cq, NULL, NULL_POLL_QUEUE);
	return &cq->cq;
}

EXPORT int ibv_resize_cq(struct ibv_cq *cq, int capacity)
{
	(void)cq;
	(void)capacity;
	return ENOSYS;
}

EXPORT int ibv_destroy_cq(struct ibv_cq *ibcq)
{
	struct null_cq *cq = (struct null_cq *)ibcq;

	free(cq->entries);
	free((void *)cq->doorbell_record);
	free(cq);
	return 0;
}

/* Queue pairs */

static int make_ring(struct null_ring *ring, uint32_t requests, uint32_t sge)
{
	uint32_t size = power_of_two(requests ? requests : 1);

	ring->entries = zeroed(size * sizeof(*ring->entries));
	ring->wr_id = zeroed(size * sizeof(*ring->wr_id));
	ring->head_at = zeroed(size * sizeof(*ring->head_at));
	ring->mask = size - 1;
	pthread_spin_init(&ring->lock.spin, PTHREAD_PROCESS_PRIVATE);
	ring->max_sge = sge;
	return ring->entries && ring->wr_id && ring->head_at ? 0 : ENOMEM;
}

static void free_ring(struct null_ring *ring)
{
	free(ring->entries);
	free(ring->wr_id);
	free(ring->head_at);
}

static bool is_too_much(const struct ibv_qp_cap *cap)
{
	return cap->max_send_wr > NULL_MAX_WR || cap->max_recv_wr > NULL_MAX_WR || cap->max_send_sge > NULL_MAX_SGE ||
	       cap->max_recv_sge > NULL_MAX_SGE || cap->max_inline_data > NULL_MAX_INLINE;
}

/* A number whose place in the context's table is free; 0 and 1 are taken on every real device. */
static uint32_t free_number(struct null_context *context)
{
	for (uint32_t number = 2; number < NULL_MAX_QP; number++)
		if (!context->queue_pairs[number])
			return number;
	return 0;
}

EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
	struct null_context *context = null_context_of(pd->context);
	uint32_t number = free_number(context);
	struct null_qp *qp;

	if (is_too_much(&init->cap) || !number || init->srq) {
		errno = EINVAL;
		return NULL;
	}
	qp = zeroed(sizeof(*qp));
	if (!qp)
		return NULL;
	qp->doorbell_record = zeroed(2 * NULL_ENTRY_SIZE);
	if (!qp->doorbell_record || make_ring(&qp->send, init->cap.max_send_wr, init->cap.max_send_sge) ||
	    make_ring(&qp->receive, init->cap.max_recv_wr, init->cap.max_recv_sge)) {
		errno = ENOMEM;
		return NULL;
	}
	qp->doorbell = (volatile uint64_t *)((char *)qp->doorbell_record + NULL_ENTRY_SIZE);
	qp->signal_all = init->sq_sig_all;
	qp->qp.context = pd->context;
	qp->qp.qp_context = init->qp_context;
	qp->qp.pd = pd;
	qp->qp.send_cq = init->send_cq;
	qp->qp.recv_cq = init->recv_cq;
	qp->qp.handle = next_handle();
	qp->qp.qp_num = number;
	qp->qp.state = IBV_QPS_RESET;
	qp->qp.qp_type = init->qp_type;
	pthread_mutex_init(&qp->qp.mutex, NULL);
	pthread_cond_init(&qp->qp.cond, NULL);
	init->cap.max_send_wr = qp->send.mask + 1;
	init->cap.max_recv_wr = qp->receive.mask + 1;
	init->cap.max_inline_data = NULL_MAX_INLINE;
	qp->init = *init;
	qp->attributes.cap = init->cap;
	context->queue_pairs[number] = qp;
	return &qp->qp;
}

static void forget(struct null_cq *cq, struct null_qp *qp)
{
	if (cq && cq->current == qp)
		cq->current = NULL;
}

EXPORT int ibv_destroy_qp(struct ibv_qp *ibqp)
{
	struct null_qp *qp = (struct null_qp *)ibqp;
	struct null_context *context = null_context_of(ibqp->context);

	context->queue_pairs[ibqp->qp_num] = NULL;
	forget((struct null_cq *)ibqp->send_cq, qp);
	forget((struct null_cq *)ibqp->recv_cq, qp);
	free_ring(&qp->send);
	free_ring(&qp->receive);
	free((void *)qp->doorbell_record);
	free(qp);
	return 0;
}

EXPORT int ibv_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask)
{
	struct null_qp *qp = (struct null_qp *)ibqp;
	struct ibv_qp_cap cap = qp->attributes.cap;

	if (mask & IBV_QP_STATE) {
		ibqp->state = attr->qp_state;
		qp->send.tail = qp->send.head;
		qp->receive.tail = qp->receive.head;
	}
	qp->attributes = *attr;
	qp->attributes.cap = cap;
	qp->attributes.qp_state = qp->attributes.cur_qp_state = ibqp->state;
	return 0;
}

EXPORT int ibv_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	struct null_qp *qp = (struct null_qp *)ibqp;

	(void)mask;
	*attr = qp->attributes;
	attr->qp_state = attr->cur_qp_state = ibqp->state;
	*init = qp->init;
	return 0;
}

EXPORT struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	(void)pd;
	(void)attr;
	errno = EOPNOTSUPP;
	return NULL;
}

EXPORT int ibv_destroy_ah(struct ibv_ah *ah)
{
	(void)ah;
	return EOPNOTSUPP;
}
