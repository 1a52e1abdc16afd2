import type { Claimed, Lane, NextDue } from '../../lane.ts';
import { type Broadcaster, broadcaster, broadcastRecent, broadcastSigned } from './attempts/broadcast.ts';
import { afterRefusals } from './attempts/refusals.ts';
import { lookAgain } from './attempts/resend.ts';
import { signQueued } from './attempts/sign.ts';
import { storeSigned } from './attempts/store-signed.ts';
import type { Backoff } from './backoff.ts';
import { type ChainView, chainView } from './chain-view.ts';
import { type Memory, memories } from './memory.ts';
import { type BelievedNonce, chainNonces, latestNonce, type NonceQuestion } from './nonces/believed.ts';
import { fillGaps } from './nonces/gaps.ts';
import { type RecentNonces, recentNonces } from './nonces/recent.ts';
import { BATCH, type EvmLaneParts, type OnChain, type Owner, type Ready, SHARE } from './parts.ts';
import type { Doubts } from './receipts/agreed.ts';
import { finalize } from './receipts/final.ts';
import { findReceipts } from './receipts/included.ts';
import { findReorganized } from './receipts/reorganized.ts';

/** Batches of one step. After that other accounts may have their turn. */
const MOST_BATCHES = 32;
/** How often receipts are looked for while a burst is brought to the nodes. */
const MEANWHILE_MS = 3_000;
/** How often blocks are compared while nothing else is left to do. */
const COMPARE = { least: 2_000, most: 30_000 };
/** Accounts that are remembered between steps. */
const MOST_MEMORIES = 10_000;

/** One step of one account. The functions below it get what they need of this. */
type Step = EvmLaneParts & Owner & OnChain & NonceQuestion & Backoff & Doubts & { memory: Memory; nonces: RecentNonces };

/** Whether blocks have taken enough of the broadcast transactions that a further batch may be broadcast. */
async function makesRoom({ nonces }: Pick<Step, 'nonces'>, flow: Broadcaster, ready: readonly Ready[]): Promise<boolean> {
  const before = await nonces.recent();
  await flow.push(ready);
  await flow.idle();
  const { latest } = await nonces.fresh();
  return latest - before.latest >= BATCH;
}

/** Brings queued sends to the nodes, batch by batch: while one is broadcast, the next is signed. Returns whether there was one. */
async function signAndBroadcast(step: Step, flow: Broadcaster, meanwhile: () => void): Promise<boolean> {
  const { claimed, pace, nonces } = step;
  let happened = false;
  let ready: Ready[] = [];
  for (let batches = 0; batches < MOST_BATCHES && !claimed.signal.aborted; batches++) {
    await pace.turn(claimed.signal);
    const batch = await signQueued(step, nonces);
    pace.did((batch?.signed.length ?? 0) * SHARE.signing);
    if (batch === undefined) break;
    // A single batch is noted as sent when it is stored. Otherwise the previous batch is noted while this one is stored, so that
    // they share a commit.
    const isAtOnce = !batch.left && ready.length === 0;
    [ready] = await Promise.all([storeSigned(step, batch, isAtOnce), flow.push(ready)]);
    happened ||= ready.length > 0;
    if (!batch.left) break;
    if (batch.isFull && !(await makesRoom(step, flow, ready.splice(0)))) break;
    meanwhile();
  }
  await flow.push(ready);
  return happened;
}

/** Looks for receipts, reorganizations and final blocks. Returns whether any was found. */
async function followBlocks(step: Step, latest: number): Promise<boolean> {
  let happened = await findReceipts(step, latest);
  const { memory, elapsed } = step;
  if (elapsed.now() - memory.comparedAt > COMPARE.least) {
    memory.comparedAt = elapsed.now();
    if (await findReorganized(step, latest)) happened = true;
    if (await finalize(step)) happened = true;
  }
  return happened;
}

