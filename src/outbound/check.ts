import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { isPublic } from './addresses.ts';
import type { Allowed } from './allowed.ts';
import { type Resolve, resolveByDns, resolveBySystem } from './resolve.ts';
import { OutboundError } from './types.ts';

export type Rules = {
  allowed: Allowed;
  /** Names from requests, and names that the operator allowed. */
  resolve: { brought: Resolve; allowed: Resolve };
};

export const RESOLVE: Rules['resolve'] = { brought: resolveByDns, allowed: resolveBySystem };

/** The operator names hosts in a private network. */
export const ALLOWED = ': the operator of this service can allow it with OUTBOUND_ALLOW';

/** A host as `URL` writes it. `shown`: for messages. */
export type Destination = { hostname: string; port: number | string; shown: string };

/**
 * The addresses of a host. Throws if one is not public and the operator has not allowed the host and port.
 * Connections go to these addresses alone, so a name that changes its meaning later leads nowhere else.
 */
export async function checkedAddresses(
  { hostname, port, shown }: Destination,
  { allowed, resolve }: Rules,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  const isAllowed = allowed.has(`${hostname}:${port}`);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  const find = isAllowed ? resolve.allowed : resolve.brought;
  const addresses = family === 0 ? await find(host, signal) : [{ address: host, family }];
  // One text for both, so that a client cannot learn the names in the service's own network.
  if (addresses.length === 0 || !(isAllowed || addresses.every(({ address }) => isPublic(address))))
    throw new OutboundError(`${shown} has no public address${ALLOWED}`, { mayPass: false });
  return addresses;
}
