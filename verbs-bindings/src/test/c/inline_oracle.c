/*
 * The inline functions of the rdma-core headers, compiled by the C compiler, as an oracle for those in Java.
 *
 * The test generates inline_oracle.inc out of the headers: a fake for every function pointer of the public structs, and
 * for every inline function a wrapper oracle_NAME that takes its arguments as an array of 64-bit words. The fakes and
 * the exported functions below record what they were called with and return what the test has scripted. They take the
 * place of libibverbs, so that the C and the Java inlines reach the very same functions and objects.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/ib.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

/* Everything that a call may read or write. The test compares all of its bytes after each call. */
static struct {
	struct verbs_context context;
	struct ibv_qp_ex qp;
	struct ibv_cq_ex cq;
	struct ibv_cq_ex other_cq;
	struct ibv_srq srq;
	struct ibv_wq wq;
	struct ibv_dm dm;
	struct ibv_pd pd;
	struct ibv_pd other_pd;
	struct ibv_mr mr;
	struct ibv_mw mw;
	struct ibv_mw_bind bind;
	struct ibv_flow flow;
	struct ibv_flow_action action;
	struct ibv_xrcd xrcd;
	struct ibv_td td;
	struct ibv_rwq_ind_table table;
	struct ibv_counters counters;
	struct ibv_comp_channel channel;
	struct ibv_comp_channel other_channel;
	struct rdma_cm_id id;
	struct ibv_query_device_ex_input input;
	struct ibv_sge sge[2];
	/* For what is only passed on or filled. */
	uint64_t scratch[96][64];
} world;

static char scratch_name[96][64];
static int scratch_count;

static struct {
	uint64_t results[16];
	int count;
	int next;
	int error;
} script;

static char log_text[8192];
static size_t log_length;
int oracle_errno;

static void put(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	log_length += vsnprintf(log_text + log_length, sizeof(log_text) - log_length, format, list);
	va_end(list);
	assert(log_length < sizeof(log_text));
}

static int in_world(const void *pointer)
{
	return (const char *)pointer >= (const char *)&world && (const char *)pointer < (const char *)(&world + 1);
}

/* The address of a local variable differs from call to call, so only addresses within the world are told. */
static void log_pointer(const void *pointer)
{
	if (!pointer)
		put(" NULL");
	else if (in_world(pointer))
		put(" world+%zu", (size_t)((const char *)pointer - (const char *)&world));
	else
		put(" local");
}

static void log_number(uint64_t number)
{
	put(" %#llx", (unsigned long long)number);
}

static void log_sges(const struct ibv_sge *sge, int count)
{
	if (in_world(sge)) {
		log_pointer(sge);
		return;
	}
	for (int i = 0; i < count; i++)
		put(" sge[%#llx %u %#x]", (unsigned long long)sge[i].addr, sge[i].length, sge[i].lkey);
}

