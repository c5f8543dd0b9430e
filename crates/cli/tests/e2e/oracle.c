/*
 * Stands in for Oracle's program in tests: functions with the names of Oracle's, called as lines on
 * standard input say. Each line is answered when it is done, so that no test has to wait by guess.
 *
 *   wait EVENT MICROSECONDS TIMES CALL     waits of that length, each with a system call in it:
 *                                          pread64, pwrite64 or none; those of event 9 are not in the
 *                                          session, and the others have the parameters 4, 1000 and up, 1
 *   get consistent|current OBJECT TABLESPACE TIMES    logical reads
 *   call CALL TIMES                        system calls outside of any wait
 *   time WHAT TIMES                        answers how many nanoseconds of the processor each takes:
 *                                          wait, measured (by Oracle's clock), get, pread64, ...
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
/* Begins as functions of Oracle do that can be patched: with an instruction of two bytes. */
#define FUNCTION(name)                                                                        \
	__asm__(".text\n.globl " #name "\n.type " #name ",@function\n" #name ":\n"            \
		".byte 0x66, 0x90\n push %rbp\n mov %rsp, %rbp\n pop %rbp\n ret\n"            \
		".size " #name ", .-" #name "\n")
FUNCTION(kskthbwt);
FUNCTION(kskthewt);
FUNCTION(kews_update_wait_time);
FUNCTION(kcbgtcr);
FUNCTION(kcbgcur);
#else
#error "Oracle's functions are known on x86-64 only"
#endif

struct block {
	int32_t tablespace, address, object;
};

void kskthbwt(uint64_t session, uint64_t microseconds, uint64_t event);
void kskthewt(uint64_t microseconds, uint64_t event);
void kews_update_wait_time(uint64_t session, uint64_t waited);
void kcbgtcr(struct block *wanted);
void kcbgcur(struct block *wanted);

/* What stands in the upper half of a register is not part of a number of 32 bits. */
#define DIRT (0xdeadbeefULL << 32)

static int file;
static char buffer[4096];

/* A session as X$KSUSE of 12.1.0.2 has it; its process has a register that points behind it. */
static unsigned char session[8192];
#define SESSION_BEHIND 3928

static void put(unsigned at, uint64_t value, unsigned bytes)
{
	memcpy(session + at, &value, bytes);
}

static void put_wait(unsigned event, uint64_t block)
{
	put(1704, 77, 2);
	put(1602, event, 2);
	put(1608, 4, 8);
	put(1616, block, 8);
	put(1624, 1, 8);
}

#if defined(__x86_64__)
/* Calls the end of a wait with the session in r13; what the caller keeps below its stack is left alone. */
static void end_wait(uint64_t microseconds, uint64_t event)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n push %%r13\n push %%r13\n mov %2, %%r13\n"
			 "call kskthewt\n pop %%r13\n pop %%r13\n lea 128(%%rsp), %%rsp"
			 :
			 : "D"(microseconds), "S"(event), "a"(session + SESSION_BEHIND)
			 : "memory", "cc", "rcx", "rdx", "r8", "r9", "r10", "r11");
}
#endif

static void call(const char *name)
{
	if (strcmp(name, "pread64") == 0)
		(void)!pread(file, buffer, sizeof buffer, 0);
	else if (strcmp(name, "pwrite64") == 0)
		(void)!pwrite(file, buffer, sizeof buffer, 0);
}

static void wait_once(unsigned event, unsigned microseconds, const char *name)
{
	static uint64_t block = 1000;

	if (event != 9)
		put_wait(event, block++);
	kskthbwt(0, 0, DIRT | event);
	call(name);
	if (microseconds > 0)
		usleep(microseconds);
	/* Zero comes where there was no wait, too. */
	kews_update_wait_time(0, DIRT);
	kews_update_wait_time(0, DIRT | microseconds);
	end_wait(0, DIRT | event);
}

/* Of processor time: probes are paid for by whoever meets them, and other programs do not count. */
static double nanoseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static double each(const char *name, unsigned times)
{
	struct block block = { 7, 1, 77 };
	double began = nanoseconds();
	for (unsigned i = 0; i < times; i++) {
		if (strcmp(name, "wait") == 0) {
			kskthbwt(0, 0, 1);
			kskthewt(0, 1);
		} else if (strcmp(name, "measured") == 0) {
			kews_update_wait_time(0, 1);
			kskthewt(0, 1);
		} else if (strcmp(name, "get") == 0) {
			kcbgtcr(&block);
		} else {
			call(name);
		}
	}
	return (nanoseconds() - began) / times;
}

int main(int count, char **arguments)
{
	char line[256], word[64];
	unsigned one, two, times;

	file = count > 1 ? open(arguments[1], O_RDWR | O_CREAT, 0600) : -1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof line, stdin)) {
		if (sscanf(line, "wait %u %u %u %63s", &one, &two, &times, word) == 4) {
			for (unsigned i = 0; i < times; i++)
				wait_once(one, two, word);
		} else if (sscanf(line, "get %63s %u %u %u", word, &one, &two, &times) == 4) {
			struct block block = { two, 1, one };
			for (unsigned i = 0; i < times; i++)
				strcmp(word, "current") ? kcbgtcr(&block) : kcbgcur(&block);
		} else if (sscanf(line, "call %63s %u", word, &times) == 2) {
			for (unsigned i = 0; i < times; i++)
				call(word);
		} else if (sscanf(line, "time %63s %u", word, &times) == 2) {
			printf("%.1f\n", each(word, times));
			continue;
		} else {
			printf("not understood: %s", line);
			continue;
		}
		printf("done\n");
	}
	return 0;
}
