/* The least that an HTTP server can do: whatever comes, the same bytes go back. `loop PORT FILE` answers on the loopback
 * interface with what FILE holds, from one epoll loop, without looking at the request; a client asks one thing at a time.
 * What it costs is the system's part of every answer. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 1 << 20, EVENTS = 1024 };

static char answer[MOST], request[1 << 16];

static void watch(int loop, int socket, int events) {
  struct epoll_event event = {.events = events, .data.fd = socket};
  if (epoll_ctl(loop, EPOLL_CTL_ADD, socket, &event)) err(1, "epoll_ctl");
}

int main(int count, char **words) {
  if (count != 3) errx(2, "usage: loop PORT FILE");
  FILE *file = fopen(words[2], "rb");
  if (!file) err(1, "%s", words[2]);
  ssize_t length = fread(answer, 1, MOST, file);
  if (length == MOST) errx(1, "%s has too many bytes", words[2]);

  int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), loop = epoll_create1(0);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(atoi(words[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) err(1, "port %s", words[1]);
  watch(loop, listener, EPOLLIN);

  struct epoll_event events[EVENTS];
  for (;;) {
    int ready = epoll_wait(loop, events, EVENTS, -1);
    for (int at = 0; at < ready; at++) {
      int from = events[at].data.fd, client;
      if (from == listener) {
        while ((client = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
          setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
          watch(loop, client, EPOLLIN | EPOLLET);
        }
      } else if (read(from, request, sizeof request) <= 0) {
        close(from);
      } else {
        ssize_t sent = send(from, answer, length, MSG_NOSIGNAL);
        // Who is gone reads nothing; whoever else gets a part only would wait for the rest.
        if (sent < 0 ? errno != EPIPE && errno != ECONNRESET : sent != length) errx(1, "the system took a part only");
      }
    }
  }
}
