/* An app that does harm, in the way that its first argument names. It tells on stdout what the sandbox answers. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

static void tell(const char *what, long result) {
  printf("%s %d\n", what, result >= 0 ? 0 : errno);
  fflush(stdout);
}

static void fork_without_end(void) {
  pid_t first = getpid();
  for (;;)
    if (fork() < 0 && getpid() == first) {
      tell("fork", -1);
      exit(3);
    }
}

static void fill_tmp(void) {
  static char block[65536];
  int file = open("/tmp/full", O_CREAT | O_WRONLY, 0600);
  while (write(file, block, sizeof block) > 0) {
  }
  tell("write", -1);
}

static void eat_memory(void) {
  for (;;) memset(malloc(1 << 20), 1, 1 << 20);
}

static void list(const char *path) {
  DIR *folder = opendir(path);
  struct dirent *entry;
  printf("%s:", path);
  while (folder != NULL && (entry = readdir(folder)) != NULL)
    if (entry->d_name[0] != '.' && (strcmp(path, "/proc") != 0 || (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')))
      printf(" %s", entry->d_name);
  printf("\n");
  closedir(folder);
}

static void look(int count, char **paths) {
  list("/");
  list("/proc");
  list("/tmp");
  printf("fds:");
  struct stat file;
  for (int fd = 0; fd < 1024; fd++)
    if (fstat(fd, &file) == 0) printf(" %d", fd);
  printf("\nids: %d %d\nenvironment:", getuid(), getgid());
  for (char **one = environ; *one != NULL; one++) printf(" %s", *one);
  printf("\n");
  for (int i = 0; i < count; i++) tell("open", open(paths[i], O_RDONLY));
  tell("write /app", open("/app", O_WRONLY));
  tell("chmod /app", chmod("/app", 0777));
  tell("write /", open("/new", O_CREAT | O_WRONLY, 0600));
  tell("write /proc", open("/proc/sys/kernel/core_pattern", O_WRONLY));
  tell("setuid", setuid(0));
}

static void reach_out(const char *address, int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, address, &to.sin_addr);
  tell(address, connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&to, sizeof to));
}

static void use_network(int port) {
  reach_out("127.0.0.1", port);
  reach_out("10.0.0.1", 80);
  reach_out("8.8.8.8", 53);
  tell("vsock", socket(AF_VSOCK, SOCK_STREAM, 0));
  tell("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
  tell("packet", socket(AF_PACKET, SOCK_RAW, 0));
  tell("raw", socket(AF_INET, SOCK_RAW, 1));
  tell("sctp", socket(AF_INET, SOCK_STREAM, 132));
  tell("tipc pair", socketpair(AF_TIPC, SOCK_STREAM, 0, (int[2]){0, 0}));
}

/* The way out listens a moment after the app's start. */
static void leave_by(int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  char answer[64] = "";
  int way = socket(AF_INET, SOCK_STREAM, 0);
  for (int attempt = 0; connect(way, (struct sockaddr *)&to, sizeof to) < 0 && attempt < 500; attempt++) usleep(20000);
  dprintf(way, "CONNECT 10.0.0.1:443 HTTP/1.1\r\nHost: 10.0.0.1:443\r\n\r\n");
  ssize_t got = read(way, answer, sizeof answer - 1);
  printf("out: %s\n", got > 0 ? answer : "");
  reach_out("8.8.8.8", 53);
}

static void call_kernel(void) {
  tell("ptrace", syscall(SYS_ptrace, 0, 0, 0, 0));
  tell("mount", syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, 0));
  tell("bpf", syscall(SYS_bpf, 0, 0, 0));
  tell("keyctl", syscall(SYS_keyctl, 0, -3, 1));
  tell("io_uring_setup", syscall(SYS_io_uring_setup, 1, 0));
  tell("userfaultfd", syscall(SYS_userfaultfd, 0));
  tell("perf_event_open", syscall(SYS_perf_event_open, 0, 0, -1, -1, 0));
  tell("unshare", unshare(CLONE_NEWUSER));
  tell("clone", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
  tell("clone3", syscall(SYS_clone3, 0, 0));
#ifdef __x86_64__
  /* getpid of the x32 interface. */
  syscall(0x40000000 + SYS_getpid);
#endif
}

int main(int count, char **arguments) {
  const char *harm = count > 1 ? arguments[1] : "";
  if (strcmp(harm, "fork") == 0) fork_without_end();
  if (strcmp(harm, "tmp") == 0) fill_tmp();
  if (strcmp(harm, "memory") == 0) eat_memory();
  if (strcmp(harm, "look") == 0) look(count - 2, arguments + 2);
  if (strcmp(harm, "network") == 0) use_network(atoi(arguments[2]));
  if (strcmp(harm, "egress") == 0) leave_by(atoi(arguments[2]));
  if (strcmp(harm, "kernel") == 0) call_kernel();
  if (strcmp(harm, "flood") == 0)
    for (;;) printf("%0100000d", 1);
  if (strcmp(harm, "deaf") == 0) {
    signal(SIGTERM, SIG_IGN);
    /* Bubblewrap asked the kernel to kill this process with its parent. */
    prctl(PR_SET_PDEATHSIG, 0);
    tell("deaf", fork());
    for (;;) pause();
  }
  return 4;
}
