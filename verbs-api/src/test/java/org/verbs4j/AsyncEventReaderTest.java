package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.verbs4j.AsyncEvent.PortEvent;
import org.verbs4j.AsyncEvent.QueuePairEvent;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_async_event;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;

/** What each {@code struct ibv_async_event} becomes. */
class AsyncEventReaderTest {
    private final FakeDevice device = new FakeDevice();
    private final MemorySegment event = Arena.ofAuto().allocate(ibv_async_event.layout());

    private AsyncEvent read(int code) {
        ibv_async_event.event_type(event, code);
        return AsyncEventReader.read(
                event,
                address ->
                        address == device.pair.handle().address()
                                ? device.pair
                                : address == device.queue.handle().address() ? device.queue : null);
    }

    @Test
    void eventsOfQueuePairsCarryThem() {
        ibv_async_event.element.qp(ibv_async_event.element(event), device.pair.handle());
        assertThat(read(Verbs.IBV_EVENT_QP_ACCESS_ERR()))
                .isEqualTo(
                        new QueuePairEvent(
                                Verbs.IBV_EVENT_QP_ACCESS_ERR(),
                                QueuePairEvent.Kind.ACCESS_ERROR,
                                device.pair));
        assertThat(read(Verbs.IBV_EVENT_QP_LAST_WQE_REACHED()))
                .extracting("kind")
                .isEqualTo(QueuePairEvent.Kind.LAST_REQUEST_REACHED);
    }

    @Test
    void anObjectOfSomebodyElseIsNull() {
        ibv_async_event.element.qp(ibv_async_event.element(event), MemorySegment.ofAddress(0x1000));
        assertThat(read(Verbs.IBV_EVENT_SQ_DRAINED()))
                .isInstanceOf(QueuePairEvent.class)
                .extracting("queuePair")
                .isNull();
        // An address of another type is not the object either.
        ibv_async_event.element.qp(ibv_async_event.element(event), device.queue.handle());
        assertThat(read(Verbs.IBV_EVENT_SQ_DRAINED())).extracting("queuePair").isNull();
    }

    @Test
    void completionQueuesWorkQueuesPortsAndDevices() {
        MemorySegment element = ibv_async_event.element(event);
        ibv_async_event.element.cq(element, device.queue.handle());
        assertThat(read(Verbs.IBV_EVENT_CQ_ERR()))
                .isEqualTo(
                        new AsyncEvent.CompletionQueueError(
                                Verbs.IBV_EVENT_CQ_ERR(), device.queue));
        ibv_async_event.element.srq(element, MemorySegment.ofAddress(0x3000));
        assertThat(read(Verbs.IBV_EVENT_SRQ_LIMIT_REACHED()))
                .isEqualTo(
                        new AsyncEvent.SharedReceiveQueueEvent(
                                Verbs.IBV_EVENT_SRQ_LIMIT_REACHED(),
                                AsyncEvent.SharedReceiveQueueEvent.Kind.LIMIT_REACHED,
                                null));
        ibv_async_event.element.wq(element, MemorySegment.ofAddress(0x2000));
        assertThat(read(Verbs.IBV_EVENT_WQ_FATAL()))
                .isEqualTo(new AsyncEvent.WorkQueueFatal(Verbs.IBV_EVENT_WQ_FATAL(), null));
        ibv_async_event.element.port_num(element, 2);
        assertThat(read(Verbs.IBV_EVENT_GID_CHANGE()))
                .isEqualTo(
                        new PortEvent(Verbs.IBV_EVENT_GID_CHANGE(), PortEvent.Kind.GID_CHANGE, 2));
        assertThat(read(Verbs.IBV_EVENT_DEVICE_FATAL()))
                .isEqualTo(new AsyncEvent.DeviceFatal(Verbs.IBV_EVENT_DEVICE_FATAL()));
    }

    @Test
    void everyKindOfQueuePairAndPortHasANumber() {
        ibv_async_event.element.qp(ibv_async_event.element(event), device.pair.handle());
        assertThat(IntStream.range(0, 64).mapToObj(this::read))
                .filteredOn(QueuePairEvent.class::isInstance)
                .extracting("kind")
                .containsExactlyInAnyOrder((Object[]) QueuePairEvent.Kind.values());
        assertThat(IntStream.range(0, 64).mapToObj(this::read))
                .filteredOn(PortEvent.class::isInstance)
                .extracting("kind")
                .containsExactlyInAnyOrder((Object[]) PortEvent.Kind.values());
    }

    @Test
    void aNumberThatIsNewerKeepsItself() {
        assertThat(read(4711)).isEqualTo(new AsyncEvent.Unknown(4711));
    }
}
