# Engine qemu: a virtual machine with the distribution's own kernel. Contract: ../README.md
# shellcheck shell=bash

# shellcheck source=../qemu/cpio.sh
. "$RXE_DIR/qemu/cpio.sh"
# shellcheck source=../qemu/kernel.sh
. "$RXE_DIR/qemu/kernel.sh"
# shellcheck source=../qemu/machine.sh
. "$RXE_DIR/qemu/machine.sh"

QEMU_NEEDS=(qemu-system-x86_64:qemu-system-x86 /usr/share/qemu/qboot.rom:qemu-system-data xz:xz-utils zstd:zstd)

qemu_why_not() {
	if [ "$(uname -s) $(uname -m)" != "Linux x86_64" ]; then
		echo "engine qemu knows only machines like itself, Linux on x86-64"
	elif ! command -v apt-get >/dev/null && ! qemu_kernel_dir >/dev/null; then
		echo "engine qemu takes its kernel from a Debian package, and there is no apt-get here"
	fi
}

qemu_init_path() {
	local sources
	mapfile -t sources < <(guest_sources)
	program_path qemu-init "${sources[@]}" "$RXE_DIR/guest/qemu-init.c"
}

qemu_ready() {
	[ -z "$(missing_packages "${QEMU_NEEDS[@]}")" ] && qemu_kernel_dir >/dev/null && [ -x "$(qemu_init_path)" ]
}

qemu_prepare() {
	local sources init needs=("${QEMU_NEEDS[@]}")
	# All in one sentence, should something be missing.
	qemu_ready || needs+=(gcc:gcc '/usr/include/stdio.h:libc6-dev')
	need "${needs[@]}" || return
	mapfile -t sources < <(guest_sources)
	init=$(compile qemu-init "${sources[@]}" "$RXE_DIR/guest/qemu-init.c") && warden >/dev/null || return
	QEMU_KERNEL=$(qemu_kernel_dir) || QEMU_KERNEL=$(qemu_get_kernel) || return
	QEMU_INITRD=$(qemu_initrd "$init") || return "$MISSING"
	QEMU_ACCELERATOR=$(qemu_accelerator) || return
}

# Modules and first process in one file, made once for each of both.
qemu_initrd() {
	local init=$1 initrd
	initrd=$QEMU_KERNEL/${init##*/}.cpio
	if [ ! -e "$initrd" ]; then
		{ cat "$QEMU_KERNEL/modules.cpio" && qemu_cpio "init=$init"; } >"$initrd.$$" &&
			mv "$initrd.$$" "$initrd" || return
	fi
	echo "$initrd"
}

qemu_kind() { echo "$QEMU_ACCELERATOR"; }

qemu_kernel() { cat "$QEMU_KERNEL/release"; }

# With KVM the guest itself is as fast as the host; its devices and page faults are not.
qemu_scale() { [ "$QEMU_ACCELERATOR" = kvm ] && echo 2 || echo 10; }

qemu_run() {
	local job=$1 hosts host machine
	hosts=$(cat "$job/hosts")
	for host in $(seq "$hosts"); do
		qemu_machine "$QEMU_ACCELERATOR" "$QEMU_INITRD" "verbs4j_host=$host"
		qemu_size "$hosts"
		qemu_devices "$job" "$hosts"
		printf '%q ' exec "${machine[@]}" >"$job/$host/boot"
	done
	run_guests "$job"
}

# Adds to the caller's `machine` what guest/qemu-init.c looks for: file systems and two ports.
qemu_devices() {
	local job=$1 hosts=$2 number=0 directory
	qemu_share root / ,readonly=on
	qemu_share job "$job"
	while IFS= read -r -d '' directory; do
		[ "$directory" = / ] || qemu_share "rw$number" "$directory"
		number=$((number + 1))
	done <"$job/rw"
	# By descriptor: a path would be opened anew, from its start.
	machine+=(-device virtio-serial-pci
		-add-fd "fd=3,set=3" -chardev "file,id=out,path=/dev/fdset/3,append=on"
		-device "virtserialport,chardev=out,name=stdout"
		-add-fd "fd=4,set=4" -chardev "file,id=err,path=/dev/fdset/4,append=on"
		-device "virtserialport,chardev=err,name=stderr")
	# The link's MTU is the guest's to set, up to host_mtu.
	[ "$hosts" -eq 1 ] || machine+=(-netdev "dgram,id=link,local.type=fd,local.str=5"
		-device "virtio-net-pci,netdev=link,host_mtu=9000,romfile=")
}

# security_model=none: owners cannot be changed by who may not do it on the host, which is no error.
# multidevs=remap: a tree of several file systems has inode numbers more than once.
qemu_share() {
	local tag=$1 directory=$2 options=${3-}
	machine+=(-fsdev "local,id=$tag,path=${directory//,/,,},security_model=none,multidevs=remap$options"
		-device "virtio-9p-pci,fsdev=$tag,mount_tag=$tag")
}
