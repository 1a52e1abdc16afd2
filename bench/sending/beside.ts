/** What sending costs others who sign: alone, beside a burst that comes in, beside one that is worked off, and beside a node that is as busy. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { Measured } from '../load.ts';
import { signRawPayload } from '../workloads.ts';
import { type Chain, Stuck, signedTransfers } from './chain.ts';
import { median, type Options, on } from './common.ts';
import type { Service } from './service.ts';
import { GIVEN, RECIPIENT } from './workloads.ts';

export type Beside = {
  beside: string;
  concurrency: number;
  signaturesPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Mined while signatures were measured. */
  minedPerSecond: number;
  serviceCores: number;
  nodeCores: number;
};

const TICK_MS = 20;
const LOOK_EVERY_MS = 50;
const WARMUP_S = 0.5;
const COMPILED_S = 2;
/** Until then both loads are made. */
const READY_WITHIN_MS = 5000;
const SENDING_CONNECTIONS = 32;
/** More than land while signatures are measured. */
const SENDS = 6000;
/** Signatures a second to make ready. */
const RATE = 5000;

type During = { from: number; until: Promise<unknown> };

/** Gives the chain signed transactions at a steady rate. */
async function trickle(chain: Chain, transactions: readonly Hex[], perSecond: number, { from, until }: During): Promise<void> {
  let over = false;
  void until.finally(() => {
    over = true;
  });
  await sleep(Math.max(0, from - Date.now()));
  for (let sent = 0; !over && sent < transactions.length; await sleep(TICK_MS)) {
    const due = Math.min(transactions.length, Math.floor(((Date.now() - from) / 1000) * perSecond));
    if (due > sent) await chain.send(transactions.slice(sent, due));
    sent = Math.max(sent, due);
  }
}

/** Resolves with what `use` resolves with, and how many of the account's transactions were mined each second while it was measured. */
async function watched(chain: Chain, address: string, use: Promise<Measured>): Promise<{ measured: Measured; mined: number }> {
  const seen: { at: number; nonce: number }[] = [];
  let over = false;
  void use.finally(() => {
    over = true;
  });
  for (; !over; await sleep(LOOK_EVERY_MS)) seen.push({ nonce: await chain.nonce(address), at: Date.now() });
  const measured = await use;
  const within = seen.filter(({ at }) => at >= measured.startedAt && at <= measured.startedAt + measured.seconds * 1000);
  const [first, last] = [within[0], within.at(-1)];
  if (first === undefined || last === undefined || first === last) throw new Error('nothing was seen of the chain');
  return { measured, mined: ((last.nonce - first.nonce) / (last.at - first.at)) * 1000 };
}

const figure = (beside: string, concurrency: number, measured: Measured, minedPerSecond: number): Beside => ({
  beside,
  concurrency,
  signaturesPerSecond: measured.requestsPerSecond,
  p50Ms: measured.p50Ms,
  p99Ms: measured.p99Ms,
  minedPerSecond,
  serviceCores: measured.requestsPerSecond / (measured.requestsPerCpuSecond ?? Number.NaN),
  nodeCores: (measured.requestsPerSecond * (measured.databaseMicroseconds ?? Number.NaN)) / 1e6,
});

type At = { service: Service; chain: Chain; concurrency: number; seconds: number };

async function round({ service, chain, concurrency, seconds }: At): Promise<Beside[]> {
  await service.signs({ connections: concurrency, seconds: COMPILED_S, rate: RATE });
  const signs = (at?: number) =>
    service.signs({ connections: concurrency, seconds, warmup: WARMUP_S, rate: RATE, ...(at && { at }) });
  const alone = figure('nothing', concurrency, await signs(), 0);

  const from = await service.newSender();
  const together = Date.now() + READY_WITHIN_MS;
  const others = service.load(from, {
    workload: signRawPayload,
    connections: SENDING_CONNECTIONS,
    seconds: seconds + WARMUP_S,
    at: together,
    rate: RATE,
  });
  const crowd = figure(`${SENDING_CONNECTIONS} others who sign`, concurrency, await signs(together), 0);
  await others;

  const at = Date.now() + READY_WITHIN_MS;
  const accepting = service.load(from, { workload: GIVEN, connections: SENDING_CONNECTIONS, count: SENDS, at });
  const first = await watched(chain, from, signs(at));
  await accepting;
  const second = await watched(chain, from, signs());
  if ((await chain.nonce(from)) >= SENDS) throw new Error('all was sent before signatures were measured: send more');
  await chain.untilNonce(from, SENDS);

  const { address, transactions } = await signedTransfers(RECIPIENT, SENDS);
  await chain.fund(address);
  const later = Date.now() + READY_WITHIN_MS;
  const signing = signs(later);
  const trickling = trickle(chain, transactions, second.mined, { from: later, until: signing });
  const third = await watched(chain, address, signing);
  await trickling;
  if (third.mined < second.mined / 2) throw new Stuck();
  return [
    alone,
    crowd,
    figure(`a burst that ${SENDING_CONNECTIONS} send, accepted and sent`, concurrency, first.measured, first.mined),
    figure('a burst that was accepted and is sent', concurrency, second.measured, second.mined),
    figure('as many given to the node by others', concurrency, third.measured, third.mined),
  ];
}

/** Medians of the rounds. */
export async function measureBeside(options: Options): Promise<Beside[]> {
  const { rounds: times, seconds, say } = options;
  const figures: Beside[] = [];
  for (const concurrency of [1, 32]) {
    const rounds: Beside[][] = [];
    for (let i = 0; i < times; i++) {
      const made = await on(options, undefined, (service, chain) => round({ service, chain, concurrency, seconds }));
      for (const one of made) say(`signing beside, ${JSON.stringify(one)}`);
      rounds.push(made);
    }
    for (const [i, { beside }] of rounds[0]!.entries()) {
      const middle = (of: (one: Beside) => number) => median(rounds, (one) => of(one[i]!));
      figures.push({
        beside,
        concurrency,
        signaturesPerSecond: middle((one) => one.signaturesPerSecond),
        p50Ms: middle((one) => one.p50Ms),
        p99Ms: middle((one) => one.p99Ms),
        minedPerSecond: middle((one) => one.minedPerSecond),
        serviceCores: middle((one) => one.serviceCores),
        nodeCores: middle((one) => one.nodeCores),
      });
    }
  }
  return figures;
}
