package org.verbs4j;
import java.util.List;
import java.util.Optional;
public final class Port {
    Port() { }
    public native int number();
    public native PortAttributes attributes();
    public native List<GidEntry> gidTable();
    public native GidEntry gid(int index);
    public native int partitionKey(int index);
    /** RoCEv2 with an IPv4-mapped address first, then the first usable entry; empty on plain InfiniBand. */
    public native Optional<GidEntry> routableGid();
}
