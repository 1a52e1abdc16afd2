/** Troubles of the chain while a schedule runs: an endpoint that lies, and blocks that fall out. */
import { type Liar, type Lie, startLiar } from '../../../support/rpc-liar.ts';
import { seeded } from '../../../support/seeded.ts';
import type { Chain } from './chain.ts';
import type { Schedule, Trouble } from './model.ts';
import { MOST_DEPTH, type Troubles } from './run.ts';

type Told = { lie: Lie; methods?: readonly string[]; times?: number; flaps?: boolean };

const SEND = ['eth_sendRawTransaction'];
const RECEIPT = ['eth_getTransactionReceipt'];
const error = (message: string, done: boolean, code = -32000): Lie => ({ kind: 'error', code, message, done });

/** Of one endpoint. The other one tells the truth, so that at most one of the last answers is wrong. */
const LIES: Record<Exclude<Trouble, 'lagging' | 'reorganizing'>, readonly Told[]> = {
  flapping: [
    { lie: { kind: 'reset' }, flaps: true },
    { lie: { kind: 'drop' }, flaps: true },
    { lie: { kind: 'drop' }, methods: SEND },
    { lie: { kind: 'limit', retryAfter: '1' }, flaps: true },
    { lie: { kind: 'status', status: 502 }, flaps: true },
  ],
  duplicate: [{ lie: { kind: 'twice' }, methods: SEND }, { lie: { kind: 'twice' } }, { lie: { kind: 'stale' }, methods: SEND }],
  'wrong error': [
    { lie: error('nonce too low', true), methods: SEND },
    { lie: error('nonce too low', false), methods: SEND },
    { lie: error('replacement transaction underpriced', true), methods: SEND },
    { lie: error('replacement transaction underpriced', false), methods: SEND },
    { lie: error('already known', false), methods: SEND },
    { lie: error('insufficient funds for gas * price + value', true), methods: SEND },
    { lie: error('transaction underpriced', true), methods: SEND },
    { lie: error('something went wrong', true, -32603), methods: SEND },
    { lie: error('words that nobody knows', false), methods: SEND },
    { lie: error('header not found', false), methods: RECEIPT },
    { lie: { kind: 'nonce', nonce: 1_000_000n } },
  ],
  silent: [
    { lie: { kind: 'silence' }, methods: SEND, times: 1 },
    { lie: { kind: 'drop' }, methods: SEND },
    { lie: { kind: 'drop' }, methods: RECEIPT, flaps: true },
  ],
};

export type Endpoints = { urls: string; liar: Liar; stop(): Promise<void> };

/** A lying endpoint in front of the chain, and a true one. */
export async function startEndpoints(chain: Chain): Promise<Endpoints> {
  const liar = await startLiar(chain.url);
  const honest = await startLiar(chain.url);
  return { urls: `${liar.url},${honest.url}`, liar, stop: async () => void (await Promise.all([liar.stop(), honest.stop()])) };
}

/** The troubles of a schedule. `fell` is called before blocks fall out. */
export function troublesOf({ seed, trouble }: Schedule, chain: Chain, { liar }: Endpoints, fell: () => void): Troubles {
  const next = seeded(seed * 104_729 + 3);

  async function reorganize(): Promise<void> {
    const depth = 1 + next(MOST_DEPTH);
    if (next(4) !== 0 || (await chain.height()) <= depth) return;
    fell();
    await chain.reorganize(depth);
    fell();
  }

  async function step(): Promise<void> {
    if (trouble === 'reorganizing') return reorganize();
    if (next(3) === 0) return liar.truth();
    if (trouble === 'lagging') return liar.lie({ kind: 'frozen', block: BigInt(await chain.height()) });
    const lies = LIES[trouble!];
    const { lie, flaps, ...when } = lies[next(lies.length)]!;
    if (flaps) liar.flap(lie, when.methods);
    else liar.lie(lie, when);
  }

  return { step, end: () => liar.truth() };
}
