import type { Clock } from '../../../base/clock.ts';
import { type CoinPrice, formatUsd, microUsdOf } from '../../../model/gas.ts';
import type { ChainNode } from '../../nodes/chain-nodes.ts';
import type { Log } from '../../nodes/types.ts';

const LOOK_EVERY_MS = 60_000;
const SAY_EVERY_MS = 3_600_000;

type Parts = { lowMicroUsd: number; address(kind: ChainNode['kind']): string; elapsed: Clock; log: Log };

/** Called for each sponsored send. From time to time it looks at the paymaster's balance, beside the send, and warns when it is low. */
export function lowBalance({ lowMicroUsd, address, elapsed, log }: Parts) {
  const looked = new Map<string, { at: number; saidAt: number }>();

  async function look(node: ChainNode, price: CoinPrice, last: { saidAt: number }): Promise<void> {
    const account = address(node.kind);
    const balance = await (node.kind === 'eip155' ? node.balance(account as `0x${string}`) : node.balance(account));
    const microUsd = microUsdOf(balance, price);
    if (microUsd >= lowMicroUsd || elapsed.now() - last.saidAt < SAY_EVERY_MS) return;
    last.saidAt = elapsed.now();
    log.warn(
      { network: node.caip2, paymaster: account, balance: String(balance) },
      `the paymaster has less than ${formatUsd(lowMicroUsd)} USD left (${formatUsd(microUsd)}): sponsored sends fail when it has none left. Send coins to its address`,
    );
  }

  return (node: ChainNode, price: CoinPrice): void => {
    const now = elapsed.now();
    const last = looked.get(node.caip2) ?? { at: Number.NEGATIVE_INFINITY, saidAt: Number.NEGATIVE_INFINITY };
    if (now - last.at < LOOK_EVERY_MS) return;
    last.at = now;
    looked.set(node.caip2, last);
    // The log already names a node that does not answer.
    look(node, price, last).catch(() => {});
  };
}