/** Looks for receipts from time to time, while a burst is signed and broadcast. */
function receiptsMeanwhile(step: Step) {
  const { elapsed } = step;
  let lookedAt = elapsed.now();
  let looking: Promise<unknown> = Promise.resolve();
  return {
    begin() {
      if (elapsed.now() - lookedAt < MEANWHILE_MS) return;
      lookedAt = elapsed.now();
      const before = looking;
      looking = before.then(async () => findReceipts(step, (await latestNonce(step)).latest));
      looking.catch(() => {});
    },
    ended: () => looking,
  };
}

/** Gives transactions to the nodes again, replaces them, and fills gaps. Then deals with those that nodes refused. */
async function careForPending(step: Step, flow: Broadcaster, { agreed, doubt }: BelievedNonce): Promise<void> {
  await lookAgain(step, step, flow, agreed);
  if (doubt === undefined) await fillGaps(step, { ...step, gap: step.memory.gap }, flow, agreed);
  await flow.idle();
  await afterRefusals(step, step, flow, agreed);
}

/** When there is something to do for the account again. */
async function nextDue({ read, key, clock, memory: { polling } }: Step, happened: boolean): Promise<NextDue> {
  if (happened) polling.reset();
  const [queued, sent, included] = await Promise.all(
    (['queued', 'sent', 'included'] as const).map((state) => read.sendsOfAccount.nextDue(key, state)),
  );
  const waits: number[] = [];
  // Queued sends that were not taken wait for those already broadcast.
  if (queued !== undefined && queued > clock.now()) waits.push(queued - clock.now());
  else if (sent !== undefined || queued !== undefined) waits.push(polling.next());
  if (included !== undefined) {
    const age = clock.now() - included;
    waits.push(Math.min(Math.max(age / 4, COMPARE.least), COMPARE.most));
  }
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/**
 * Carries the sends of one account as far as they can go now. Everything is in rows, so that a step may end anywhere and the next
 * continues. `states.ts` has all that can happen to a send.
 */
async function run(step: Step): Promise<NextDue> {
  const { claimed, node, memory, nonces } = step;
  const flow = broadcaster(step, node, nonces.forget);
  const receipts = receiptsMeanwhile(step);
  try {
    await broadcastSigned(step, flow);
    if (!memory.hasResent) {
      memory.hasResent = true;
      await broadcastRecent(step, flow);
    }
    let happened = await signAndBroadcast(step, flow, receipts.begin);
    await Promise.all([flow.idle(), receipts.ended()]);
    if (claimed.signal.aborted) return 0;
    const believed = await latestNonce(step);
    nonces.update(believed);
    if (await followBlocks(step, believed.latest)) happened = true;
    await careForPending(step, flow, believed);
    return await nextDue(step, happened);
  } finally {
    await Promise.allSettled([flow.idle(), receipts.ended()]);
  }
}

/** The state machine of sends on EVM chains. */
export function evmLane(parts: EvmLaneParts): Lane {
  const memoryOf = memories(MOST_MEMORIES);
  const views = new Map<string, ChainView>();

  function stepOf(claimed: Claimed): Step {
    const { caip2, account } = claimed;
    const node = parts.nodes.chainNode(caip2);
    if (node?.kind !== 'eip155') throw new Error(`${caip2} is not served here`);
    const chain = views.get(caip2) ?? chainView(node, parts.elapsed, parts.settings.finalityBlocks);
    views.set(caip2, chain);
    const memory = memoryOf(`${caip2} ${account}`);
    const { belief, failing, lastNonces, doubted } = memory;
    const key = { caip2, account };
    const nonces = recentNonces(lastNonces, parts.elapsed, () => chainNonces({ ...parts, key, node, chain, belief }));
    return { ...parts, claimed, key, node, chain, belief, failing, doubted, memory, nonces };
  }

  return {
    kind: 'evm',
    networks: parts.nodes.networks.filter((caip2) => parts.nodes.chainNode(caip2)?.kind === 'eip155'),
    step: async (claimed) => run(stepOf(claimed)),
  };
}
