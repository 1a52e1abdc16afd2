/**
 * The cost of sending for other callers who sign. One load of signatures goes on. Beside it, windows of a second alternate. In
 * the first kind nothing is sent; in the second another process gives the node transactions signed before; in the third the
 * service is asked for as many sends. On two cores the node takes its part of them too, so the second is the control. The
 * difference between it and the third is the cost of the service's own work. Neighbouring windows share the machine's other
 * load.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Stuck } from './chain.ts';
import { type Options, on } from './common.ts';
import { type At, BURST, burst, given, type Kind, NOTHING, sends } from './kinds.ts';
import { cpuOf, type Signing } from './service.ts';
import { type Answers, type Figure, fairBlocks, figuresOf, type Seen, seenIn, type Window } from './windows.ts';

export type Beside = Figure & { concurrency: number };

const WINDOW_MS = 1000;
/** The beginning of each window is left out, because work of the one before may still be pending. */
const SETTLED_MS = 200;
const WARMUP_S = 1;
/** Windows of each kind, in all rounds. */
const WINDOWS = 12;
const BURST_WINDOWS = 4;
/** For a window, with what it takes to begin and to end it. */
const WINDOW_WITHIN_S = 1.2;
const BURST_WITHIN_S = 4;
/** Signatures a second to make ready, by concurrency. */
const RATES = new Map([
  [1, 2500],
  [32, 4500],
]);

/** Undefined: the other load had ended before. */
async function window({ name, account, begin, isOver }: Kind, { service, chain }: At): Promise<Window | undefined> {
  const reading = async () => ({
    mined: account === undefined ? 0 : await chain.nonce(account),
    at: performance.timeOrigin + performance.now(),
    service: service.cpu(),
    node: cpuOf(chain.pid),
  });
  const end = await begin();
  await sleep(SETTLED_MS);
  const first = await reading();
  await sleep(WINDOW_MS - SETTLED_MS);
  const last = await reading();
  const wasOver = await isOver?.();
  await end();
  if (wasOver) return undefined;
  return {
    kind: name,
    from: first.at,
    to: last.at,
    serviceCpu: last.service - first.service,
    nodeCpu: last.node - first.node,
    mined: last.mined - first.mined,
  };
}

/** Fewer blocks than asked for where one was not whole, or the signatures ran out. */
async function alternate(kinds: readonly Kind[], count: number, place: At, signing: Signing): Promise<Window[][]> {
  const blocks: Window[][] = [];
  for (const block of fairBlocks(kinds, count, randomInt)) {
    const windows: Window[] = [];
    for (const kind of block) {
      const seen = await window(kind, place);
      if (seen !== undefined) windows.push(seen);
    }
    if (signing.isOver()) break;
    if (windows.length === kinds.length) blocks.push(windows);
  }
  for (const { finish } of kinds) await finish?.();
  return blocks;
}

function minedPerSecond(windows: readonly Window[]): number {
  const seconds = windows.reduce((sum, { from, to }) => sum + (to - from) / 1000, 0);
  return windows.reduce((sum, { mined }) => sum + mined, 0) / seconds;
}

/** The control is the second of each. */
const STEADY = (perSecond: number) => [
  'nothing',
  `${perSecond} a second given to the node by others`,
  `${perSecond} sends a second`,
];
const BURSTS = ['a burst that was accepted and is sent', 'as many given to the node by others'];

/** Of one round; `steady` and `bursts` are blocks of windows. */
type Plan = { concurrency: number; perSecond: number; steady: number; bursts: number };
type Blocks = { steady: Seen[][]; bursts: Seen[][] };

async function besideSteady(place: At, { perSecond, steady }: Plan, signing: Signing): Promise<Window[][]> {
  const [, controlName, sendsName] = STEADY(perSecond) as [string, string, string];
  const control = await given(controlName, place, perSecond, (steady + 1) * WINDOW_WITHIN_S);
  const kinds = [NOTHING, control, await sends(sendsName, place, perSecond)];
  // Their code is compiled then.
  await alternate(kinds, 1, place, signing);
  const blocks = await alternate(kinds, steady, place, signing);
  const mined = minedPerSecond(blocks.flat().filter(({ kind }) => kind === controlName));
  if (mined < perSecond / 2) throw new Stuck();
  return blocks;
}

/** None if bursts end as soon as they are accepted, or if anvil is stuck: nothing else is measured again for it. */
async function besideBursts(place: At, { bursts }: Plan, signing: Signing): Promise<Window[][]> {
  const [burstName, controlName] = BURSTS as [string, string];
  try {
    const accepted = await burst(burstName, place);
    const began = performance.now();
    await (await accepted.begin())();
    const perSecond = BURST / ((performance.now() - began) / 1000);
    const control = await given(controlName, place, perSecond, bursts * WINDOW_WITHIN_S);
    return await alternate([accepted, control], bursts, place, signing);
  } catch (error) {
    if (error instanceof Stuck) return [];
    throw error;
  }
}

async function round(place: At, plan: Plan): Promise<Blocks> {
  const seconds = (plan.steady + 1) * STEADY(plan.perSecond).length * WINDOW_WITHIN_S + (plan.bursts + 1) * BURST_WITHIN_S;
  const load = { connections: plan.concurrency, seconds, warmup: WARMUP_S, rate: RATES.get(plan.concurrency)! };
  const signing = await place.service.signs(load);
  let steady: Window[][];
  let bursts: Window[][];
  let answers: Answers;
  try {
    steady = await besideSteady(place, plan, signing);
    bursts = await besideBursts(place, plan, signing);
  } finally {
    answers = await signing.end();
  }
  const seen = (blocks: Window[][]) => blocks.map((block) => seenIn(block, answers));
  return { steady: seen(steady), bursts: seen(bursts) };
}

async function besideLoad(options: Options, concurrency: number): Promise<Beside[]> {
  const { rounds, sendsPerSecond: perSecond, say } = options;
  const plan = { concurrency, perSecond, steady: Math.ceil(WINDOWS / rounds), bursts: Math.ceil(BURST_WINDOWS / rounds) };
  const all: Blocks = { steady: [], bursts: [] };
  for (let i = 0; i < rounds; i++) {
    const { steady, bursts } = await on(options, undefined, (service, chain) => round({ service, chain }, plan));
    const made = `${steady.length} and ${bursts.length} blocks of windows`;
    say(`signing beside, concurrency ${concurrency}, round ${i + 1}/${rounds}: ${made}`);
    all.steady.push(...steady);
    all.bursts.push(...bursts);
  }
  const figures = (blocks: Seen[][], names: string[]) =>
    blocks.length === 0 ? [] : figuresOf(blocks, names, names[1]!, randomInt);
  return [...figures(all.steady, STEADY(perSecond)), ...figures(all.bursts, BURSTS)].map((one) => ({ ...one, concurrency }));
}

export async function measureBeside(options: Options): Promise<Beside[]> {
  return [...(await besideLoad(options, 1)), ...(await besideLoad(options, 32))];
}
