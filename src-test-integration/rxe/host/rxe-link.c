/* rxe-link up|down: on the host the same two linked rxe devices that a guest has. */
#include "../guest/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void guest_die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("verbs: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	exit(1);
}

int guest_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int result = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return result;
}

int main(int argc, char **argv)
{
	struct job job = {.host = 1, .hosts = 1};

	if (argc == 2 && strcmp(argv[1], "up") == 0)
		guest_network(&job);
	else if (argc == 2 && strcmp(argv[1], "down") == 0)
		link_delete("ve0"); /* its peer and both rxe devices go with it */
	else
		return 2;
	return 0;
}
