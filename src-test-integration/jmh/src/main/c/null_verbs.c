/*
 * The exported functions of libibverbs for the null device, so that a program finds, opens and connects it as it would
 * a real one. One device, one active RoCE port, any number of objects; nothing reaches a network.
 */
#include "null_device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* verbs.h wraps these names in macros that check arguments. */
#undef ibv_query_port
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

#define EXPORT __attribute__((visibility("default")))

enum { GID_INDEX = 0, MAX_WR = 16384, MAX_CQE = 65536 };

static struct ibv_device device = {
	.node_type = IBV_NODE_CA,
	.transport_type = IBV_TRANSPORT_IB,
	.name = "null0",
	.dev_name = "uverbs-null0",
	.dev_path = "/nonexistent/null0",
	.ibdev_path = "/nonexistent/null0",
};

static const union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff, [12] = 10, [13] = 77, [14] = 0, [15] = 9 } };

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

/* Devices */

EXPORT struct ibv_device **ibv_get_device_list(int *count)
{
	struct ibv_device **list = calloc(2, sizeof(*list));

	if (list)
		list[0] = &device;
	if (count)
		*count = list ? 1 : 0;
	return list;
}

EXPORT void ibv_free_device_list(struct ibv_device **list)
{
	free(list);
}

EXPORT const char *ibv_get_device_name(struct ibv_device *which)
{
	return which->name;
}

EXPORT int ibv_get_device_index(struct ibv_device *which)
{
	(void)which;
	return 0;
}

EXPORT __be64 ibv_get_device_guid(struct ibv_device *which)
{
	(void)which;
	return htobe64(0x00770000fe000009);
}

EXPORT const char *ibv_node_type_str(enum ibv_node_type type)
{
	return type == IBV_NODE_CA ? "InfiniBand channel adapter" : "unknown";
}

EXPORT const char *ibv_port_state_str(enum ibv_port_state state)
{
	return state == IBV_PORT_ACTIVE ? "active" : "unknown";
}

EXPORT const char *ibv_wc_status_str(enum ibv_wc_status status)
{
	return status == IBV_WC_SUCCESS ? "success" : "error";
}

EXPORT const char *ibv_event_type_str(enum ibv_event_type type)
{
	(void)type;
	return "event";
}

EXPORT int ibv_fork_init(void)
{
	return 0;
}

EXPORT enum ibv_fork_status ibv_is_fork_initialized(void)
{
	return IBV_FORK_UNNEEDED;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
	struct ibv_port_attr full = {
		.state = IBV_PORT_ACTIVE,
		.max_mtu = IBV_MTU_4096,
		.active_mtu = IBV_MTU_4096,
		.gid_tbl_len = 1,
		.port_cap_flags = 0,
		.max_msg_sz = 1u << 30,
		.pkey_tbl_len = 1,
		.active_width = 1,
		.active_speed = 1,
		.phys_state = 5,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
	};

	(void)context;
	if (port != 1)
		return EINVAL;
	memset(attr, 0, size);
	memcpy(attr, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

EXPORT struct ibv_context *ibv_open_device(struct ibv_device *which)
{
	struct null_context *null = zeroed(sizeof(*null));
	struct ibv_context *context;

	if (!null)
		return NULL;
	context = &null->verbs.context;
	null->verbs.sz = sizeof(null->verbs);
	null->verbs.query_port = query_port;
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

EXPORT int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	(void)context;
	*attr = (struct ibv_device_attr){
		.fw_ver = "none",
		.node_guid = ibv_get_device_guid(&device),
		.sys_image_guid = ibv_get_device_guid(&device),
		.max_mr_size = ~0ull,
		.page_size_cap = 4096,
		.max_qp = NULL_MAX_QP,
		.max_qp_wr = MAX_WR,
		.max_sge = NULL_MAX_SGE,
		.max_cq = 65536,
		.max_cqe = MAX_CQE,
		.max_mr = 65536,
		.max_pd = 65536,
		.max_qp_rd_atom = 16,
		.max_qp_init_rd_atom = 16,
		.max_res_rd_atom = 4096,
		.atomic_cap = IBV_ATOMIC_HCA,
		.max_pkeys = 1,
		.phys_port_cnt = 1,
	};
	return 0;
}

/* For programs linked against the exported function; its attributes end earlier than the header's. */
EXPORT int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	return query_port(context, port, (struct ibv_port_attr *)attr, offsetof(struct ibv_port_attr, port_cap_flags2));
}

EXPORT int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *into)
{
	(void)context;
	if (port != 1 || index != GID_INDEX) {
		errno = EINVAL;
		return -1;
	}
	*into = gid;
	return 0;
}

EXPORT int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry,
			     uint32_t flags, size_t size)
{
	struct ibv_gid_entry full = {
		.gid = gid, .gid_index = GID_INDEX, .port_num = 1, .gid_type = IBV_GID_TYPE_ROCE_V2,
	};

	(void)context;
	(void)flags;
	if (port != 1)
		return EINVAL;
	if (index != GID_INDEX)
		return ENODATA;
	memcpy(entry, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

EXPORT ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t count,
				    uint32_t flags, size_t size)
{
	if (!count)
		return 0;
	return _ibv_query_gid_ex(context, 1, GID_INDEX, entries, flags, size) ? -1 : 1;
}

EXPORT int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey)
{
	(void)context;
	if (port != 1 || index)
		return -1;
	*pkey = htobe16(0xffff);
	return 0;
}

EXPORT int ibv_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey)
{
	(void)context;
	return port == 1 && pkey == htobe16(0xffff) ? 0 : -1;
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

	if (capacity <= 0 || capacity > MAX_CQE || vector) {
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
	return cap->max_send_wr > MAX_WR || cap->max_recv_wr > MAX_WR || cap->max_send_sge > NULL_MAX_SGE ||
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
