/* lo and the RDMA link of a guest: see README.md for names and addresses. */
#define _GNU_SOURCE
#include "guest.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for a RoCE MTU of 4096 and its headers. */
enum { NETDEV_MTU = 4200 };

static void check(int error, const char *what, const char *name)
{
	if (error < 0)
		guest_die("%s %s: %s", what, name, strerror(-error));
}

static void sysctl(const char *netdev, const char *key, const char *value)
{
	char path[128];

	snprintf(path, sizeof path, "/proc/sys/net/ipv4/conf/%s/%s", netdev, key);
	guest_write(path, value);
}

static unsigned address_of(int network, int host)
{
	return htonl(10u << 24 | (unsigned)network << 16 | (unsigned)host);
}

static void mac_of(const char *netdev, unsigned char mac[6])
{
	struct ifreq request = {0};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", netdev);
	if (fd < 0 || ioctl(fd, SIOCGIFHWADDR, &request) < 0)
		guest_die("no hardware address of %s", netdev);
	memcpy(mac, request.ifr_hwaddr.sa_data, 6);
	close(fd);
}

static void set_mac(const char *netdev, const unsigned char mac[6])
{
	struct ifreq request = {0};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", netdev);
	request.ifr_hwaddr.sa_family = 1; /* ARPHRD_ETHER */
	memcpy(request.ifr_hwaddr.sa_data, mac, 6);
	if (fd < 0 || ioctl(fd, SIOCSIFHWADDR, &request) < 0)
		guest_die("can not set the hardware address of %s", netdev);
	close(fd);
}

/*
 * Both ends in one stack: a packet from .1 to .2 must leave through ve0 though .2 is local
 * (rxe binds it to the netdev), and ve1 must accept one that comes from a local address.
 * Permanent neighbours, for ARP for a local address is never answered, and a netem that
 * drops everything must not stop a queue pair from being connected.
 */
static void two_ends(void)
{
	static const char *const ends[] = {"ve0", "ve1"};
	unsigned char mac[6];

	check(link_add_veth("ve0", "ve1"), "veth", "ve0");
	sysctl("all", "rp_filter", "0");
	for (int i = 0; i < 2; i++) {
		sysctl(ends[i], "accept_local", "1");
		sysctl(ends[i], "rp_filter", "0");
		sysctl(ends[i], "arp_ignore", "1");
		check(link_up(ends[i], NETDEV_MTU), "link", ends[i]);
		check(address_add(ends[i], address_of(77, i + 1), 24), "address", ends[i]);
	}
	for (int i = 0; i < 2; i++) {
		mac_of(ends[1 - i], mac);
		check(neighbour_add(ends[i], address_of(77, 2 - i), mac), "neighbour", ends[i]);
	}
	check(rdma_link_add("rxe0", "ve0"), "rdma link", "rxe0");
	check(rdma_link_add("rxe1", "ve1"), "rdma link", "rxe1");
}

/*
 * The engine's interface is the one that has a device behind it; drivers call it eth0, vec0,
 * enp0s2 ... The others, lo, dummy0, sit0, have none.
 */
static void find_interface(char name[IF_NAMESIZE])
{
	DIR *directory = opendir("/sys/class/net");
	struct dirent *entry;

	name[0] = '\0';
	while (directory && (entry = readdir(directory))) {
		char path[300];

		snprintf(path, sizeof path, "/sys/class/net/%s/device", entry->d_name);
		if (access(path, F_OK) == 0)
			snprintf(name, IF_NAMESIZE, "%.15s", entry->d_name);
	}
	if (directory)
		closedir(directory);
	if (name[0] == '\0')
		guest_die("no network interface for the link between the two hosts");
}

/*
 * The hardware address is derived from the host's number, so that each side knows the other's
 * without ARP and both sides differ whatever the engine's default is.
 */
static void one_end(int host)
{
	char name[IF_NAMESIZE];
	unsigned char mac[6] = {0x02, 0, 0x0a, 0x4e, 0, (unsigned char)host};

	find_interface(name);
	set_mac(name, mac);
	if (strcmp(name, "eth0") != 0)
		check(link_rename(name, "eth0"), "rename", name);
	check(link_up("eth0", NETDEV_MTU), "link", "eth0");
	check(address_add("eth0", address_of(78, host), 24), "address", "eth0");
	mac[5] = (unsigned char)(3 - host);
	check(neighbour_add("eth0", address_of(78, 3 - host), mac), "neighbour", "eth0");
	check(rdma_link_add("rxe0", "eth0"), "rdma link", "rxe0");
}

/* Programs look up their own name; a guest has no name service to ask. */
void guest_names(const struct job *job)
{
	char name[8] = "rxe";
	FILE *hosts;

	if (job->hosts == 2)
		snprintf(name, sizeof name, "host%d", job->host);
	if (sethostname(name, strlen(name)) < 0 || !(hosts = fopen("/etc/hosts", "we")))
		return;
	fprintf(hosts, "127.0.0.1 localhost %s\n::1 localhost\n", name);
	fputs("10.77.0.1 rxe0\n10.77.0.2 rxe1\n10.78.0.1 host1\n10.78.0.2 host2\n", hosts);
	fclose(hosts);
}

void guest_network(const struct job *job)
{
	check(link_up("lo", 0), "link", "lo");
	if (job->hosts == 2)
		one_end(job->host);
	else
		two_ends();
}
