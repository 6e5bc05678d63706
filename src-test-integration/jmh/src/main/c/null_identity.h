/* What the null device says of itself, for every library that stands in for libibverbs. */
#ifndef VERBS4J_NULL_IDENTITY_H
#define VERBS4J_NULL_IDENTITY_H

#include <infiniband/verbs.h>

#define EXPORT __attribute__((visibility("default")))

enum { NULL_MAX_QP = 256, NULL_MAX_SGE = 2, NULL_MAX_WR = 16384, NULL_MAX_CQE = 65536 };

extern struct ibv_device null_device;

/* An operation of verbs_context. */
int null_query_port(struct ibv_context *, uint8_t port, struct ibv_port_attr *, size_t size);

#endif
