/*
 * The handful of netlink requests a guest needs. Started as programs (ip, rdma) they would
 * cost 20 ms each under UML and 100 ms under TCG, and iproute2 would have to be installed.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct request {
	struct nlmsghdr head;
	char body[1024];
};

static void *append(struct request *request, const void *data, unsigned size)
{
	void *at = (char *)request + NLMSG_ALIGN(request->head.nlmsg_len);

	if (size > 0)
		memcpy(at, data, size);
	request->head.nlmsg_len = NLMSG_ALIGN(request->head.nlmsg_len) + NLMSG_ALIGN(size);
	return at;
}

static struct rtattr *attribute(struct request *request, int type, const void *data, unsigned size)
{
	struct rtattr head = {.rta_len = RTA_LENGTH(size), .rta_type = type};
	struct rtattr *at = append(request, &head, sizeof head);

	append(request, data, size);
	return at;
}

static void string(struct request *request, int type, const char *text)
{
	attribute(request, type, text, strlen(text) + 1);
}

static void end_nest(struct request *request, struct rtattr *nest)
{
	nest->rta_len = (char *)request + request->head.nlmsg_len - (char *)nest;
}

static void begin(struct request *request, int type, int flags, const void *body, unsigned size)
{
	memset(request, 0, sizeof *request);
	request->head.nlmsg_len = NLMSG_HDRLEN;
	request->head.nlmsg_type = type;
	request->head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	if (size > 0)
		append(request, body, size);
}

static int transact(struct request *request, int protocol)
{
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char more[2048];
	} answer;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	int result = -errno;

	if (fd < 0)
		return result;
	if (send(fd, request, request->head.nlmsg_len, 0) < 0 || recv(fd, &answer, sizeof answer, 0) < 0)
		result = -errno;
	else if (answer.head.nlmsg_type == NLMSG_ERROR)
		result = answer.error.error;
	else
		result = -EPROTO;
	close(fd);
	return result;
}

int link_add_veth(const char *name, const char *peer)
{
	struct request request;
	struct ifinfomsg link = {.ifi_family = AF_UNSPEC};
	struct rtattr *info, *data, *other;

	begin(&request, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &link, sizeof link);
	string(&request, IFLA_IFNAME, name);
	info = attribute(&request, IFLA_LINKINFO, NULL, 0);
	string(&request, IFLA_INFO_KIND, "veth");
	data = attribute(&request, IFLA_INFO_DATA, NULL, 0);
	other = attribute(&request, VETH_INFO_PEER, &link, sizeof link);
	string(&request, IFLA_IFNAME, peer);
	end_nest(&request, other);
	end_nest(&request, data);
	end_nest(&request, info);
	return transact(&request, NETLINK_ROUTE);
}

int link_up(const char *name, int mtu)
{
	struct request request;
	struct ifinfomsg link = {
		.ifi_family = AF_UNSPEC,
		.ifi_index = (int)if_nametoindex(name),
		.ifi_flags = IFF_UP,
		.ifi_change = IFF_UP,
	};

	if (link.ifi_index == 0)
		return -ENODEV;
	begin(&request, RTM_NEWLINK, 0, &link, sizeof link);
	if (mtu > 0)
		attribute(&request, IFLA_MTU, &mtu, sizeof mtu);
	return transact(&request, NETLINK_ROUTE);
}

int link_rename(const char *name, const char *new_name)
{
	struct request request;
	struct ifinfomsg link = {.ifi_family = AF_UNSPEC, .ifi_index = (int)if_nametoindex(name)};

	begin(&request, RTM_NEWLINK, 0, &link, sizeof link);
	string(&request, IFLA_IFNAME, new_name);
	return transact(&request, NETLINK_ROUTE);
}

int link_delete(const char *name)
{
	struct request request;
	struct ifinfomsg link = {.ifi_family = AF_UNSPEC, .ifi_index = (int)if_nametoindex(name)};

	if (link.ifi_index == 0)
		return -ENODEV;
	begin(&request, RTM_DELLINK, 0, &link, sizeof link);
	return transact(&request, NETLINK_ROUTE);
}

int address_add(const char *name, unsigned address, int prefix)
{
	struct request request;
	struct ifaddrmsg body = {
		.ifa_family = AF_INET,
		.ifa_prefixlen = prefix,
		.ifa_index = if_nametoindex(name),
	};

	begin(&request, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, &body, sizeof body);
	attribute(&request, IFA_LOCAL, &address, sizeof address);
	attribute(&request, IFA_ADDRESS, &address, sizeof address);
	return transact(&request, NETLINK_ROUTE);
}

int neighbour_add(const char *name, unsigned address, const unsigned char mac[6])
{
	struct request request;
	struct ndmsg body = {
		.ndm_family = AF_INET,
		.ndm_ifindex = if_nametoindex(name),
		.ndm_state = NUD_PERMANENT,
	};

	begin(&request, RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, &body, sizeof body);
	attribute(&request, NDA_DST, &address, sizeof address);
	attribute(&request, NDA_LLADDR, mac, 6);
	return transact(&request, NETLINK_ROUTE);
}

int rdma_link_add(const char *name, const char *netdev)
{
	struct request request;

	begin(&request, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK), 0, NULL, 0);
	string(&request, RDMA_NLDEV_ATTR_DEV_NAME, name);
	string(&request, RDMA_NLDEV_ATTR_LINK_TYPE, "rxe");
	string(&request, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	return transact(&request, NETLINK_RDMA);
}
