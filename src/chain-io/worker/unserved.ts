import type { Log } from '../../engine/ports.ts';
import type { Reader } from '../../store/types.ts';

const EVERY_MS = 60_000;

type Parts = { read: Pick<Reader, 'sendAccounts'>; served: readonly string[]; log: Log };

/** Warns of sends that wait on networks without an RPC URL here. It warns only if no other process has taken their accounts for a while. */
export function unservedNetworks({ read: { sendAccounts }, served, log }: Parts) {
  let from = 0;
  return async (now: number): Promise<void> => {
    if (now < from) return;
    from = now + EVERY_MS;
    for (const caip2 of await sendAccounts.networks()) {
      if (served.includes(caip2)) continue;
      const due = await sendAccounts.nextDue([caip2]);
      if (due !== undefined && due <= now - EVERY_MS)
        log.warn({ caip2 }, 'sends wait for a network that no longer has an RPC URL: set it again');
    }
  };
}
