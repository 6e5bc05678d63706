/*
 * What the null device says of itself: one device with one active RoCE port and one GID, for a program that lists and
 * queries devices before it opens one.
 */
#include "null_identity.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* verbs.h wraps this name in a macro that checks arguments. */
#undef ibv_query_port

enum { GID_INDEX = 0 };

struct ibv_device null_device = {
	.node_type = IBV_NODE_CA,
	.transport_type = IBV_TRANSPORT_IB,
	.name = "null0",
	.dev_name = "uverbs-null0",
	.dev_path = "/nonexistent/null0",
	.ibdev_path = "/nonexistent/null0",
};

static const union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff, [12] = 10, [13] = 77, [14] = 0, [15] = 9 } };

EXPORT struct ibv_device **ibv_get_device_list(int *count)
{
	struct ibv_device **list = calloc(2, sizeof(*list));

	if (list)
		list[0] = &null_device;
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

int null_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
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

EXPORT int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	(void)context;
	*attr = (struct ibv_device_attr){
		.fw_ver = "none",
		.node_guid = ibv_get_device_guid(&null_device),
		.sys_image_guid = ibv_get_device_guid(&null_device),
		.max_mr_size = ~0ull,
		.page_size_cap = 4096,
		.max_qp = NULL_MAX_QP,
		.max_qp_wr = NULL_MAX_WR,
		.max_sge = NULL_MAX_SGE,
		.max_cq = 65536,
		.max_cqe = NULL_MAX_CQE,
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
	return null_query_port(context, port, (struct ibv_port_attr *)attr, offsetof(struct ibv_port_attr, port_cap_flags2));
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
