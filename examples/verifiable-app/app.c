/*
 * A verifiable app: a small HTTP server in one static file.
 *   GET /health   answers once the quorum key is there.
 *   GET /         proves that the app has the key: it answers the key's SHA-256, never the key.
 */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "sha256.h"

enum { KEY_FD = 3, KEY_BYTES = 4096, REQUEST_BYTES = 4096, PATIENCE_SECONDS = 5 };

/* The app is process 1, to which the kernel delivers only signals that it handles. */
static void end(int signal) {
  (void)signal;
  _exit(0);
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

/* Reads until the end of the pipe, so a key of any length is complete. */
static size_t read_key(uint8_t *key) {
  size_t length = 0;
  for (;;) {
    ssize_t got = read(KEY_FD, key + length, KEY_BYTES - length);
    if (got < 0) fail("the quorum key");
    if (got == 0) break;
    length += (size_t)got;
  }
  close(KEY_FD);
  return length;
}

static void answer(int client, const char *fingerprint) {
  char request[REQUEST_BYTES], response[512], body[128];
  const char *status = "200 OK";
  struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
  setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  ssize_t got = read(client, request, sizeof request - 1);
  if (got <= 0) return;
  request[got] = 0;
  if (strncmp(request, "GET /health ", 12) == 0)
    snprintf(body, sizeof body, "{\"healthy\":true}\n");
  else if (strncmp(request, "GET / ", 6) == 0)
    snprintf(body, sizeof body, "{\"quorumKeySha256\":\"%s\"}\n", fingerprint);
  else {
    status = "404 Not Found";
    snprintf(body, sizeof body, "{\"error\":\"no such path\"}\n");
  }
  int length = snprintf(response, sizeof response,
                        "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s", status,
                        strlen(body), body);
  if (write(client, response, (size_t)length) != length) perror("an answer");
}

int main(int count, char **arguments) {
  static uint8_t key[KEY_BYTES];
  uint8_t digest[32];
  char fingerprint[65];
  int port = count > 1 ? atoi(arguments[1]) : 8080, yes = 1;
  signal(SIGTERM, end);
  signal(SIGPIPE, SIG_IGN);

  sha256(key, read_key(key), digest);
  for (int i = 0; i < 32; i++) sprintf(fingerprint + 2 * i, "%02x", digest[i]);

  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int server = socket(AF_INET, SOCK_STREAM, 0);
  if (server < 0) fail("a socket");
  setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(server, (struct sockaddr *)&address, sizeof address) < 0 || listen(server, 64) < 0) fail("the port");
  printf("listening on port %d\n", port);
  fflush(stdout);
  for (;;) {
    int client = accept(server, NULL, NULL);
    if (client < 0) continue;
    answer(client, fingerprint);
    close(client);
  }
}
