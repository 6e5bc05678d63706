# The virtual machine: how QEMU is called, and whether it may use KVM. Sourced by engines/qemu.sh.
# shellcheck shell=bash

# What a kernel that lives for one command can do without: emulated, each costs a boot 50 to 500 ms.
readonly QEMU_PARAMETERS="quiet console=ttyS0 panic=-1 oops=panic no5lvl audit=0 nowatchdog \
no_timer_check mitigations=off random.trust_cpu=on cryptomgr.notests \
initcall_blacklist=load_system_certificate_list,cubictcp_register,init_encrypted,\
crypto_kdf108_init,init_zswap,init_ima"

# qemu_machine ACCELERATOR INITRD PARAMETERS: sets the array `machine` to what every start has in
# common. The firmware qboot does nothing but start the kernel; without -nodefaults there would be
# a network card whose boot ROM is run first.
qemu_machine() {
	machine=(qemu-system-x86_64 -nodefaults -no-user-config -no-reboot -display none
		-machine q35 -bios qboot.rom -kernel "$QEMU_KERNEL/vmlinux" -initrd "$2"
		-append "$QEMU_PARAMETERS $3" -serial stdio)
	if [ "$1" = kvm ]; then
		machine+=(-accel kvm -cpu host)
	else
		# The newest model that QEMU 7.2 emulates in full, so that it has nothing to warn about;
		# wider vectors cost more to translate than they save.
		machine+=(-accel "tcg,tb-size=512" -cpu "Nehalem,+rdrand")
	fi
}

# qemu_size HOSTS: adds to the caller's `machine`. Two CPUs even where the host has one: that two
# threads can poll busily is what this engine is for. Memory is taken from the host as it is touched;
# a test that registers gigabytes needs them, but a small host must not be driven into swapping.
qemu_size() {
	local hosts=$1 memory=${VERBS4J_QEMU_MEMORY-} half
	half=$(awk '/^MemTotal:/ { print int($2 / 2048) }' /proc/meminfo)
	[ -n "$memory" ] || memory=$((half / hosts < 4096 ? half / hosts : 4096))M
	machine+=(-smp "${VERBS4J_QEMU_CPUS:-2}" -m "$memory")
}

# A /dev/kvm that can be opened proves little: where virtual machines are nested, or KVM is of a
# kind that wants a kernel of its own, a guest may start and never reach its first process. So one has
# to reach it, within a limit generous for KVM and too short for anything slower. The answer holds
# until this machine boots again.
qemu_accelerator() {
	local boot answer=tcg known
	case ${VERBS4J_QEMU_ACCEL-} in
	kvm | tcg) echo "$VERBS4J_QEMU_ACCEL"; return ;;
	'') ;;
	*) usage_error "VERBS4J_QEMU_ACCEL is kvm or tcg, not '$VERBS4J_QEMU_ACCEL'" ;;
	esac
	if [ -r /dev/kvm ] && [ -w /dev/kvm ]; then
		known=$CACHE_DIR/qemu-accelerator
		boot=$(cat /proc/sys/kernel/random/boot_id)
		if [ "$(head -n 1 "$known" 2>/dev/null)" = "$boot" ]; then
			answer=$(tail -n 1 "$known")
		else
			! qemu_kvm_starts || answer=kvm
			printf '%s\n' "$boot" "$answer" >"$known.$$" && mv "$known.$$" "$known"
		fi
	fi
	echo "$answer"
}

qemu_kvm_starts() {
	local machine
	qemu_machine kvm "$QEMU_INITRD" verbs4j_probe=1
	timeout -s KILL 2 "${machine[@]}" -m 256 -device isa-debug-exit,iobase=0xf4,iosize=4 \
		>/dev/null 2>&1 </dev/null
	# (0x10 << 1) | 1: what guest/qemu-init.c writes to the port.
	[ $? -eq 33 ]
}
