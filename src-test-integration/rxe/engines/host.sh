# Engine host: this machine's own RDMA device, else soft-RoCE set up on this machine for the
# time of the command. Contract: ../README.md
# shellcheck shell=bash

host_has_device() { compgen -G '/sys/class/infiniband/*' >/dev/null; }

host_has_module() {
	[ -d /sys/module/rdma_rxe ] || PATH=$PATH:/usr/sbin:/sbin modprobe -nq rdma_rxe 2>/dev/null ||
		grep -qs '\brxe_' /proc/kallsyms
}

host_why_not() {
	if host_has_device; then
		return
	elif [ "$(id -u)" -ne 0 ]; then
		echo "this machine has no RDMA device, and only root can set up soft-RoCE"
	elif ! host_has_module; then
		echo "this machine has no RDMA device, and its kernel has no module rdma_rxe"
	elif [ -d /sys/class/net/ve0 ] || [ -d /sys/class/net/ve1 ]; then
		echo "interfaces ve0 and ve1, which soft-RoCE would get, exist already"
	fi
}

host_ready() { host_has_device || [ -x "$(host_link_path)" ] || command -v gcc >/dev/null; }

host_link_sources() {
	printf '%s\n' "$RXE_DIR"/guest/{guest.h,network.c,netlink.c} "$RXE_DIR/host/rxe-link.c"
}

host_link_path() {
	local sources
	mapfile -t sources < <(host_link_sources)
	program_path rxe-link "${sources[@]}"
}

host_prepare() {
	local sources
	host_has_device && return
	mapfile -t sources < <(host_link_sources)
	RXE_LINK=$(compile rxe-link "${sources[@]}")
}

host_kernel() { uname -r; }

host_scale() { echo 1; }

host_devices() {
	if host_has_device; then
		(cd /sys/class/infiniband && echo *)
	else
		echo "rxe0 rxe1"
	fi
}

host_run() {
	local job=$1
	export VERBS4J_ENGINE=host VERBS4J_TIME_SCALE=1 VERBS4J_KERNEL
	VERBS4J_KERNEL=$(uname -r)
	[ "$(id -u)" -ne 0 ] || ulimit -l unlimited
	host_has_device || host_set_up "$job" || return
	host_command {ALIVE_FD}>&-
}

# In the foreground, so that it keeps the terminal and stdin; it dies with the launcher.
host_command() {
	local words=("${COMMAND[@]}") status
	[ -z "$TIMEOUT" ] || words=(timeout --foreground -k 10 "$TIMEOUT" "${words[@]}")
	setpriv --pdeathsig KILL -- "${words[@]}"
	status=$?
	if [ -n "$TIMEOUT" ] && [ $status -eq 124 ]; then
		warn "ended after $TIMEOUT s (--timeout)"
		return "$GUEST_FAILED"
	fi
	return $status
}

# What is set up is taken down by a process that waits for the launcher's end, whatever ends it.
host_set_up() {
	local job=$1 loaded=1 filter
	if [ ! -d /sys/module/rdma_rxe ]; then
		PATH=$PATH:/usr/sbin:/sbin modprobe -q rdma_rxe 2>/dev/null && loaded=
	fi
	filter=$(cat /proc/sys/net/ipv4/conf/all/rp_filter)
	# shellcheck disable=SC2016 # for the inner shell
	setsid bash -c '
		cat <&3 >/dev/null
		"$1" down
		echo "$2" >/proc/sys/net/ipv4/conf/all/rp_filter
		[ -n "$3" ] || PATH=$PATH:/usr/sbin:/sbin modprobe -r rdma_rxe
	' taker-down "$RXE_LINK" "$filter" "$loaded" 3<"$job/alive" {ALIVE_FD}>&- >/dev/null 2>&1 &
	"$RXE_LINK" up && return
	warn "engine host: soft-RoCE could not be set up, the reason is above"
	return "$MISSING"
}
