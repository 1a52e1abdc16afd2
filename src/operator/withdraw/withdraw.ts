import { setTimeout as sleep } from 'node:timers/promises';
import { QUIET, withNodes } from '../../app/chain-nodes-of.ts';
import { openEnvelope } from '../../app/root-key.ts';
import { openPaymaster, paymasterAddresses } from '../../app/service-keys.ts';
import { openServiceTime } from '../../app/service-time.ts';
import { CommandFailed } from '../../base/command-failed.ts';
import { uuidV7 } from '../../base/ids.ts';
import { systemRandom } from '../../base/random.ts';
import type { ChainNode } from '../../chain-io/nodes/chain-nodes.ts';
import { type Config, ConfigError } from '../../config.ts';
import type { PaymasterVault } from '../../custody/types.ts';
import { isOn } from '../../model/quarantine.ts';
import type { Reader } from '../../store/types.ts';
import { withReader, withStore } from '../offline-store.ts';
import { giveEvm, lookEvm, makeEvm, quoteEvm } from './evm.ts';
import type { Asked, Outcome, Parts } from './parts.ts';
import { type Quote, WITHDRAWING_ORGANIZATION } from './quote.ts';
import { giveSolana, lookSolana, makeSolana, quoteSolana } from './solana.ts';
import { openWithdrawal, type Stored, tell } from './stored.ts';
import { type Asking, coinsOf, unitsOf, type Wish, wishOf } from './wish.ts';

/** Amounts are in coins, as decimal texts. */
export type Planned = {
  network: string;
  from: string;
  to: string;
  amount: string;
  feeAtMost: string;
  balance: string;
  leftAtLeast: string;
  /** Unfinished sends that the paymaster pays for, and the amount that is kept for them. */
  underWay: number;
  keptForThem: string;
  warnings: readonly string[];
};

export type Withdrawn = {
  network: string;
  from: string;
  to: string;
  amount: string;
  transaction: string;
  block: string;
  fee: string | null;
  /** Why its transaction failed in its block. */
  error: string | null;
  /** An earlier run began it. */
  isResumed: boolean;
};

/** A withdrawal that an earlier run signed and stored, without seeing its end. */
export type Begun = { network: string; to: string; amount: string; transaction: string; by: string; at: string };

type Options = Asking & {
  /** The coins that a user was shown and agreed to: a withdrawal of all sends no more. */
  atMost?: string | undefined;
  /** False: only waits for the withdrawal that is under way. */
  mayBegin: boolean;
  /** The user who runs the command, and the time. */
  by: string;
  now: number;
  say(line: string): void;
  signal: AbortSignal;
  patienceMs?: number;
};

const UNDONE = 'the withdrawal is not done';
const PATIENCE_MS = 300_000;
const LOOK_EVERY_MS = 500;
const GIVE_EVERY_MS = 5_000;
const SAY_EVERY_MS = 15_000;

function planned(network: string, quote: Quote): Planned {
  const { kind, from, to, amount, fee, balance, underWay, warnings } = quote;
  const coins = (units: bigint) => coinsOf(kind, units);
  return {
    network,
    from,
    to,
    amount: coins(amount),
    feeAtMost: coins(fee),
    balance: coins(balance),
    leftAtLeast: coins(balance - amount - fee),
    underWay: underWay.count,
    keptForThem: coins(underWay.units),
    warnings,
  };
}

const quoteOf = (config: Config, node: ChainNode, read: Reader, wish: Wish, from: string): Promise<Quote> =>
  node.kind === 'eip155' ? quoteEvm(node, read, config, { wish, from }) : quoteSolana(node, read, { wish, from });

const make = (node: ChainNode, parts: Parts, wish: Wish, asked: Asked): Promise<Stored> =>
  node.kind === 'eip155' ? makeEvm(node, parts, wish, asked) : makeSolana(node, parts, wish, asked);

const give = (node: ChainNode, parts: Parts, stored: Stored): Promise<void> =>
  node.kind === 'eip155' ? giveEvm(node, parts, stored) : giveSolana(node, parts, stored);

/** The chain's answer; or the result that a service wrote while following it. */
async function look(node: ChainNode, parts: Parts, stored: Stored): Promise<Outcome> {
  const found = node.kind === 'eip155' ? await lookEvm(node, stored) : await lookSolana(node, parts, stored);
  if (found.is !== 'waiting') return found;
  const send = await parts.store.read.sends.get(WITHDRAWING_ORGANIZATION, stored.sendId);
  if (send?.state === 'failed') return { is: 'failed', error: send.error?.message ?? 'it failed' };
  return send?.state === 'sent' && send.error !== null ? { is: 'refused', error: send.error.message } : found;
}

type Following = Pick<Options, 'say' | 'signal'> & { patienceMs: number };

type Ended = Extract<Outcome, { is: 'landed' | 'failed' }>;

/** Waits for its end. A question that no node answers now is asked again. */
async function follow(node: ChainNode, parts: Parts, stored: Stored, { say, signal, patienceMs }: Following): Promise<Ended> {
  const again =
    'It is stored: run the same command again, which finds it and sends nothing twice. A running service also follows it';
  for (let waited = 0; waited < patienceMs; waited += LOOK_EVERY_MS) {
    if (waited % GIVE_EVERY_MS === 0) await give(node, parts, stored);
    const found = await look(node, parts, stored).catch((error: Error): Outcome => {
      if (waited % SAY_EVERY_MS === 0) say(error.message);
      return { is: 'waiting' };
    });
    if (found.is === 'refused')
      throw new CommandFailed(
        `${stored.hash}: ${found.error}. A running service replaces its nonce by another transaction: run the same command again when that one is in a final block`,
      );
    if (found.is !== 'waiting') return found;
    if (waited % SAY_EVERY_MS === 0) say(`waiting until ${stored.hash} is mined …`);
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) throw new CommandFailed(`stopped before ${stored.hash} was mined. ${again}`);
  }
  throw new CommandFailed(`the transaction ${stored.hash} was not mined within ${patienceMs / 1000} seconds. ${again}`);
}

