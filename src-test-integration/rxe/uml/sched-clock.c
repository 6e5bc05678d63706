
/*
 * verbs4j, appended to arch/um/kernel/time.c: a tick-based sched_clock() makes
 * sched_yield() useless on a one-CPU kernel, for the fair scheduler sees no time
 * pass until the next tick (10 ms). Two polling threads then need 20 ms for a
 * round trip; with the host's clock it is 0.2 ms.
 */
#include <linux/sched/clock.h>

unsigned long long notrace sched_clock(void)
{
	static unsigned long long base;
	unsigned long long now = os_nsecs();

	if (!base)
		base = now;
	return now - base;
}
