package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_qp_attr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.util.Arrays;

class QueuePairAttributesTest {
    @Test
    void theTextHasWhatIsSetAndNothingElse() {
        assertThat(new QueuePairAttributes()).hasToString("queue pair attributes []");
        assertThat(
                        new QueuePairAttributes()
                                .queueKey(0x8000_0011)
                                .state(QueuePairState.INIT)
                                .remoteAccess(Access.REMOTE_READ, Access.REMOTE_WRITE)
                                .rateLimit(-1)
                                .timeout(14))
                .hasToString(
                        "queue pair attributes [state=INIT, remoteAccess=[REMOTE_WRITE,"
                                + " REMOTE_READ], queueKey=0x80000011, timeout=14,"
                                + " rateLimit=4294967295]");
    }

    @Test
    void everySetterHasItsPlaceInTheText() {
        QueuePairAttributes all;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            all = QueuePairAttributes.decode(attr, -1); // every bit that the class knows
        }
        all.rateLimit(7);

        assertThat(
                        Arrays.stream(QueuePairAttributes.class.getMethods())
                                .filter(method -> method.getParameterCount() == 1)
                                .filter(
                                        method ->
                                                method.getReturnType() == QueuePairAttributes.class)
                                .map(Method::getName))
                .hasSize(Integer.bitCount(all.mask()))
                .allSatisfy(
                        name -> assertThat(all.toString()).containsPattern("[ \\[]" + name + "="));
        assertThat(all.mask() & Verbs.IBV_QP_CAP()).as("not an attribute of its own").isZero();
    }
}
