/**
 * The most requests under way: in all, of one payer, to one host, and of one payer to one host. `proxies`: for all auth proxies
 * together. Requests without a stamp so leave places to those with one, however many applications they ask for.
 */
export type Shares = { all: number; payer: number; host: number; payerAtHost: number; proxies: number };

const isProxy = (payer: string): boolean => payer.startsWith('proxy ');

/** Takes a place, or returns undefined if there is none: there is no queue. The result gives it back. */
export type Places = (payer: string, host: string) => (() => void) | undefined;

export function placesOf(most: Shares): Places {
  const taken = new Map<string, number>();
  const count = (key: string, more: number) => {
    const now = (taken.get(key) ?? 0) + more;
    if (now === 0) taken.delete(key);
    else taken.set(key, now);
  };
  return (payer, host) => {
    const wanted = [
      ['all', most.all],
      ...(isProxy(payer) ? ([['proxies', most.proxies]] as const) : []),
      [`payer ${payer}`, most.payer],
      [`host ${host}`, most.host],
      [`payer ${payer} at ${host}`, most.payerAtHost],
    ] as const;
    if (wanted.some(([key, limit]) => (taken.get(key) ?? 0) >= limit)) return undefined;
    for (const [key] of wanted) count(key, 1);
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      for (const [key] of wanted) count(key, -1);
    };
  };
}
