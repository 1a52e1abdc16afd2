/**
 * What sending costs others who sign. On two cores the node takes its part of them too, so that each row of sends stands beside one in which somebody
 * else gives the node as many transactions, signed before: what is between the two is what the service's own work costs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measured } from '../load.ts';
import { submit } from '../prepare.ts';
import { readCredentials } from '../stamp.ts';
import { bodyOf } from '../workloads.ts';
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
  /** Microseconds of the service's processor time, by signatures: what it spends on sends is in it. */
  serviceCpu: number;
  nodeCores: number;
};

const TICK_MS = 20;
const LOOK_EVERY_MS = 50;
const WARMUP_S = 0.5;
const COMPILED_S = 2;
/** Until then both loads are made. */
const READY_WITHIN_MS = 5000;
/** Sends a second that others ask for. */
const STEADY = 20;
const SENDING_CONNECTIONS = 32;
/** More than land while signatures are measured. */
const SENDS = 1500;
/** Signatures a second to make ready. */
const RATE = 5000;

type During = { from: number; until: Promise<unknown> };

/** Does something at a steady rate: all from one number up to another one. Gives how often. */
async function steadily(
  perSecond: number,
  { from, until }: During,
  some: (first: number, next: number) => Promise<unknown>,
): Promise<number> {
  let over = false;
  void until.finally(() => {
    over = true;
  });
  await sleep(Math.max(0, from - Date.now()));
  let done = 0;
  for (; !over; await sleep(TICK_MS)) {
    const due = Math.floor(((Date.now() - from) / 1000) * perSecond);
    if (due > done) await some(done, due);
    done = Math.max(done, due);
  }
  return done;
}

/** Resolves with what `use` resolves with, and how many of the account's transactions were mined each second while it was measured. */
async function watched(chain: Chain, address: string, use: Promise<Measured>): Promise<Watched> {
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
  serviceCpu: 1e6 / (measured.requestsPerCpuSecond ?? Number.NaN),
  nodeCores: (measured.requestsPerSecond * (measured.databaseMicroseconds ?? Number.NaN)) / 1e6,
});

type At = { service: Service; chain: Chain; concurrency: number; seconds: number };
type Signs = (at?: number) => Promise<Measured>;
type Watched = { measured: Measured; mined: number };

/** Signatures while the node gets transactions of somebody else. */
async function besideNode({ chain, seconds }: At, signs: Signs, perSecond: number): Promise<Watched> {
  const count = Math.ceil((seconds + WARMUP_S + READY_WITHIN_MS / 1000) * perSecond);
  const { address, transactions } = await signedTransfers(RECIPIENT, count);
  await chain.fund(address);
  const at = Date.now() + READY_WITHIN_MS;
  const signing = signs(at);
  const giving = steadily(perSecond, { from: at, until: signing }, (first, next) => chain.send(transactions.slice(first, next)));
  const seen = await watched(chain, address, signing);
  await giving;
  if (seen.mined < perSecond / 2) throw new Stuck();
  return seen;
}

/** Signatures while somebody asks for a few sends each second. */
async function besideStream({ service, chain }: At, signs: Signs): Promise<Watched> {
  const from = await service.newSender();
  const root = readCredentials(service.credentialsFile);
  const send = (index: number) => {
    const body = bodyOf(GIVEN, root.organizationId, from, index, Date.now() - index);
    return submit(service.port, root, GIVEN.path, body);
  };
  const at = Date.now() + READY_WITHIN_MS;
  const signing = signs(at);
  const sending = steadily(STEADY, { from: at, until: signing }, async (first, next) => {
    for (let i = first; i < next; i++) await send(i);
  });
  const seen = await watched(chain, from, signing);
  await chain.untilNonce(from, await sending);
  return seen;
}

/** Signatures while a burst that was accepted before is worked off. Undefined: it was as soon as it was accepted. */
async function besideBurst({ service, chain }: At, signs: Signs): Promise<Watched | undefined> {
  const from = await service.newSender();
  await service.load(from, { workload: GIVEN, connections: SENDING_CONNECTIONS, count: SENDS });
  const seen = await watched(chain, from, signs());
  const isOver = (await chain.nonce(from)) >= SENDS;
  await chain.untilNonce(from, SENDS);
  return isOver ? undefined : seen;
}

async function round(at: At): Promise<Beside[]> {
  const { service, concurrency, seconds } = at;
  await service.signs({ connections: concurrency, seconds: COMPILED_S, rate: RATE });
  const signs: Signs = (begin) =>
    service.signs({ connections: concurrency, seconds, warmup: WARMUP_S, rate: RATE, ...(begin && { at: begin }) });
  const row = (beside: string, { measured, mined }: Watched) => figure(beside, concurrency, measured, mined);
  const rows = [row('nothing', { measured: await signs(), mined: 0 })];
  rows.push(row(`${STEADY} a second given to the node by others`, await besideNode(at, signs, STEADY)));
  rows.push(row(`${STEADY} sends a second`, await besideStream(at, signs)));
  const burst = await besideBurst(at, signs);
  if (burst === undefined) return rows;
  rows.push(row('a burst that was accepted and is sent', burst));
  rows.push(row('as many given to the node by others', await besideNode(at, signs, burst.mined)));
  return rows;
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
    for (const { beside } of rounds.toSorted((one, other) => other.length - one.length)[0]!) {
      const made = rounds.flatMap((rows) => rows.filter((row) => row.beside === beside));
      const middle = (of: (one: Beside) => number) => median(made, of);
      figures.push({
        beside,
        concurrency,
        signaturesPerSecond: middle((one) => one.signaturesPerSecond),
        p50Ms: middle((one) => one.p50Ms),
        p99Ms: middle((one) => one.p99Ms),
        minedPerSecond: middle((one) => one.minedPerSecond),
        serviceCpu: middle((one) => one.serviceCpu),
        nodeCores: middle((one) => one.nodeCores),
      });
    }
  }
  return figures;
}
