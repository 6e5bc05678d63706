/* XRC domains and the two kinds of queue pairs of extended reliable connections. */
#include "fabric.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_DOMAIN = 1, FIRST_PAIR = 17 };

/* One of a file is the same for everybody who has that open; one without is its maker's. */
struct ibv_xrcd *fabric_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *init)
{
	uint32_t number;
	struct fabric_xrcd *xrcd;
	struct stat file = { 0 };

	if (init->fd >= 0 && fstat(init->fd, &file)) {
		errno = EBADF;
		return NULL;
	}
	xrcd = fabric_new(sizeof(*xrcd), "xrcd", FIRST_DOMAIN, init->fd < 0 ? "private" : "of a file", &number);
	if (!xrcd)
		return NULL;
	xrcd->number = number;
	if (init->fd < 0)
		snprintf(xrcd->domain, sizeof(xrcd->domain), "p%d.%u", getpid(), number);
	else
		snprintf(xrcd->domain, sizeof(xrcd->domain), "%lx.%lx", (long)file.st_dev, (long)file.st_ino);
	xrcd->xrcd.context = context;
	return &xrcd->xrcd;
}

int fabric_close_xrcd(struct ibv_xrcd *ibxrcd)
{
	struct fabric_xrcd *xrcd = (struct fabric_xrcd *)ibxrcd;

	fabric_leave("xrcd", xrcd->number);
	free(xrcd);
	return 0;
}

struct ibv_qp *fabric_create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *init)
{
	bool sends = init->qp_type == IBV_QPT_XRC_SEND;
	bool receives = init->qp_type == IBV_QPT_XRC_RECV && init->comp_mask & IBV_QP_INIT_ATTR_XRCD;
	struct fabric_qp *qp;
	uint32_t number;

	if ((!sends && !receives) || (sends && (!init->send_cq || init->cap.max_send_sge > NULL_MAX_SGE))) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	qp = fabric_new(sizeof(*qp), "qp", FIRST_PAIR, sends ? "sends" : ((struct fabric_xrcd *)init->xrcd)->domain,
			&number);
	if (!qp)
		return NULL;
	qp->init = *init;
	qp->attributes.cap = init->cap;
	qp->qp.context = context;
	qp->qp.qp_context = init->qp_context;
	qp->qp.pd = sends ? init->pd : NULL;
	qp->qp.send_cq = sends ? init->send_cq : NULL;
	qp->qp.handle = qp->qp.qp_num = number;
	qp->qp.state = IBV_QPS_RESET;
	qp->qp.qp_type = init->qp_type;
	pthread_mutex_init(&qp->qp.mutex, NULL);
	pthread_cond_init(&qp->qp.cond, NULL);
	return &qp->qp;
}

EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
	struct ibv_qp_init_attr_ex extended = { .comp_mask = IBV_QP_INIT_ATTR_PD, .pd = pd };

	memcpy(&extended, init, offsetof(struct ibv_qp_init_attr, sq_sig_all) + sizeof(init->sq_sig_all));
	return fabric_create_qp(pd->context, &extended);
}

EXPORT int ibv_destroy_qp(struct ibv_qp *qp)
{
	fabric_leave("qp", qp->qp_num);
	free(qp);
	return 0;
}

static enum ibv_qp_state before(enum ibv_qp_state state)
{
	switch (state) {
	case IBV_QPS_INIT:
		return IBV_QPS_RESET;
	case IBV_QPS_RTR:
		return IBV_QPS_INIT;
	case IBV_QPS_RTS:
		return IBV_QPS_RTR;
	default:
		return IBV_QPS_UNKNOWN;
	}
}

/* In the order of the specification, with what each step cannot do without. */
EXPORT int ibv_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask)
{
	struct fabric_qp *qp = (struct fabric_qp *)ibqp;
	struct ibv_qp_attr *now = &qp->attributes;
	int needed = IBV_QP_STATE;

	if (attr->qp_state == IBV_QPS_RTR)
		needed |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (attr->qp_state == IBV_QPS_RTS)
		needed |= IBV_QP_SQ_PSN;
	if ((mask & needed) != needed ||
	    (before(attr->qp_state) != IBV_QPS_UNKNOWN && before(attr->qp_state) != ibqp->state))
		return EINVAL;
	if (mask & IBV_QP_DEST_QPN)
		now->dest_qp_num = attr->dest_qp_num;
	if (mask & IBV_QP_PATH_MTU)
		now->path_mtu = attr->path_mtu;
	if (mask & IBV_QP_AV)
		now->ah_attr = attr->ah_attr;
	if (mask & IBV_QP_RQ_PSN)
		now->rq_psn = attr->rq_psn;
	if (mask & IBV_QP_SQ_PSN)
		now->sq_psn = attr->sq_psn;
	if (mask & IBV_QP_PORT)
		now->port_num = attr->port_num;
	ibqp->state = attr->qp_state;
	return 0;
}

EXPORT int ibv_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	struct fabric_qp *qp = (struct fabric_qp *)ibqp;

	(void)mask;
	*attr = qp->attributes;
	attr->qp_state = attr->cur_qp_state = ibqp->state;
	memset(init, 0, sizeof(*init));
	init->cap = qp->init.cap;
	init->qp_type = ibqp->qp_type;
	init->send_cq = ibqp->send_cq;
	return 0;
}
