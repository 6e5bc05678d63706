package org.verbs4j.bindings;

/** The architectures whose layouts are compared, all of them LP64 Linux with glibc. */
enum Architecture {
    X86_64("x86-64", "amd64", "x86_64-linux-gnu", "gcc-x86-64-linux-gnu libc6-dev-amd64-cross"),
    AARCH64(
            "aarch64",
            "aarch64",
            "aarch64-linux-gnu",
            "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"),
    RISCV64(
            "riscv64",
            "riscv64",
            "riscv64-linux-gnu",
            "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross"),
    PPC64LE(
            "ppc64le",
            "ppc64le",
            "powerpc64le-linux-gnu",
            "gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross"),
    S390X("s390x", "s390x", "s390x-linux-gnu", "gcc-s390x-linux-gnu libc6-dev-s390x-cross");

    private final String label;
    private final String osArch;
    private final String triplet;
    private final String crossPackages;

    Architecture(String label, String osArch, String triplet, String crossPackages) {
        this.label = label;
        this.osArch = osArch;
        this.triplet = triplet;
        this.crossPackages = crossPackages;
    }

    /** What {@code os.arch} is in a JVM of this architecture. */
    String osArch() {
        return osArch;
    }

    boolean isHost() {
        return System.getProperty("os.arch").equals(osArch);
    }

    String compiler() {
        return isHost() ? "gcc" : triplet + "-gcc";
    }

    /** The Debian and Ubuntu packages that make {@link #compiler()} compile. */
    String packages() {
        return isHost() ? "gcc libc6-dev" : crossPackages;
    }

    @Override
    public String toString() {
        return label;
    }
}
