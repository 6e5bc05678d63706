package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.Gid;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** The record of perftest 4.5, byte by byte. */
class PerfKeysTest {
    private static final PerfKeys KEYS =
            new PerfKeys(
                    3,
                    128,
                    0x11,
                    0xba5755,
                    0x90000385,
                    0x552a_af00_1000L,
                    new Gid(0, 0xffff_0a4d_0001L));
    private static final String TEXT =
            "0003:0080:000011:ba5755:90000385:0000552aaf001000:"
                    + "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:01:00000000:";

    private static byte[] padded(String text, int length) {
        return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), length);
    }

    @Test
    void withAGidItIs108Bytes() {
        assertThat(KEYS.encode(true)).isEqualTo(padded(TEXT, 108));
        assertThat(PerfKeys.decode(padded(TEXT, 108))).isEqualTo(KEYS);
    }

    @Test
    void withoutItIs59Bytes() {
        PerfKeys keys = new PerfKeys(7, 1, 2, 3, 4, 5, Gid.zero());
        String text = "0007:0001:000002:000003:00000004:0000000000000005:00000000";

        assertThat(keys.encode(false)).isEqualTo(padded(text, 59));
        assertThat(PerfKeys.decode(padded(text, 59))).isEqualTo(keys);
    }

    /** C sends whatever was on its stack behind the text. */
    @Test
    void whatFollowsTheTextIsOfNoAccount() {
        byte[] bytes = padded(TEXT, 108);
        Arrays.fill(bytes, TEXT.length() + 1, 108, (byte) 0xee);

        assertThat(PerfKeys.decode(bytes)).isEqualTo(KEYS);
    }

    @Test
    void overRdmaItIsAStructOf56Bytes() {
        byte[] bytes =
                HexFormat.of()
                        .parseHex(
                                "00000003"
                                        + "00000080"
                                        + "00000011"
                                        + "00ba5755"
                                        + "90000385"
                                        + "00000000"
                                        + "0000552aaf001000"
                                        + "00000000000000000000ffff0a4d0001"
                                        + "00000000"
                                        + "00000000");

        assertThat(KEYS.encodeBinary()).isEqualTo(bytes);
        assertThat(PerfKeys.decodeBinary(bytes)).isEqualTo(KEYS);
        assertThatThrownBy(() -> PerfKeys.decodeBinary(new byte[20]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 400 Bad Request",
                "0003:0080:000011:ba5755:90000385:0000552aaf001000:00000000",
                "zzzz:0080:000011:ba5755:90000385:0000552aaf001000:"
                        + "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:01:00000000:",
            })
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> PerfKeys.decode(padded(text, 108)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("not the keys of perftest: ");
    }

    @Test
    void printsTheLinesOfTheCTool() {
        assertThat(KEYS.text("local", PerfVerb.READ, true))
                .isEqualTo(
                        " local address: LID 0x03 QPN 0x0011 PSN 0xba5755 OUT 0x80 RKey 0x90000385"
                                + " VAddr 0x00552aaf001000\n"
                                + " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:77:00:01");
        assertThat(PerfKeys.NONE.text("remote", PerfVerb.SEND, false))
                .isEqualTo(" remote address: LID 0000 QPN 000000 PSN 000000");
    }
}
