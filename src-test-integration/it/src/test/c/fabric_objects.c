/* Contexts, domains, memory, and what other processes may import of them. */
#include "fabric.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

/* verbs.h wraps these names in macros that check arguments. */
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

enum { FIRST = 1, LAST = 1 << 20 };

const char *fabric_path(char path[PATH_MAX], const char *format, ...)
{
	const char *directory = getenv("VERBS4J_FABRIC");
	va_list arguments;
	int length;

	length = snprintf(path, PATH_MAX, "%s/", directory ? directory : "/nonexistent");
	va_start(arguments, format);
	length += vsnprintf(path + length, PATH_MAX - length, format, arguments);
	va_end(arguments);
	if (length < PATH_MAX)
		return path;
	errno = ENAMETOOLONG;
	return NULL;
}

uint32_t fabric_enter(const char *kind, uint32_t first, const char *about)
{
	char path[PATH_MAX];

	for (uint32_t number = first; number < LAST; number++) {
		if (!symlink(about, fabric_path(path, "%s-%u", kind, number)))
			return number;
		if (errno != EEXIST)
			return 0;
	}
	errno = ENOMEM;
	return 0;
}

void fabric_leave(const char *kind, uint32_t number)
{
	char path[PATH_MAX];

	unlink(fabric_path(path, "%s-%u", kind, number));
}

bool fabric_look(const char *kind, uint32_t number, char *about, size_t size)
{
	char path[PATH_MAX];
	ssize_t length = readlink(fabric_path(path, "%s-%u", kind, number), about, size - 1);

	if (length < 0)
		return false;
	about[length] = 0;
	return true;
}

void *fabric_new(size_t size, const char *kind, uint32_t first, const char *about, uint32_t *number)
{
	void *object;

	*number = fabric_enter(kind, first, about);
	if (!*number)
		return NULL;
	object = calloc(1, size);
	if (!object)
		fabric_leave(kind, *number);
	return object;
}

/* Contexts */

static struct fabric_context *context_of(struct ibv_context *context)
{
	return (struct fabric_context *)((char *)context - offsetof(struct fabric_context, verbs.context));
}

/* With the descriptor of its file, by which another process may import it. */
static struct ibv_context *new_context(int command_fd)
{
	uint32_t number;
	struct fabric_context *fabric = fabric_new(sizeof(*fabric), "context", FIRST, "open", &number);
	struct verbs_context *verbs;

	if (!fabric)
		return NULL;
	verbs = &fabric->verbs;
	fabric->number = number;
	verbs->sz = sizeof(*verbs);
	verbs->query_port = null_query_port;
	verbs->open_xrcd = fabric_open_xrcd;
	verbs->close_xrcd = fabric_close_xrcd;
	verbs->create_srq_ex = fabric_create_srq;
	verbs->get_srq_num = fabric_srq_number;
	verbs->create_qp_ex = fabric_create_qp;
	verbs->context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	verbs->context.device = &null_device;
	verbs->context.ops.post_send = fabric_post_send;
	verbs->context.ops.post_recv = fabric_post_recv;
	verbs->context.ops.post_srq_recv = fabric_post_srq_recv;
	verbs->context.ops.poll_cq = fabric_poll_cq;
	verbs->context.ops.req_notify_cq = fabric_req_notify_cq;
	verbs->context.cmd_fd = command_fd;
	verbs->context.async_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	verbs->context.num_comp_vectors = 1;
	pthread_mutex_init(&verbs->context.mutex, NULL);
	return &verbs->context;
}

EXPORT struct ibv_context *ibv_open_device(struct ibv_device *which)
{
	char path[PATH_MAX];
	int file = open(fabric_path(path, "device"), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	struct ibv_context *context = file < 0 || which != &null_device ? NULL : new_context(file);

	if (!context && file >= 0)
		close(file);
	return context;
}

/* As the real one: the descriptor has to be of the device, and belongs to the context from then on. */
EXPORT struct ibv_context *ibv_import_device(int command_fd)
{
	char path[PATH_MAX];
	struct stat asked, device;

	if (fstat(command_fd, &asked))
		return NULL;
	if (stat(fabric_path(path, "device"), &device) || asked.st_ino != device.st_ino || asked.st_dev != device.st_dev) {
		errno = EINVAL;
		return NULL;
	}
	return new_context(command_fd);
}

EXPORT int ibv_close_device(struct ibv_context *context)
{
	struct fabric_context *fabric = context_of(context);

	close(context->cmd_fd);
	close(context->async_fd);
	fabric_leave("context", fabric->number);
	free(fabric);
	return 0;
}

/* Protection domains */

static struct ibv_pd *new_pd(struct ibv_context *context, uint32_t handle)
{
	struct ibv_pd *pd = calloc(1, sizeof(*pd));

	pd->context = context;
	pd->handle = handle;
	return pd;
}

EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	uint32_t number = fabric_enter("pd", FIRST, "allocated");

	return number ? new_pd(context, number) : NULL;
}

EXPORT int ibv_dealloc_pd(struct ibv_pd *pd)
{
	fabric_leave("pd", pd->handle);
	free(pd);
	return 0;
}

EXPORT struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t handle)
{
	char about[FABRIC_DOMAIN];

	if (!fabric_look("pd", handle, about, sizeof(about))) {
		errno = ENOENT;
		return NULL;
	}
	return new_pd(context, handle);
}

EXPORT void ibv_unimport_pd(struct ibv_pd *pd)
{
	free(pd);
}

/* Memory regions; their keys are of their numbers. */

static struct ibv_mr *new_mr(struct ibv_pd *pd, uint64_t length, void *addr, uint32_t handle)
{
	struct ibv_mr *mr = calloc(1, sizeof(*mr));

	mr->context = pd->context;
	mr->pd = pd;
	mr->addr = addr;
	mr->length = length;
	mr->handle = handle;
	mr->lkey = mr->rkey = handle << 8;
	return mr;
}

EXPORT struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	char about[FABRIC_DOMAIN];
	uint32_t number;

	(void)access;
	snprintf(about, sizeof(about), "%" PRIx64 ":%zu", iova, length);
	number = fabric_enter("mr", FIRST, about);
	return number ? new_mr(pd, length, addr, number) : NULL;
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
	fabric_leave("mr", mr->handle);
	free(mr);
	return 0;
}

/* The address of an imported region is nothing to this process, as with the real one. */
EXPORT struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	char about[FABRIC_DOMAIN];
	uint64_t iova;
	size_t length;

	if (!fabric_look("mr", handle, about, sizeof(about)) || sscanf(about, "%" SCNx64 ":%zu", &iova, &length) != 2) {
		errno = ENOENT;
		return NULL;
	}
	return new_mr(pd, length, NULL, handle);
}

EXPORT void ibv_unimport_mr(struct ibv_mr *mr)
{
	free(mr);
}
