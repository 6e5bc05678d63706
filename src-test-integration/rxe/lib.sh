# Shared by verbs, on-rxe and the engines. Sourced, never run.
# shellcheck shell=bash

RXE_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CACHE_DIR=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/verbs4j

# What sysexits.h calls EX_UNAVAILABLE: something is missing and may not be installed.
readonly MISSING=69
# The guest died or hung; no command that behaves gives it.
# shellcheck disable=SC2034 # used by those who source this
readonly GUEST_FAILED=125
readonly USAGE=2

NO_INSTALL=${NO_INSTALL-}
QUIET=${QUIET-}

say() { [ -n "$QUIET" ] || echo "verbs: $*" >&2; }
warn() { echo "verbs: $*" >&2; }
usage_error() { warn "$* (see: verbs --help)"; exit "$USAGE"; }

# need THING:PACKAGE...: THING is a command, or a path or pattern that must exist.
# Installs the packages of what is missing, or says how; status 0 or 69.
need() {
	local packages command
	packages=$(missing_packages "$@")
	[ -n "$packages" ] || return 0
	command="apt-get update && apt-get install -y --no-install-recommends $packages"
	if ! command -v apt-get >/dev/null; then
		warn "missing, as Debian names the packages: $packages"
	elif [ -n "$NO_INSTALL" ]; then
		warn "missing: $packages; to install: $command"
	elif [ "$(id -u)" -ne 0 ]; then
		warn "missing: $packages; run this once as root: $command"
	else
		say "installing $packages"
		read -ra packages <<<"$packages"
		apt_get update && apt_get install -y --no-install-recommends "${packages[@]}" && return 0
		warn "could not install ${packages[*]}; apt-get said why above"
	fi
	return "$MISSING"
}

# The packages of those THINGs that are not there, in one line.
missing_packages() {
	local item thing list=
	for item in "$@"; do
		thing=${item%:*}
		if [[ $thing == */* ]]; then
			compgen -G "$thing" >/dev/null && continue
		else
			PATH=$PATH:/usr/sbin:/sbin command -v "$thing" >/dev/null && continue
		fi
		[[ " $list " == *" ${item##*:} "* ]] || list+="${list:+ }${item##*:}"
	done
	echo "$list"
}

# Its chatter goes to a log that is shown only if it fails; stdout belongs to the command.
apt_get() {
	local log status
	log=$(mktemp) || return
	DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1 </dev/null
	status=$?
	[ $status -eq 0 ] || tail -n 20 "$log" >&2
	rm -f "$log"
	return $status
}

# find_jdk: prints the home of a JDK 25 or newer: JAVA_HOME or another variable JAVA..._HOME (those
# that Maven's toolchain discovery looks at) if it is one, else the newest in /usr/lib/jvm, else
# that of the java in the PATH.
find_jdk() {
	local home name homes=("${JAVA_HOME:-}")
	for name in $(compgen -e JAVA); do
		[[ $name != *_HOME ]] || homes+=("${!name}")
	done
	for home in "${homes[@]}" $(printf '%s\n' /usr/lib/jvm/* | sort -rV) "$(java_in_path)"; do
		if [ -x "$home/bin/java" ] && [ "$(jdk_feature "$home")" -ge 25 ]; then
			echo "$home"
			return 0
		fi
	done
	warn "no JDK 25 found in JAVA_HOME, JAVA..._HOME, /usr/lib/jvm or the PATH (get one from adoptium.net)"
	return "$MISSING"
}

java_in_path() {
	local java
	java=$(command -v java) && dirname "$(dirname "$(readlink -f "$java")")"
}

# Reads the release file: starting java to ask costs a second in a guest.
jdk_feature() {
	local version
	version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null)
	echo "${version:-0}"
}

# program_path NAME FILE...: where the compiled program is or would be. The name holds a hash of
# the sources, so a change compiles anew and an old binary is never used.
program_path() {
	local name=$1 hash
	shift
	hash=$(cat "$@" | sha256sum | cut -c 1-12)
	echo "$CACHE_DIR/$name-$hash-$(uname -m)"
}

# compile NAME FILE...: a static C program into the cache; prints its path. The header is hashed
# with the sources: name it too.
compile() {
	local program part file sources=()
	program=$(program_path "$@")
	if [ ! -x "$program" ]; then
		need gcc:gcc '/usr/include/stdio.h:libc6-dev' '/usr/include/rdma/rdma_netlink.h:linux-libc-dev' || return
		mkdir -p "$CACHE_DIR" || return
		part=$program.$$.part
		for file in "${@:2}"; do
			[[ $file != *.c ]] || sources+=("$file")
		done
		if ! gcc -O1 -static -Wall -o "$part" "${sources[@]}" >&2; then
			warn "gcc could not compile $1"
			rm -f "$part"
			return "$MISSING"
		fi
		mv "$part" "$program"
	fi
	echo "$program"
}

# engine_list LIST: the engines of a list with commas, in words; auto is what the tests use: this
# machine where it has a device or can have one, else both guests.
engine_list() {
	local list=$1
	if [ "$list" = auto ]; then
		# shellcheck source=engines/host.sh
		. "$RXE_DIR/engines/host.sh"
		if [ -z "$(host_why_not)" ]; then list=host; else list=uml,qemu; fi
	fi
	echo "${list//,/ }"
}

# The C files that every guest's init is made of; an engine adds its own.
guest_sources() {
	printf '%s\n' "$RXE_DIR"/guest/{guest.h,guest.c,network.c,netlink.c,run.c}
}

warden() { compile warden "$RXE_DIR/host/warden.c"; }

# run_guests JOB: starts JOB/N/boot of each host under the warden, waits for the end. What
# went wrong, if anything, is told here; the launcher reads JOB/N/status.
run_guests() {
	local job=$1 program status
	program=$(warden) || return
	# shellcheck disable=SC2153 # set by on-rxe
	"$program" "$job" "$(cat "$job/hosts")" "$TIMEOUT" 3<"$job/alive" {ALIVE_FD}>&- &
	WARDEN=$!
	wait "$WARDEN"
	status=$?
	WARDEN=
	[ $status -ne 124 ] || warn "ended after $TIMEOUT s (--timeout)"
	return $status
}