/* A request that the inline built itself: only the fields that it must set. */
static void log_send_wr(struct ibv_send_wr *wr)
{
	if (in_world(wr)) {
		log_pointer(wr);
		return;
	}
	put(" send_wr{%#llx next", (unsigned long long)wr->wr_id);
	log_pointer(wr->next);
	put(" num_sge %d opcode %d flags %#x", wr->num_sge, wr->opcode, wr->send_flags);
	log_sges(wr->sg_list, wr->num_sge);
	if (wr->opcode != IBV_WR_SEND)
		put(" rdma %#llx %#x", (unsigned long long)wr->wr.rdma.remote_addr, wr->wr.rdma.rkey);
	if (world.qp.qp_base.qp_type == IBV_QPT_UD) {
		log_pointer(wr->wr.ud.ah);
		put(" ud %#x %#x", wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	}
	put("}");
}

static void log_recv_wr(struct ibv_recv_wr *wr)
{
	if (in_world(wr)) {
		log_pointer(wr);
		return;
	}
	put(" recv_wr{%#llx next", (unsigned long long)wr->wr_id);
	log_pointer(wr->next);
	put(" num_sge %d", wr->num_sge);
	log_sges(wr->sg_list, wr->num_sge);
	put("}");
}

static void begin(const char *name)
{
	put("%s(", name);
}

static void end(void)
{
	put(" )\n");
}

static uint64_t result(void)
{
	assert(script.count > 0);
	return script.results[script.next < script.count - 1 ? script.next++ : script.next];
}

/* What an operation that reports by errno does, and an exported function. */
static uint64_t result_and_errno(void)
{
	errno = script.error;
	return result();
}

#include "inline_oracle.inc"

/* The macros, as a program uses them. */
uint64_t macro_ibv_query_port(const uint64_t *a)
{
	return ibv_query_port((struct ibv_context *)a[0], a[1], (struct ibv_port_attr *)a[2]);
}

uint64_t macro_ibv_reg_mr(const uint64_t *a)
{
	return (uint64_t)ibv_reg_mr((struct ibv_pd *)a[0], (void *)a[1], a[2], (int)a[3]);
}

uint64_t macro_ibv_reg_mr_constant(const uint64_t *a)
{
	return (uint64_t)ibv_reg_mr((struct ibv_pd *)a[0], (void *)a[1], a[2], IBV_ACCESS_REMOTE_READ);
}

uint64_t macro_ibv_reg_mr_optional(const uint64_t *a)
{
	return (uint64_t)ibv_reg_mr((struct ibv_pd *)a[0], (void *)a[1], a[2], IBV_ACCESS_RELAXED_ORDERING);
}

uint64_t macro_ibv_reg_mr_iova_constant(const uint64_t *a)
{
	return (uint64_t)ibv_reg_mr_iova((struct ibv_pd *)a[0], (void *)a[1], a[2], a[3], IBV_ACCESS_REMOTE_READ);
}

uint64_t macro_ibv_reg_mr_iova_optional(const uint64_t *a)
{
	return (uint64_t)ibv_reg_mr_iova((struct ibv_pd *)a[0], (void *)a[1], a[2], a[3], IBV_ACCESS_RELAXED_ORDERING);
}

uint64_t macro_verbs_get_ctx_op_create_cq_ex(const uint64_t *a)
{
	return (uint64_t)verbs_get_ctx_op((struct ibv_context *)a[0], create_cq_ex);
}

uint64_t macro_vext_field_avail_pci_atomic_caps(const uint64_t *a)
{
	return vext_field_avail(struct ibv_device_attr_ex, pci_atomic_caps, a[0]);
}

#undef ibv_query_port
#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#undef ibv_get_device_list

/* The exported functions that the inlines call. */
int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	begin("ibv_query_device");
	log_pointer(context);
	log_pointer(attr);
	end();
	return (int)result_and_errno();
}

int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	begin("ibv_query_port");
	log_pointer(context);
	log_number(port);
	log_pointer(attr);
	end();
	return (int)result_and_errno();
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t size)
{
	begin("_ibv_query_gid_ex");
	log_pointer(context);
	log_number(port);
	log_number(index);
	log_pointer(entry);
	log_number(flags);
	log_number(size);
	end();
	return (int)result_and_errno();
}

ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max, uint32_t flags,
			     size_t size)
{
	begin("_ibv_query_gid_table");
	log_pointer(context);
	log_pointer(entries);
	log_number(max);
	log_number(flags);
	log_number(size);
	end();
	return (ssize_t)result_and_errno();
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	begin("ibv_reg_mr");
	log_pointer(pd);
	log_pointer(addr);
	log_number(length);
	log_number(access);
	end();
	return (struct ibv_mr *)result_and_errno();
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access)
{
	begin("ibv_reg_mr_iova");
	log_pointer(pd);
	log_pointer(addr);
	log_number(length);
	log_number(iova);
	log_number(access);
	end();
	return (struct ibv_mr *)result_and_errno();
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	begin("ibv_reg_mr_iova2");
	log_pointer(pd);
	log_pointer(addr);
	log_number(length);
	log_number(iova);
	log_number(access);
	end();
	return (struct ibv_mr *)result_and_errno();
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	begin("ibv_dereg_mr");
	log_pointer(mr);
	end();
	return (int)result_and_errno();
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	begin("ibv_create_srq");
	log_pointer(pd);
	log_pointer(attr);
	end();
	return (struct ibv_srq *)result_and_errno();
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	begin("ibv_create_qp");
	log_pointer(pd);
	log_pointer(attr);
	end();
	return (struct ibv_qp *)result_and_errno();
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
	begin("ibv_get_cq_event");
	log_pointer(channel);
	log_pointer(cq);
	log_pointer(context);
	end();
	*cq = channel == world.id.send_cq_channel ? world.id.send_cq : world.id.recv_cq;
	*context = &world.id;
	return (int)result_and_errno();
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int count)
{
	begin("ibv_ack_cq_events");
	log_pointer(cq);
	log_number(count);
	end();
}

struct ibv_device **ibv_get_device_list(int *count)
{
	begin("ibv_get_device_list");
	log_pointer(count);
	end();
	return (struct ibv_device **)result_and_errno();
}

