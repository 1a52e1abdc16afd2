import { withNodes } from '../../app/chain-nodes-of.ts';
import type { Clock } from '../../base/clock.ts';
import { rfc3339 } from '../../base/time.ts';
import type { ChainNode, ChainNodes } from '../../chain-io/nodes/chain-nodes.ts';
import { NoNodeError, RpcError } from '../../chain-io/nodes/types.ts';
import type { Config } from '../../config.ts';
import { type HeldAccount, isOn, type Quarantine } from '../../model/quarantine.ts';
import { type AccountKey, NEVER, type Send } from '../../model/send.ts';
import type { Reader, Store } from '../../store/types.ts';
import { dropMessages, waitingMessages } from './drop-messages.ts';
import { write } from './end.ts';
import { judgeEvm } from './evm.ts';
import { heldAll, type Judged, type JudgedAccount, newestOf, oldBlock } from './fates.ts';
import { countMeant, type FullLimits, fillWindows } from './full-windows.ts';
import { bounded, openAccounts, openSends } from './open-sends.ts';
import { judgeSolana } from './solana.ts';

/** `say`: called with progress. `stopped`: what was written until then stays. `limits`: whose windows count as full. */
export type ReleaseMeans = {
  config: Config;
  clock: Clock;
  machine: Clock;
  say(line: string): void;
  stopped: Pick<AbortSignal, 'throwIfAborted'>;
  limits: FullLimits;
};

/** A send without its contents. */
export type JudgedSend = Pick<Judged, 'fate'> & {
  send: Pick<Send, 'id' | 'organizationId' | 'caip2' | 'fromAddress' | 'account' | 'nonce'>;
};

/** `messages`: how many were dropped; null if they are sent. `held`: what stays in quarantine. `full`: limits whose windows count as full. */
export type Released = { judged: JudgedSend[]; held: HeldAccount[]; messages: number | null; full: number };

const SAY_EVERY = 100;

/** Why an endpoint's answers prove nothing now. Undefined: they do. */
async function doubtOf(node: ChainNode, newest: number): Promise<string | undefined> {
  const states = await node.status();
  if (!states.some(({ trouble, lags }) => trouble === undefined && !lags))
    return `no RPC endpoint of ${node.caip2} answers and follows the chain: see countersign doctor`;
  if (node.kind !== 'eip155') return undefined;
  const { value } = await node.block('latest');
  const at = value === undefined ? 0 : Number(value.timestamp) * 1000;
  return oldBlock(node.caip2, at, newest);
}

type Asked = { nodes: ChainNodes; read: Reader; doubts: Map<string, string | undefined>; newest: number };

async function judge({ nodes, read, doubts, newest }: Asked, key: AccountKey, sends: readonly Send[]): Promise<JudgedAccount> {
  const node = nodes.chainNode(key.caip2);
  if (node === undefined)
    return heldAll(sends, `${key.caip2} has no RPC URL here: set it, and run countersign sends release again`);
  try {
    if (!doubts.has(key.caip2)) doubts.set(key.caip2, await doubtOf(node, newest));
    const doubt = doubts.get(key.caip2);
    if (doubt !== undefined) return heldAll(sends, doubt);
    return await (node.kind === 'eip155' ? judgeEvm(node, read, key, sends) : judgeSolana(node, read, key, sends, newest));
  } catch (error) {
    if (!(error instanceof NoNodeError || error instanceof RpcError)) throw error;
    return heldAll(sends, `${key.caip2} could not be asked about ${key.account}: ${error.message}`);
  }
}

type Each = (key: AccountKey, found: JudgedAccount) => Promise<void>;

/** Judges the open sends of each account, one after the other. */
async function judgeAll(means: ReleaseMeans, read: Reader, found: Quarantine, each: Each): Promise<void> {
  const before = found.sendsBefore ?? means.clock.now();
  const accounts = await openAccounts(read, found);
  await withNodes(means.config, async (nodes) => {
    const asked: Asked = { nodes, read, doubts: new Map(), newest: newestOf(found, means.machine.now()) };
    for (const [i, key] of accounts.entries()) {
      means.stopped.throwIfAborted();
      const sends = await openSends(read, key, before);
      if (sends.length > 0) await each(key, await judge(asked, key, sends));
      if ((i + 1) % SAY_EVERY === 0) means.say(`${i + 1} of ${accounts.length} accounts`);
    }
  });
}

/** All that has not ended, without a question. */
async function endAll({ stopped }: ReleaseMeans, read: Reader, found: Quarantine, each: Each): Promise<void> {
  for (const key of await openAccounts(read, found)) {
    stopped.throwIfAborted();
    const sends = await openSends(read, key, NEVER);
    if (sends.length > 0) await each(key, { judged: sends.map((send) => ({ send, fate: 'ended' })), held: undefined });
  }
}

async function run(
  means: ReleaseMeans,
  read: Reader,
  found: Quarantine,
  staging: boolean,
  each: Each,
): Promise<Omit<Released, 'messages' | 'full'>> {
  const judged: Judged[] = [];
  const held: HeldAccount[] = [];
  await (staging ? endAll : judgeAll)(means, read, found, async (key, account) => {
    judged.push(...account.judged);
    if (account.held !== undefined) held.push({ ...key, why: account.held });
    await each(key, account);
  });
  return { judged, held };
}

/** What a release would do. */
export async function planRelease(means: ReleaseMeans, read: Reader, found: Quarantine, staging: boolean): Promise<Released> {
  const planned = await run(means, read, found, staging, async () => {});
  const full = isOn(found) ? await countMeant(read, means.limits) : 0;
  return { ...planned, full, messages: staging ? await waitingMessages(read) : null };
}

/**
 * Ends a quarantine, but for the sends about which a chain could not be asked. Each account is one step, and the quarantine ends last. So a
 * killed command has released nothing, and is run again.
 */
export async function release(means: ReleaseMeans, store: Store, found: Quarantine, staging: boolean): Promise<Released> {
  const { clock, machine } = means;
  const before = found.sendsBefore ?? clock.now();
  const cut = { ...found, sendsBefore: before };
  // A release that goes on with held sends fills nothing again.
  const full = isOn(found) ? await fillWindows(store, means.limits, clock.now) : 0;
  const messages = staging ? await dropMessages(store, clock.now()) : null;
  const done = await run(means, store.read, cut, staging, (key, account) => write(store, key, account.judged, clock.now));
  // A process may begin another one, or note the copy's first start, at the same time.
  await store.exclusively(async (tx) => {
    const now = (await tx.instance.quarantine()) ?? cut;
    // A copy was found meanwhile: its sends were not asked about.
    if (now.since !== found.since) throw new Error('another quarantine began meanwhile: run the command again');
    const ended = isOn(now) ? rfc3339(machine.now()) : now.ended;
    await tx.instance.setQuarantine({ ...now, sendsBefore: now.sendsBefore ?? before, ended, held: bounded(done.held) });
  });
  return { ...done, messages, full };
}
