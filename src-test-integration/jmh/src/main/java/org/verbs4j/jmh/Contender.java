package org.verbs4j.jmh;

/** Who does the operation. Order is the order of the report. */
public enum Contender {
    C("C", "a loop in C, -O3, over the inline functions of verbs.h"),
    API("verbs4j", "the public API with its checks, critical calls"),
    API_PLAIN("verbs4j, plain post", "the public API where the provider's post enters the kernel"),
    BINDINGS("bindings", "org.verbs4j.bindings without checks, critical calls"),
    BINDINGS_PLAIN(
            "bindings, plain post", "org.verbs4j.bindings, post as a plain call, poll critical"),
    JNI("JNI", "addresses as long, in the manner of DiSNI"),
    GENERATED(
            "jextract style",
            "segments and generated accessors as they come, one slice for each struct"),
    SOCKETS("sockets", "Java NIO over the same network device");

    private final String title;
    private final String meaning;

    Contender(String title, String meaning) {
        this.title = title;
        this.meaning = meaning;
    }

    String title() {
        return title;
    }

    String meaning() {
        return meaning;
    }
}
