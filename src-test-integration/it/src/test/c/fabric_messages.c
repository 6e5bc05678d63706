/* Completion queues and channels, and how a message goes from one process to another. */
#include "fabric.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { FIRST = 1 };

/* Channels: the descriptor is an epoll of what makes their queues ready, each armed for one event. */

EXPORT struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	uint32_t number;
	struct ibv_comp_channel *channel = fabric_new(sizeof(*channel), "channel", FIRST, "open", &number);

	if (channel) {
		channel->context = context;
		channel->fd = epoll_create1(EPOLL_CLOEXEC);
		channel->refcnt = number; /* nobody else counts here */
	}
	return channel;
}

EXPORT int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	close(channel->fd);
	fabric_leave("channel", channel->refcnt);
	free(channel);
	return 0;
}

static void watch(struct fabric_cq *cq, int operation, int descriptor)
{
	bool armed = __atomic_load_n(&cq->armed, __ATOMIC_ACQUIRE);
	struct epoll_event event = { .events = (armed ? EPOLLIN : 0) | EPOLLONESHOT, .data.ptr = cq };

	if (cq->cq.channel)
		epoll_ctl(cq->cq.channel->fd, operation, descriptor, &event);
}

EXPORT int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	struct epoll_event event;
	int wait = fcntl(channel->fd, F_GETFL) & O_NONBLOCK ? 0 : -1;

	do {
		int count = epoll_wait(channel->fd, &event, 1, wait);

		if (count == 0)
			errno = EAGAIN;
		if (count <= 0)
			return -1;
	} while (!__atomic_exchange_n(&((struct fabric_cq *)event.data.ptr)->armed, false, __ATOMIC_ACQ_REL));
	*cq = event.data.ptr;
	*cq_context = (*cq)->cq_context;
	return 0;
}

EXPORT void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int count)
{
	(void)cq;
	(void)count;
}

/* Completion queues */

EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *context, int capacity, void *cq_context,
				    struct ibv_comp_channel *channel, int vector)
{
	uint32_t number;
	struct fabric_cq *cq;

	if (capacity < 1 || capacity > NULL_MAX_CQE || vector) {
		errno = EINVAL;
		return NULL;
	}
	cq = fabric_new(sizeof(*cq), "cq", FIRST, "open", &number);
	if (!cq)
		return NULL;
	cq->entries = calloc(capacity, sizeof(*cq->entries));
	cq->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&cq->lock, NULL);
	pthread_mutex_init(&cq->cq.mutex, NULL);
	pthread_cond_init(&cq->cq.cond, NULL);
	cq->cq.context = context;
	cq->cq.channel = channel;
	cq->cq.cq_context = cq_context;
	cq->cq.handle = number;
	cq->cq.cqe = capacity;
	watch(cq, EPOLL_CTL_ADD, cq->ready);
	return &cq->cq;
}

EXPORT int ibv_destroy_cq(struct ibv_cq *ibcq)
{
	struct fabric_cq *cq = (struct fabric_cq *)ibcq;

	for (int i = 0; i < FABRIC_MAX_QUEUES; i++)
		if (cq->queues[i])
			return EBUSY;
	close(cq->ready);
	fabric_leave("cq", ibcq->handle);
	free(cq->entries);
	free(cq);
	return 0;
}

int fabric_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct fabric_cq *cq = (struct fabric_cq *)ibcq;

	(void)solicited_only;
	__atomic_store_n(&cq->armed, true, __ATOMIC_RELEASE);
	watch(cq, EPOLL_CTL_MOD, cq->ready);
	for (int i = 0; i < FABRIC_MAX_QUEUES; i++)
		if (cq->queues[i])
			watch(cq, EPOLL_CTL_MOD, cq->queues[i]->inbox);
	return 0;
}

static void complete(struct fabric_cq *cq, struct ibv_wc *wc)
{
	uint64_t one = 1;

	pthread_mutex_lock(&cq->lock);
	if (cq->tail - cq->head >= (uint32_t)cq->cq.cqe)
		abort(); /* a test that has more requests out than its queue takes */
	cq->entries[cq->tail++ % cq->cq.cqe] = *wc;
	pthread_mutex_unlock(&cq->lock);
	if (write(cq->ready, &one, sizeof(one)) < 0)
		abort();
}

static bool take_entry(struct fabric_cq *cq, struct ibv_wc *wc)
{
	uint64_t count;
	bool found;

	pthread_mutex_lock(&cq->lock);
	found = cq->head != cq->tail;
	if (found)
		*wc = cq->entries[cq->head++ % cq->cq.cqe];
	if (cq->head == cq->tail && read(cq->ready, &count, sizeof(count)) < 0 && errno != EAGAIN)
		abort();
	pthread_mutex_unlock(&cq->lock);
	return found;
}