/** Follows it to its end, and notes that this was reported. */
async function finish(node: ChainNode, parts: Parts, stored: Stored, following: Following): Promise<Ended> {
  const outcome = await follow(node, parts, stored, following);
  const account = parts.paymaster.address(node.kind);
  const kind = node.kind === 'eip155' ? 'evm' : 'solana';
  await parts.store.transaction((tx) => tell(tx, { caip2: node.caip2, account, kind }, stored));
  return outcome;
}

type Run = { node: ChainNode; wish: Wish; options: Options };

async function run({ node, wish, options }: Run, parts: Parts): Promise<Withdrawn> {
  const { by, now, say, signal, mayBegin, patienceMs = PATIENCE_MS } = options;
  const { paymaster, store } = parts;
  const from = paymaster.address(node.kind);
  if (wish.to === from) throw new ConfigError(`--to must not be the paymaster itself, ${from}`);
  if (signal.aborted) throw new CommandFailed('stopped before anything was signed');
  const before = await openWithdrawal(store.read, node.caip2);
  if (before === undefined && !mayBegin)
    throw new CommandFailed('the pending withdrawal has ended: run the command again for another one');
  const isAll = wish.amount === undefined;
  const asked = { by, at: new Date(now).toISOString(), isAll };
  const stored = before ?? (await make(node, parts, wish, asked));
  const isResumed = stored.at !== asked.at || stored.by !== by;
  const coins = coinsOf(node.kind, BigInt(stored.amount));
  const what = `${coins} coins to ${stored.to}, ${stored.hash}`;
  say(isResumed ? `continuing the withdrawal that ${stored.by} began at ${stored.at}: ${what}` : `signed and stored: ${what}`);
  const outcome = await finish(node, parts, stored, { say, signal, patienceMs });
  if (outcome.is !== 'landed')
    throw new CommandFailed(
      `${what}: ${outcome.error}. It was not sent, and never will be. Run the command again for a new attempt`,
    );
  const isSame = stored.to === wish.to && stored.isAll === isAll && (isAll || stored.amount === String(wish.amount));
  if (isResumed && !isSame)
    throw new CommandFailed(`an earlier withdrawal was finished first: ${what}. Run the command again for this one`);
  const { block, fee, error = null } = outcome;
  return {
    network: node.caip2,
    from,
    to: stored.to,
    amount: coins,
    transaction: stored.hash,
    block,
    fee: fee === undefined ? null : coinsOf(node.kind, fee),
    error,
    isResumed,
  };
}

async function withPaymaster<T>(config: Config, work: (parts: Parts) => Promise<T>): Promise<T> {
  return withStore(config, UNDONE, async (plain) => {
    if (isOn(await plain.read.instance.quarantine()))
      throw new CommandFailed('the instance is in quarantine, and sends nothing: run countersign sends release first');
    paymasterAddresses(await plain.read.instance.serviceKeys());
    const { store, clock } = await openServiceTime(plain, QUIET);
    const envelope = await openEnvelope(config, store.read, systemRandom);
    const { paymaster }: { paymaster: PaymasterVault } = await openPaymaster(store, envelope, systemRandom, clock.now());
    return work({ store, clock, ids: uuidV7(clock, systemRandom), config, paymaster });
  });
}

const withNode = <T>(config: Config, asking: Asking, work: (node: ChainNode, wish: Wish) => Promise<T>): Promise<T> =>
  withNodes(config, async (nodes) => {
    const node = nodes.chainNode(asking.network);
    if (node === undefined)
      throw new ConfigError(`${asking.network} has no RPC endpoint here: set its RPC_URL, see docs/sending.md`);
    return work(node, wishOf(node.kind, asking));
  });

/** A withdrawal as it would be; or the one that is under way and comes first. Read-only: also beside a service. */
export const planWithdrawal = (config: Config, asking: Asking): Promise<Planned | Begun> =>
  withNode(config, asking, (node, wish) =>
    withReader(config, UNDONE, async (read) => {
      const from = paymasterAddresses(await read.instance.serviceKeys())[node.kind];
      if (wish.to === from) throw new ConfigError(`--to must not be the paymaster itself, ${from}`);
      const open = await openWithdrawal(read, node.caip2);
      if (open === undefined) return planned(node.caip2, await quoteOf(config, node, read, wish, from));
      const { to, amount, hash, by, at } = open;
      return { network: node.caip2, to, amount: coinsOf(node.kind, BigInt(amount)), transaction: hash, by, at };
    }),
  );

/**
 * Sends coins of the paymaster back to its operator, and waits until a block has that. A withdrawal that an earlier run began is
 * finished first, and nothing else is done then.
 */
export const withdraw = (config: Config, options: Options): Promise<Withdrawn> =>
  withNode(config, options, (node, asked) => {
    const wish = { ...asked, atMost: options.atMost === undefined ? undefined : unitsOf(node.kind, options.atMost) };
    return withPaymaster(config, (parts) => run({ node, wish, options }, parts));
  });
