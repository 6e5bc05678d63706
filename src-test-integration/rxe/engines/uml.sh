# Engine uml: a User-Mode Linux kernel with soft-RoCE built in. Contract: ../README.md
# shellcheck shell=bash

UML_MEMORY=${VERBS4J_UML_MEMORY:-2G}

uml_why_not() {
	if [ "$(uname -s) $(uname -m)" != "Linux x86_64" ]; then
		echo "User-Mode Linux exists for Linux on x86-64 only"
	elif ! uml_memory_dir >/dev/null && ! unshare -m true 2>/dev/null; then
		echo "/dev/shm must be an executable tmpfs with $UML_MEMORY free (in a container: --shm-size=$UML_MEMORY)"
	fi
}

uml_kernel_path() { "$RXE_DIR/uml/build-kernel" --path 2>/dev/null; }

uml_ready() {
	local kernel
	kernel=$(uml_kernel_path) && [ -x "$kernel" ]
}

uml_init_sources() {
	guest_sources
	echo "$RXE_DIR/guest/uml-init.c"
}

uml_prepare() {
	local sources
	if ! uml_ready; then
		need gcc:gcc make:make flex:flex bison:bison bc:bc xz:xz-utils \
			'/usr/include/stdio.h:libc6-dev' '/usr/src/linux-source-*.tar.xz:linux-source' || return
		# Whatever ends this shell ends the build, which then cleans up.
		setpriv --pdeathsig TERM -- "$RXE_DIR/uml/build-kernel" >/dev/null || return "$MISSING"
	fi
	mapfile -t sources < <(uml_init_sources)
	UML_INIT=$(compile uml-init "${sources[@]}") && warden >/dev/null && uml_boots
}

# It may not: a container without ptrace, a processor with more registers than this kernel's frame
# has room for. Tried once for each kernel and machine.
uml_boots() {
	local stamp
	stamp=$(uml_kernel_path).boots-$({ grep -m 1 'model name' /proc/cpuinfo; uname -r; } | sha256sum | cut -c 1-8)
	[ -z "${UML_PROBE-}" ] && [ ! -e "$stamp" ] || return 0
	if ! UML_PROBE=1 "$RXE_DIR/on-rxe" --engine uml --quiet --timeout 60 -- /bin/true; then
		warn "engine uml: its kernel does not run on this machine, its last words are above"
		return "$MISSING"
	fi
	# A cache that this user may only read: tried again next time.
	: 2>/dev/null >"$stamp" || true
}

uml_kernel() { "$(uml_kernel_path)" --version; }

uml_scale() { echo 3; }

# The guest's memory is a file: it must be on a tmpfs (or every page would be written to a disk),
# executable, and hold all of the guest's memory (or the guest dies by SIGBUS).
uml_memory_dir() {
	local dir need_kib
	need_kib=$(($(numfmt --from=iec "$UML_MEMORY") / 1024))
	for dir in /dev/shm /run "${TMPDIR:-/tmp}"; do
		if [ -w "$dir" ] && [ "$(stat -f -c %T "$dir")" = tmpfs ] &&
			[ "$(df -k --output=avail "$dir" | tail -n 1)" -ge "$need_kib" ] &&
			! findmnt -no OPTIONS -T "$dir" | grep -qw noexec; then
			echo "$dir"
			return 0
		fi
	done
	return 1
}

uml_run() {
	local job=$1 kernel host memory private=
	kernel=$(uml_kernel_path)
	if ! memory=$(uml_memory_dir); then
		# A tmpfs that only the guest's own mount namespace sees: nothing to unmount.
		memory=$job/memory private=1
		mkdir "$memory"
	fi
	for host in $(seq "$(cat "$job/hosts")"); do
		cp "$UML_INIT" "$job/$host/init"
		{
			echo "export TMPDIR=$(printf %q "$memory")"
			uml_command "$job" "$host" "$kernel" "$private"
		} >"$job/$host/boot"
	done
	run_guests "$job"
}

uml_command() {
	local job=$1 host=$2 kernel=$3 private=$4
	# devtmpfs.mount=0: mounted by the kernel it would hide a job below /dev/shm from it.
	# shellcheck disable=SC2054 # the kernel's commas
	local words=("$kernel" "mem=$UML_MEMORY" "umid=host$host" "uml_dir=$job/$host/"
		root=/dev/root rootfstype=hostfs rootflags=/ ro "init=$job/$host/init"
		con0=null,fd:1 con1=null,fd:3 con2=null,fd:4 con=null ssl=null
		devtmpfs.mount=0 stderr=1 oops=panic panic=-1)
	[ "$(cat "$job/hosts")" -eq 1 ] || words+=("vec0:transport=fd,fd=5,depth=128,mtu=4200")
	if [ -n "$private" ]; then
		# shellcheck disable=SC2016 # for the inner shell
		words=(unshare -m bash -c 'mount -t tmpfs -o "size=$1" tmpfs "$TMPDIR" && shift && exec "$@"'
			bash "$UML_MEMORY" "${words[@]}")
	fi
	printf 'exec'
	printf ' %q' "${words[@]}"
	echo
}