/* The next message in the inbox goes into the oldest receive; without a receive it waits. */
static bool take_message(struct fabric_srq *srq, struct ibv_wc *wc)
{
	struct fabric_header header;
	struct iovec parts[1 + NULL_MAX_SGE] = { { &header, sizeof(header) } };
	struct msghdr message = { .msg_iov = parts };
	struct fabric_receive *receive;
	ssize_t length = -1;

	pthread_mutex_lock(&srq->lock);
	if (srq->head != srq->tail) {
		receive = srq->receives + srq->head % srq->size;
		memcpy(parts + 1, receive->parts, sizeof(receive->parts));
		message.msg_iovlen = 1 + receive->count;
		length = recvmsg(srq->inbox, &message, MSG_DONTWAIT);
	}
	if (length >= 0) {
		srq->head++;
		*wc = (struct ibv_wc){
			.wr_id = receive->wr_id,
			.status = message.msg_flags & MSG_TRUNC ? IBV_WC_LOC_LEN_ERR : IBV_WC_SUCCESS,
			.opcode = IBV_WC_RECV,
			.byte_len = length - sizeof(header),
			.qp_num = header.receiver,
			.imm_data = header.immediate,
			.wc_flags = header.has_immediate ? IBV_WC_WITH_IMM : 0,
		};
	}
	pthread_mutex_unlock(&srq->lock);
	return length >= 0;
}

int fabric_poll_cq(struct ibv_cq *ibcq, int wanted, struct ibv_wc *wc)
{
	struct fabric_cq *cq = (struct fabric_cq *)ibcq;
	int count = 0;

	while (count < wanted && take_entry(cq, wc + count))
		count++;
	for (int i = 0; i < FABRIC_MAX_QUEUES; i++)
		while (cq->queues[i] && count < wanted && take_message(cq->queues[i], wc + count))
			count++;
	if (!count && wanted)
		sched_yield(); /* to the end that is to send: there may be fewer processors than ends */
	return count;
}

/* Shared receive queues */

/* Binds or connects the socket. */
static int at_inbox(struct fabric_srq *srq, int operation(int, const struct sockaddr *, socklen_t))
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char path[PATH_MAX];

	fabric_path(path, "inbox-%u-%s", srq->number, srq->domain);
	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(address.sun_path, path);
	return operation(srq->inbox, (struct sockaddr *)&address, sizeof(address));
}

struct ibv_srq *fabric_create_srq(struct ibv_context *context, struct ibv_srq_init_attr_ex *init)
{
	enum { FIRST_QUEUE = 1000 };
	struct fabric_cq *cq = (struct fabric_cq *)init->cq;
	struct fabric_srq *srq;
	uint32_t number;
	int place = 0;

	if (!(init->comp_mask & IBV_SRQ_INIT_ATTR_TYPE) || init->srq_type != IBV_SRQT_XRC ||
	    init->attr.max_sge > NULL_MAX_SGE || !init->xrcd || !cq) {
		errno = EINVAL;
		return NULL;
	}
	while (place < FABRIC_MAX_QUEUES && cq->queues[place])
		place++;
	if (place == FABRIC_MAX_QUEUES) {
		errno = ENOMEM;
		return NULL;
	}
	srq = fabric_new(sizeof(*srq), "srq", FIRST_QUEUE, ((struct fabric_xrcd *)init->xrcd)->domain, &number);
	if (!srq)
		return NULL;
	srq->number = number;
	srq->cq = cq;
	srq->size = init->attr.max_wr;
	srq->receives = calloc(srq->size, sizeof(*srq->receives));
	strcpy(srq->domain, ((struct fabric_xrcd *)init->xrcd)->domain);
	pthread_mutex_init(&srq->lock, NULL);
	pthread_mutex_init(&srq->srq.mutex, NULL);
	pthread_cond_init(&srq->srq.cond, NULL);
	srq->srq.context = context;
	srq->srq.srq_context = init->srq_context;
	srq->srq.pd = init->pd;
	srq->srq.handle = number;
	srq->inbox = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (at_inbox(srq, bind)) {
		int reason = errno;

		fabric_leave("srq", number);
		close(srq->inbox);
		free(srq->receives);
		free(srq);
		errno = reason;
		return NULL;
	}
	cq->queues[place] = srq;
	watch(cq, EPOLL_CTL_ADD, srq->inbox);
	return &srq->srq;
}

