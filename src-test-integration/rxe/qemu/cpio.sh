# Writes the "newc" archives that a kernel unpacks as its first root file system. With this much
# shell, no cpio package is needed. Sourced by engines/qemu.sh.
# shellcheck shell=bash

# qemu_cpio NAME=FILE...: NAME/ makes a directory. The kernel unpacks archives that follow one
# another in one file.
qemu_cpio() {
	local item
	for item in "$@"; do
		case $item in
		*/) qemu_cpio_entry "${item%/}" 040755 ;;
		*) qemu_cpio_entry "${item%%=*}" 0100755 "${item#*=}" ;;
		esac
	done
	qemu_cpio_entry 'TRAILER!!!' 0
}

# qemu_cpio_entry NAME MODE [FILE]
#
#   070701 inode mode uid gid links mtime size major minor rmajor rminor name-size 0
#   NAME NUL, padded to four bytes; contents of FILE, padded to four bytes
#
# The numbers are eight hexadecimal digits each.
qemu_cpio_entry() {
	local name=$1 mode=$2 file=${3-} size=0
	[ -z "$file" ] || size=$(stat -c %s "$file")
	printf 070701
	printf %08x 0 "$((mode))" 0 0 1 0 "$size" 0 0 0 0 "$((${#name} + 1))" 0
	printf '%s\0' "$name"
	qemu_cpio_pad "$((110 + ${#name} + 1))"
	[ -z "$file" ] || cat "$file"
	qemu_cpio_pad "$size"
}

qemu_cpio_pad() {
	head -c "$(((4 - $1 % 4) % 4))" /dev/zero
}
