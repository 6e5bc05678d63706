package org.verbs4j.examples.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.examples.ToolFailure;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.CRC32C;

class NoteTest {
    private static ByteBuffer encoded(Note note) {
        ByteBuffer bytes = ByteBuffer.allocate(Note.MAX_LENGTH);
        note.encode(bytes);
        return bytes.flip();
    }

    @Test
    void everyNoteTravels() {
        for (Note.Kind kind : Note.Kind.values()) {
            Note note = new Note(kind, -5, new RemoteBuffer(1, 2, 3), "grün");
            assertThat(Note.decode(encoded(note))).isEqualTo(note);
        }
    }

    @Test
    void aReasonThatIsTooLongIsCut() {
        Note note = new Note(Note.Kind.FAILED, 0, "x".repeat(5000));
        assertThat(Note.decode(encoded(note)).text()).isEqualTo("x".repeat(512));
    }

    @Test
    void halfANoteAndGarbageAreNotTaken() {
        ByteBuffer whole = encoded(new Note(Note.Kind.FILE, 1, "name"));
        for (int length = 0; length < whole.limit(); length++) {
            ByteBuffer half = whole.duplicate().limit(length);
            assertThatThrownBy(() -> Note.decode(half))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] garbage = new byte[random.nextInt(100)];
            random.nextBytes(garbage);
            assertThatThrownBy(() -> Note.decode(ByteBuffer.wrap(garbage)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "/etc/passwd", "../up", "a/b", "a\0b"})
    void aStrangerDoesNotChooseTheDirectory(String name, @TempDir Path directory) {
        assertThatThrownBy(() -> Target.open(directory, name, 1, true))
                .isInstanceOf(ToolFailure.class)
                .hasMessageContaining("is no name of a file");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aTargetHasItsNameOnlyWhenItIsKept(@TempDir Path directory) throws IOException {
        try (Target target = Target.open(directory, "file", 10, false)) {
            target.channel().write(ByteBuffer.wrap("text".getBytes(StandardCharsets.UTF_8)));
            assertThat(directory.resolve("file")).doesNotExist();
        }
        assertThat(directory).isEmptyDirectory();
        try (Target target = Target.open(directory, "file", 10, false)) {
            target.channel().write(ByteBuffer.wrap("text".getBytes(StandardCharsets.UTF_8)));
            target.keep();
        }
        assertThat(directory.resolve("file")).hasContent("text");
        try (var files = Files.list(directory)) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void whoComesFirstKeepsTheName(@TempDir Path directory) throws IOException {
        try (Target target = Target.open(directory, "file", 10, false)) {
            Files.writeString(directory.resolve("file"), "somebody was faster");
            assertThatThrownBy(target::keep)
                    .isInstanceOf(ToolFailure.class)
                    .hasMessageContaining("exists already");
        }
        assertThat(directory.resolve("file")).hasContent("somebody was faster");
    }

    @Test
    void theSumOfPiecesIsThatOfTheWhole() {
        byte[] bytes = new byte[200_001];
        new Random(1).nextBytes(bytes);
        CRC32C whole = new CRC32C();
        whole.update(bytes);
        Sum sum = new Sum();
        MemorySegment memory = MemorySegment.ofArray(bytes);
        sum.add(memory.asSlice(0, 1));
        sum.add(memory.asSlice(1, 70_000));
        sum.add(memory.asSlice(70_001, 0));
        sum.add(memory.asSlice(70_001, 130_000));
        assertThat(sum.value()).isEqualTo(whole.getValue());
    }
}
