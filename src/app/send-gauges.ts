import type { Clock } from '../base/clock.ts';
import type { ChainNodes } from '../chain-io/nodes/chain-nodes.ts';
import { recentAnswer } from '../chain-io/nodes/recent-answer.ts';
import type { Config } from '../config.ts';
import type { PaymasterVault } from '../custody/types.ts';
import type { SendFamilies } from '../http/metrics/sends.ts';
import { COIN_DECIMALS } from '../model/gas.ts';
import type { Reader, Store } from '../store/types.ts';

/** The least time between two looks, however often the page is requested. */
const OPEN_EVERY_MS = 5_000;
const BALANCES_EVERY_MS = 60_000;

const OPEN_STATES = ['queued', 'signed', 'sent', 'included'] as const;

type Parts = {
  read: Reader;
  nodes: ChainNodes;
  paymaster: Pick<PaymasterVault, 'address'>;
  /** Whether the paymaster can pay anything on a network. */
  sponsors(caip2: string): boolean;
  gauges: Pick<SendFamilies, 'open' | 'oldest' | 'paymaster'>;
  clock: Clock;
  elapsed: Clock;
};

async function lookAtSends({ read, nodes, gauges, clock }: Parts): Promise<void> {
  try {
    const networks = new Set([...nodes.networks, ...(await read.sendAccounts.networks())]);
    for (const network of networks)
      for (const state of OPEN_STATES) {
        const { count, oldest } = await read.sendsOfAccount.notOver(network, state);
        gauges.open.set({ network, state }, count);
        gauges.oldest.set({ network, state }, oldest === null ? 0 : Math.max(clock.now() - oldest, 0) / 1000);
      }
  } catch {
    // Old values would hide that the database does not answer.
    gauges.open.reset();
    gauges.oldest.reset();
  }
}

async function lookAtBalances({ nodes, paymaster, sponsors, gauges }: Parts): Promise<void> {
  await Promise.all(
    nodes.networks.filter(sponsors).map(async (caip2) => {
      const node = nodes.chainNode(caip2)!;
      const account = paymaster.address(node.kind);
      const balance = node.kind === 'eip155' ? node.balance(account as `0x${string}`) : node.balance(account);
      const coins = await balance.then(
        (units) => Number(units) / 10 ** COIN_DECIMALS[node.kind],
        () => Number.NaN,
      );
      gauges.paymaster.set({ network: caip2 }, coins);
    }),
  );
}

type Opened = Omit<Parts, 'read' | 'sponsors'> & { config: Config; store: Pick<Store, 'read'> };

/** Looks up the gauges of sends. The page does not wait for the balances, which come from nodes. */
export function openGauges({ config, store, ...more }: Opened): () => Promise<void> {
  const { fixed, url } = config.gas.prices;
  const parts: Parts = { ...more, read: store.read, sponsors: (caip2) => url !== undefined || fixed.has(caip2) };
  const sends = recentAnswer(parts.elapsed, OPEN_EVERY_MS, () => lookAtSends(parts));
  const balances = recentAnswer(parts.elapsed, BALANCES_EVERY_MS, () => lookAtBalances(parts));
  return async () => {
    void balances();
    await sends();
  };
}
