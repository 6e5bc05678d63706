package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * What to change of a region, for {@link MemoryRegion#reregister} and so {@code ibv_rereg_mr(3)}:
 * what is not set stays as it is. Belongs to one thread at a time; may be used again.
 */
public final class Reregistration {
    private @Nullable ProtectionDomain domain;
    private @Nullable MemorySegment segment;
    private Access @Nullable [] access;

    /** Nothing to change yet. */
    public Reregistration() {}

    /**
     * Sets other memory. When the region had allocated its own, that is freed then.
     *
     * @param newMemory native memory that outlives the region, at least 1 byte
     * @throws IllegalArgumentException when it is on the heap or empty
     */
    public Reregistration memory(MemorySegment newMemory) {
        Registration.requireRegistrable(newMemory);
        segment = newMemory;
        return this;
    }

    /** Sets another protection domain, of the same context. */
    public Reregistration protectionDomain(ProtectionDomain newDomain) {
        domain = newDomain;
        return this;
    }

    /**
     * Sets what may be done with the memory.
     *
     * @param newAccess all of it, not what is added
     */
    public Reregistration access(Access... newAccess) {
        access = newAccess.clone();
        return this;
    }

    void apply(MemoryRegion region) {
        ProtectionDomain to = domain;
        if (flags() == 0) {
            throw new IllegalArgumentException("nothing is to change: set one of the three");
        }
        if (to != null && to.context() != region.protectionDomain().context()) {
            throw new IllegalArgumentException(
                    to + " is of another context than " + region + ": both must be of one");
        }
        if (segment != null) {
            Registration.requireRegistrable(segment, access == null ? new Access[0] : access);
        }
        // The domains cannot close meanwhile, nor can the region.
        List<Lifecycle> held = new ArrayList<>();
        held.add(region.protectionDomain().life());
        if (to != null) {
            held.add(to.life());
        }
        Lifecycle.make(
                () -> region.life().whileOpen(() -> call(region)), held.toArray(Lifecycle[]::new));
    }

    private int flags() {
        return (segment == null ? 0 : Verbs.IBV_REREG_MR_CHANGE_TRANSLATION())
                | (domain == null ? 0 : Verbs.IBV_REREG_MR_CHANGE_PD())
                | (access == null ? 0 : Verbs.IBV_REREG_MR_CHANGE_ACCESS());
    }

    private boolean call(MemoryRegion region) {
        int result =
                Verbs.ibv_rereg_mr(
                        region.handle(),
                        flags(),
                        domain == null ? MemorySegment.NULL : domain.handle(),
                        // As an address: the arena may be another thread's.
                        MemorySegment.ofAddress(segment == null ? 0 : segment.address()),
                        segment == null ? 0 : segment.byteSize(),
                        access == null ? 0 : Access.mask(access));
        concluded(region, result, NativeLibraries.errno());
        return true;
    }

    /** Brings the region into the state that the result stands for, and throws unless it is 0. */
    void concluded(MemoryRegion region, int result, int errno) {
        if (result == 0) {
            region.changed(domain, segment);
            return;
        }
        VerbsException failure =
                UnsupportedVerbs.failure(
                        "ibv_rereg_mr", errno, region.protectionDomain().context(), "" + region);
        if (failure instanceof UnsupportedVerbException) {
            throw failure;
        }
        ReregistrationException.Outcome outcome = ReregistrationException.Outcome.of(result);
        switch (outcome.state()) {
            case UNCHANGED -> {}
            case CHANGED -> region.changed(domain, segment);
            case UNUSABLE -> region.spoiled(outcome.explanation());
        }
        throw new ReregistrationException(errno, result, region + ": " + outcome.explanation());
    }
}