/* What a static link has, and __ibv_get_device_list names. */
struct verbs_device_ops {
	int none;
};
const struct verbs_device_ops verbs_provider_none;

void ibv_static_providers(void *unused, ...)
{
}

/* A world in which everything is there; what nobody sets is 0xa5. */
void oracle_reset(void)
{
	struct ibv_context *context = &world.context.context;

	memset(&world, 0xa5, sizeof(world));
	oracle_install_fakes(&world.context, &world.qp, &world.cq, &world.wq, &world.dm);
	oracle_install_fakes(&world.context, &world.qp, &world.other_cq, &world.wq, &world.dm);
	world.context.sz = sizeof(world.context);
	context->abi_compat = __VERBS_ABI_IS_EXTENDED;
	world.qp.qp_base.context = context;
	world.qp.qp_base.qp_type = IBV_QPT_RC;
	world.cq.context = context;
	world.other_cq.context = context;
	world.srq.context = context;
	world.wq.context = context;
	world.dm.context = context;
	world.pd.context = context;
	world.other_pd.context = context;
	world.mr.context = context;
	world.mr.pd = &world.pd;
	world.mr.addr = &world.scratch;
	world.mr.length = sizeof(world.scratch);
	world.mr.lkey = 0xc0ffee01;
	world.mw.context = context;
	world.mw.pd = &world.pd;
	world.mw.type = IBV_MW_TYPE_1;
	world.bind.bind_info.mr = &world.mr;
	world.flow.context = context;
	world.action.context = context;
	world.xrcd.context = context;
	world.td.context = context;
	world.table.context = context;
	world.counters.context = context;
	world.id.verbs = context;
	world.id.qp = &world.qp.qp_base;
	world.id.pd = &world.pd;
	world.id.srq = NULL;
	world.id.send_cq = (struct ibv_cq *)&world.cq;
	world.id.recv_cq = (struct ibv_cq *)&world.other_cq;
	world.id.send_cq_channel = &world.channel;
	world.id.recv_cq_channel = &world.other_channel;
	world.input.comp_mask = 0;
	script.count = script.next = script.error = 0;
	log_length = 0;
	log_text[0] = 0;
	oracle_errno = 0;
}

/* The fakes return these one after the other, the last one again and again. */
void oracle_script(const uint64_t *results, int count, int error)
{
	assert(count <= 16);
	memcpy(script.results, results, count * sizeof(*results));
	script.count = count;
	script.next = 0;
	script.error = error;
}

const char *oracle_log(void)
{
	return log_text;
}

void *oracle_world(void)
{
	return &world;
}

uint64_t oracle_world_size(void)
{
	return sizeof(world);
}

/* An object by the name of its C type or, where several are needed, by a name of the test's. */
void *oracle_object(const char *name)
{
#define IS(type, object)                                                                                               \
	if (!strcmp(name, type))                                                                                       \
	return (void *)(object)
	IS("struct ibv_context *", &world.context.context);
	IS("struct verbs_context *", &world.context);
	IS("struct ibv_qp *", &world.qp);
	IS("struct ibv_qp_ex *", &world.qp);
	IS("struct ibv_cq *", &world.cq);
	IS("struct ibv_cq_ex *", &world.cq);
	IS("struct ibv_srq *", &world.srq);
	IS("struct ibv_wq *", &world.wq);
	IS("struct ibv_dm *", &world.dm);
	IS("struct ibv_pd *", &world.pd);
	IS("other pd", &world.other_pd);
	IS("struct ibv_mr *", &world.mr);
	IS("struct ibv_mw *", &world.mw);
	IS("struct ibv_mw_bind *", &world.bind);
	IS("struct ibv_flow *", &world.flow);
	IS("struct ibv_flow_action *", &world.action);
	IS("struct ibv_xrcd *", &world.xrcd);
	IS("struct ibv_td *", &world.td);
	IS("struct ibv_rwq_ind_table *", &world.table);
	IS("struct ibv_counters *", &world.counters);
	IS("struct rdma_cm_id *", &world.id);
	IS("const struct ibv_query_device_ex_input *", &world.input);
	IS("struct ibv_sge *", &world.sge);
#undef IS
	for (int i = 0; i < scratch_count; i++)
		if (!strcmp(scratch_name[i], name))
			return world.scratch[i];
	assert(scratch_count < 96 && strlen(name) < sizeof(scratch_name[0]));
	strcpy(scratch_name[scratch_count], name);
	return world.scratch[scratch_count++];
}
