package org.verbs4j;
public final class Send extends SendRequest {
    Send() { }
    @Override public native Send id(long id);
    @Override public native Send signaled(boolean signaled);
    @Override public native Send fenced(boolean fenced);
    public native Send solicited(boolean solicited);
    public native Send inline(boolean inline);
    public native Send from(MemoryRegion region, long offset, long length);
    public native Send from(MemorySlice... gather);
    public native Send immediate(int value);
    public native Send plain();
}
