/*
 * Everything that verbs4j binds of rdma-core, in one translation unit.
 * The headers themselves come from libibverbs-dev and librdmacm-dev and are not part of this repository.
 */
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <infiniband/sa.h>
#include <infiniband/ib.h>