EXPORT int ibv_destroy_srq(struct ibv_srq *ibsrq)
{
	struct fabric_srq *srq = (struct fabric_srq *)ibsrq;
	char path[PATH_MAX];

	for (int i = 0; i < FABRIC_MAX_QUEUES; i++)
		if (srq->cq->queues[i] == srq)
			srq->cq->queues[i] = NULL;
	close(srq->inbox);
	unlink(fabric_path(path, "inbox-%u-%s", srq->number, srq->domain));
	fabric_leave("srq", srq->number);
	free(srq->receives);
	free(srq);
	return 0;
}

EXPORT int ibv_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr)
{
	struct fabric_srq *srq = (struct fabric_srq *)ibsrq;

	*attr = (struct ibv_srq_attr){ .max_wr = srq->size, .max_sge = NULL_MAX_SGE };
	return 0;
}

int fabric_srq_number(struct ibv_srq *srq, uint32_t *number)
{
	*number = ((struct fabric_srq *)srq)->number;
	return 0;
}

static int copy_parts(struct iovec *into, const struct ibv_sge *from, int count)
{
	for (int i = 0; i < count; i++)
		into[i] = (struct iovec){ (void *)(uintptr_t)from[i].addr, from[i].length };
	return count;
}

int fabric_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct fabric_srq *srq = (struct fabric_srq *)ibsrq;
	int error = 0;

	pthread_mutex_lock(&srq->lock);
	for (; wr && !error; wr = error ? wr : wr->next) {
		struct fabric_receive *receive = srq->receives + srq->tail % srq->size;

		if (srq->tail - srq->head == srq->size)
			error = ENOMEM;
		else if (wr->num_sge > NULL_MAX_SGE)
			error = EINVAL;
		if (error) {
			*bad_wr = wr;
			continue;
		}
		receive->wr_id = wr->wr_id;
		receive->count = copy_parts(receive->parts, wr->sg_list, wr->num_sge);
		srq->tail++;
	}
	pthread_mutex_unlock(&srq->lock);
	return error;
}

int fabric_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	(void)qp;
	*bad_wr = wr;
	return EINVAL; /* a queue pair of XRC has no receive queue */
}

/* To the queue that the request names, by way of the queue pair at the other end. */
static enum ibv_wc_status deliver(struct fabric_qp *qp, const struct ibv_send_wr *wr)
{
	struct fabric_header header = {
		.receiver = qp->attributes.dest_qp_num,
		.immediate = wr->imm_data,
		.has_immediate = wr->opcode == IBV_WR_SEND_WITH_IMM,
	};
	struct iovec parts[1 + NULL_MAX_SGE] = { { &header, sizeof(header) } };
	struct msghdr message = {
		.msg_iov = parts, .msg_iovlen = 1 + copy_parts(parts + 1, wr->sg_list, wr->num_sge),
	};
	struct fabric_srq to = { .number = wr->qp_type.xrc.remote_srqn };
	enum ibv_wc_status status = IBV_WC_SUCCESS;

	if (!fabric_look("qp", header.receiver, to.domain, sizeof(to.domain)))
		return IBV_WC_RETRY_EXC_ERR;
	to.inbox = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (at_inbox(&to, connect))
		status = IBV_WC_REM_INV_REQ_ERR; /* no such queue in the domain of that queue pair */
	else if (sendmsg(to.inbox, &message, 0) < 0)
		status = IBV_WC_RNR_RETRY_EXC_ERR;
	close(to.inbox);
	return status;
}

int fabric_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct fabric_qp *qp = (struct fabric_qp *)ibqp;

	for (; wr; wr = wr->next) {
		struct ibv_wc wc = { .wr_id = wr->wr_id, .opcode = IBV_WC_SEND, .qp_num = ibqp->qp_num };

		if (ibqp->qp_type != IBV_QPT_XRC_SEND || wr->num_sge > NULL_MAX_SGE ||
		    (wr->opcode != IBV_WR_SEND && wr->opcode != IBV_WR_SEND_WITH_IMM)) {
			*bad_wr = wr;
			return EINVAL;
		}
		wc.status = ibqp->state == IBV_QPS_RTS ? deliver(qp, wr) : IBV_WC_WR_FLUSH_ERR;
		if (wc.status)
			ibqp->state = IBV_QPS_ERR;
		if (wc.status || wr->send_flags & IBV_SEND_SIGNALED || qp->init.sq_sig_all)
			complete((struct fabric_cq *)ibqp->send_cq, &wc);
	}
	return 0;
}
