import type { Claimed, Lane, NextDue } from '../../lane.ts';
import { prepare, storeBatch } from './allocate.ts';
import { type Broadcaster, broadcaster, sendLeft } from './broadcast.ts';
import { type ChainView, chainView } from './chain.ts';
import { type Latest, learn, memories, noncesOf, quicken, slowed } from './memory.ts';
import { afterRefusals, lookAgain, mendGap } from './resend.ts';
import { finalize, findReceipts, findReorganized } from './settle.ts';
import { chainNonces, latestNonce } from './trust.ts';
import { BATCH, type EvmLaneParts, type Ready, SHARE, type Work } from './work.ts';

/** Batches of one step. After that other accounts may have their turn. */
const MOST_BATCHES = 32;
/** How often receipts are looked for while a burst is brought to the nodes. */
const MEANWHILE_MS = 3_000;
/** How often blocks are compared while nothing else is left to do. */
const WATCH = { least: 2_000, most: 30_000 };
/** Accounts whose pace is remembered. */
const MOST_MEMORIES = 10_000;

/** Whether blocks have taken enough of the broadcast transactions that a further batch may be broadcast. */
async function makesRoom(work: Work, flow: Broadcaster, ready: readonly Ready[]): Promise<boolean> {
  const before = await work.nonces();
  await flow.push(ready);
  await flow.idle();
  const { latest } = await work.nonces(true);
  return latest - before.latest >= BATCH;
}

/** Brings queued sends to the nodes, batch by batch: while one is broadcast, the next is signed. */
async function advance(work: Work, flow: Broadcaster, meanwhile: () => void): Promise<boolean> {
  let happened = false;
  let ready: Ready[] = [];
  for (let batches = 0; batches < MOST_BATCHES && !work.claimed.signal.aborted; batches++) {
    await work.pace.turn(work.claimed.signal);
    const batch = await prepare(work);
    work.pace.did((batch?.signed.length ?? 0) * SHARE.signing);
    if (batch === undefined) break;
    // A single batch is noted as sent when it is stored. Otherwise the previous batch is noted while this one is stored, so that
    // they share a commit.
    const isAtOnce = !batch.left && ready.length === 0;
    [ready] = await Promise.all([storeBatch(work, batch, isAtOnce), flow.push(ready)]);
    happened ||= ready.length > 0;
    if (!batch.left) break;
    if (batch.isFull && !(await makesRoom(work, flow, ready.splice(0)))) break;
    meanwhile();
  }
  await flow.push(ready);
  return happened;
}

/** Looks for receipts, reorganizations and final blocks. */
async function settle(work: Work): Promise<Latest & { happened: boolean }> {
  const said = await latestNonce(work);
  const { latest } = said;
  learn(work.memory, said);
  let happened = await findReceipts(work, latest);
  const { memory, elapsed } = work;
  if (elapsed.now() - memory.watchedAt > WATCH.least) {
    memory.watchedAt = elapsed.now();
    if (await findReorganized(work, latest)) happened = true;
    if (await finalize(work)) happened = true;
  }
  return { ...said, happened };
}

/** When there is something to do for the account again. */
async function nextDue(work: Work, happened: boolean): Promise<NextDue> {
  const { read, key, clock, memory } = work;
  if (happened) quicken(memory);
  const [queued, sent, included] = await Promise.all(
    (['queued', 'sent', 'included'] as const).map((state) => read.sendsOfAccount.nextDue(key, state)),
  );
  const waits: number[] = [];
  // Queued sends that were not taken wait for those already broadcast.
  if (queued !== undefined && queued > clock.now()) waits.push(queued - clock.now());
  else if (sent !== undefined || queued !== undefined) waits.push(slowed(memory));
  if (included !== undefined) {
    const age = clock.now() - included;
    waits.push(Math.min(Math.max(age / 4, WATCH.least), WATCH.most));
  }
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** The state machine of sends on EVM chains. Everything is in rows, so that a step may end anywhere and the next goes on. */
export function evmLane(parts: EvmLaneParts): Lane {
  const memoryOf = memories(MOST_MEMORIES);
  const views = new Map<string, ChainView>();

  function workOf(claimed: Claimed): Work | undefined {
    const { caip2, account } = claimed;
    const node = parts.nodes.chainNode(caip2);
    if (node?.kind !== 'eip155') return undefined;
    const chain = views.get(caip2) ?? chainView(node, parts.elapsed, parts.settings.finalityBlocks);
    views.set(caip2, chain);
    const memory = memoryOf(`${caip2} ${account}`);
    const nonces = noncesOf(memory, parts.elapsed, () => chainNonces(work));
    const work: Work = { ...parts, claimed, key: { caip2, account }, node, chain, nonces, memory };
    return work;
  }

  return {
    kind: 'evm',
    networks: parts.nodes.networks.filter((caip2) => parts.nodes.chainNode(caip2)?.kind === 'eip155'),
    async step(claimed) {
      const work = workOf(claimed);
      if (work === undefined) throw new Error(`${claimed.caip2} is not served here`);
      const flow = broadcaster(work);
      let settledAt = work.elapsed.now();
      let looking: Promise<unknown> = Promise.resolve();
      const meanwhile = () => {
        if (work.elapsed.now() - settledAt < MEANWHILE_MS) return;
        settledAt = work.elapsed.now();
        const before = looking;
        looking = before.then(async () => findReceipts(work, (await latestNonce(work)).latest));
        looking.catch(() => {});
      };
      try {
        await sendLeft(work, flow);
        let happened = await advance(work, flow, meanwhile);
        await Promise.all([flow.idle(), looking]);
        if (claimed.signal.aborted) return 0;
        const settled = await settle(work);
        happened ||= settled.happened;
        await lookAgain(work, flow, settled.agreed);
        if (settled.doubt === undefined) await mendGap(work, flow, settled.agreed);
        await flow.idle();
        await afterRefusals(work, flow, settled.agreed);
        return await nextDue(work, happened);
      } finally {
        await Promise.allSettled([flow.idle(), looking]);
      }
    },
  };
}
