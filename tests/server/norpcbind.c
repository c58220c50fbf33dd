/* norpcbind.so — loaded in front of nfs-ganesha: it gives up when no portmapper takes its registration,
 * and a test wants to have no portmapper. */
#include <stdbool.h>

struct svc_transport;
struct netconfig;

bool svc_reg(struct svc_transport *transport, unsigned long program, unsigned long version,
             void (*dispatch)(void), const struct netconfig *config);
bool rpcb_unset(unsigned long program, unsigned long version, const struct netconfig *config);

bool svc_reg(struct svc_transport *transport, unsigned long program, unsigned long version,
             void (*dispatch)(void), const struct netconfig *config)
{
    (void)transport;
    (void)program;
    (void)version;
    (void)dispatch;
    (void)config;
    return true;
}

bool rpcb_unset(unsigned long program, unsigned long version, const struct netconfig *config)
{
    (void)program;
    (void)version;
    (void)config;
    return true;
}
