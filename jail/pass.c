#include "jail/pass.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "common/banned.h"

union ancillary {
	struct cmsghdr	head;
	char		room[CMSG_SPACE(sizeof(int) * PASS_MAX)];
};

int
pass_send(int sock, const void *packet, size_t len, const int *fds, size_t n)
{
	union ancillary c = { .head = { .cmsg_level = SOL_SOCKET,
	    .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int) * n) } };
	struct iovec io = { (void *)(uintptr_t)packet, len };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1 };

	if (n > 0) {
		memcpy(CMSG_DATA(&c.head), fds, sizeof(int) * n);
		m.msg_control = &c;
		m.msg_controllen = CMSG_SPACE(sizeof(int) * n);
	}
	return sendmsg(sock, &m, MSG_NOSIGNAL) == (ssize_t)len ? 0 : -1;
}

ssize_t
pass_receive(int sock, void *packet, size_t len,
    int ret_fds[static PASS_MAX], size_t *ret_n)
{
	union ancillary c;
	struct iovec io = { packet, len };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1,
	    .msg_control = &c, .msg_controllen = sizeof c };
	struct cmsghdr *h;
	ssize_t n;

	do
		n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
	while (n == -1 && errno == EINTR);
	*ret_n = 0;
	if (n <= 0)
		return 0;
	h = CMSG_FIRSTHDR(&m);
	if (h != NULL && h->cmsg_type == SCM_RIGHTS) {
		*ret_n = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(ret_fds, CMSG_DATA(h), *ret_n * sizeof(int));
	}
	return n;
}
