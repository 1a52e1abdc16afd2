import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';

/** The addresses of a name; none if it has none. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<LookupAddress[]>;

const NONE = new Set(['ENOTFOUND', 'ENODATA']);
const MOST = 16;

/**
 * Asks DNS without a thread. The system's look-up takes one of few threads. A slow name server would hold that thread, which also
 * verifies stamps. Uses neither the hosts file nor search domains, which no public issuer needs.
 */
export const resolveByDns: Resolve = async (name, signal) => {
  signal.throwIfAborted();
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = answers.flatMap((answer, i) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: i === 0 ? 4 : 6 })) : [],
    );
    const failed = answers.find((answer) => answer.status === 'rejected' && !NONE.has(answer.reason.code));
    if (found.length === 0 && failed?.status === 'rejected') throw failed.reason;
    return found.slice(0, MOST);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

/** Resolves names as the system does, including the hosts file: for names that the operator chose. */
export const resolveBySystem: Resolve = (name) => lookup(name, { all: true });
