# The distribution's kernel made ready for QEMU: an uncompressed vmlinux and the few modules that
# a guest loads. Sourced by engines/qemu.sh.
# shellcheck shell=bash

# In loading order, what the root file system needs first. crc32_generic is asked for by name at
# run time, so no dependency of rdma_rxe leads to it.
readonly QEMU_MODULES=(
	virtio_pci virtio_console 9pnet_virtio 9p overlay
	crc32_generic rdma_rxe rdma_ucm ib_umad veth virtio_net sch_netem
)

# Prints where the newest kernel of this recipe is; false if there is none.
qemu_kernel_dir() {
	local dir newest=
	for dir in $(printf '%s\n' "$CACHE_DIR/qemu-linux-"*"-$(qemu_recipe)" | sort -V); do
		[ ! -e "$dir/vmlinux" ] || newest=$dir
	done
	[ -n "$newest" ] && echo "$newest"
}

# What is made of a package depends on this file too.
qemu_recipe() {
	cat "$RXE_DIR"/qemu/{kernel,cpio}.sh | sha256sum | cut -c 1-8
}

# The package with the distribution's current kernel. (Its cloud flavour has no rdma_rxe.)
qemu_kernel_package() {
	LC_ALL=C apt-cache depends linux-image-amd64 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-[0-9][^ ]*-amd64\)$/\1/p' | head -n 1
}

# Downloads the package, which is not installed, and prints the directory made of it.
qemu_get_kernel() {
	local package version dir
	package=$(qemu_kernel_package)
	if [ -z "$package" ] && [ -z "$NO_INSTALL" ] && [ "$(id -u)" -eq 0 ]; then
		apt_get update
		package=$(qemu_kernel_package)
	fi
	if [ -z "$package" ]; then
		warn "apt knows no kernel package linux-image-amd64; as root: apt-get update"
		return "$MISSING"
	fi
	version=$(LC_ALL=C apt-cache policy "$package" | sed -n 's/^ *Candidate: //p')
	dir=$CACHE_DIR/qemu-linux-${version//[^A-Za-z0-9.+~-]/_}-$(qemu_recipe)
	say "getting the kernel of $package into $CACHE_DIR"
	qemu_make_kernel "$package" "$dir" && echo "$dir"
}

# qemu_make_kernel PACKAGE DIR: makes DIR with vmlinux, release and modules.cpio, all or nothing.
qemu_make_kernel() {
	local package=$1 dir=$2 work
	mkdir -p "${dir%/*}" && work=$(mktemp -d "$dir.XXXXXX") || return "$MISSING"
	if ! qemu_fill_kernel "$package" "$work"; then
		rm -rf "$work"
		warn "the kernel of $package could not be made ready for QEMU"
		return "$MISSING"
	fi
	rm -rf "$work/deb" "$work/tree" "$work/modules"
	# Whoever was faster made the same thing.
	mv -T "$work" "$dir" 2>/dev/null || rm -rf "$work"
}

qemu_fill_kernel() {
	local package=$1 work=$2 image tree file entries=()
	mkdir "$work/deb" "$work/tree" "$work/modules" || return
	# apt as root warns that its own user cannot write here: what it says matters only if it fails.
	if ! (cd "$work/deb" && apt-get -qq download "$package") 2>"$work/deb/log"; then
		cat "$work/deb/log" >&2
		return 1
	fi
	dpkg-deb -x "$work/deb/$package"_*.deb "$work/tree" || return
	for image in "$work/tree/boot"/vmlinuz-*; do :; done
	for tree in "$work/tree"/lib/modules/* "$work/tree"/usr/lib/modules/*; do
		[ ! -d "$tree/kernel" ] || break
	done
	qemu_extract_vmlinux "$image" >"$work/vmlinux" || return
	qemu_take_modules "$tree" "$work/modules" || return
	for file in "$work/modules"/*; do
		entries+=("modules/${file##*/}=$file")
	done
	qemu_cpio modules/ "${entries[@]}" >"$work/modules.cpio" || return
	echo "${tree##*/}" >"$work/release"
}

# A bzImage takes five CPU seconds longer to start under emulation than the ELF file compressed
# inside it, which QEMU starts by its PVH note. Where that is, the boot protocol's header says.
qemu_extract_vmlinux() {
	local image=$1 sectors offset length
	sectors=$(qemu_number "$image" 0x1f1 1)
	offset=$(($(qemu_number "$image" 0x248 4) + (sectors + 1) * 512))
	# The last four bytes are the size after unpacking, no part of the compressed stream.
	length=$(($(qemu_number "$image" 0x24c 4) - 4))
	tail -c "+$((offset + 1))" "$image" | head -c "$length" |
		case $(qemu_number "$image" "$offset" 4) in
		"$((0x587a37fd))") xz -dc ;;
		"$((0xfd2fb528))") zstd -dcq ;;
		*) gzip -dc ;;
		esac
}

# qemu_number FILE OFFSET SIZE: the unsigned little-endian number there.
qemu_number() {
	od -An -v --endian=little -t "u$3" -j "$(($2))" -N "$3" "$1" | tr -d ' '
}

# qemu_take_modules TREE OUT: OUT gets each of QEMU_MODULES and, before it, those it depends on,
# named so that alphabetical order is loading order. The package has no modules.dep (its
# installation makes one), but each module names its dependencies itself.
qemu_take_modules() {
	local tree=$1 out=$2 order=100 name file
	declare -A files=() taken=()
	while IFS= read -r file; do
		name=${file##*/}
		name=${name%%.*}
		files[${name//-/_}]=$file
	done < <(find "$tree" -name '*.ko*')
	for name in "${QEMU_MODULES[@]}"; do
		qemu_take_module "$name" || return
	done
}

# Works on the caller's `files`, `taken`, `tree`, `out` and `order`.
qemu_take_module() {
	local name=$1 file dependency
	[ -z "${taken[$name]-}" ] || return 0
	taken[$name]=1
	if [ -z "${files[$name]-}" ]; then
		! grep -q "/${name//_/[-_]}\.ko" "$tree/modules.builtin" || return 0
		warn "the kernel package has no module $name"
		return 1
	fi
	file=$out/$name
	case ${files[$name]} in
	*.xz) xz -dc "${files[$name]}" ;;
	*.zst) zstd -dcq "${files[$name]}" ;;
	*) cat "${files[$name]}" ;;
	esac >"$file" || return
	for dependency in $(tr '\0' '\n' <"$file" | sed -n 's/^depends=//p' | tr ',-' ' _'); do
		qemu_take_module "$dependency" || return
	done
	qemu_cut_signature "$file"
	order=$((order + 1))
	mv "$file" "$out/$order-$name.ko"
}

# Checking signatures takes two thirds of the time that loading modules takes under emulation, and a
# kernel that is not locked down loads unsigned ones too. At a module's end stand the
# signature, 12 bytes, of which the last four are its big-endian length, and the marker.
qemu_cut_signature() {
	local module=$1 size length
	[ "$(tail -c 28 "$module" | tr -d '\0')" = '~Module signature appended~' ] || return 0
	size=$(stat -c %s "$module")
	length=$(od -An -v --endian=big -t u4 -j "$((size - 32))" -N 4 "$module")
	truncate -s "$((size - 40 - length))" "$module"
}
