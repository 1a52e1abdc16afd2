/**
 * The cost and the speed of webhooks, as `--only=webhooks`. Half of the sub-organizations have endpoints. Those without and
 * those with endpoints sign in turn, at a fixed rate. Beside them another organization signs as fast as it can. The difference of its signatures is
 * the cost of the deliveries. At the end all with endpoints sign as fast as they can.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuSeconds, mainSeconds } from '../cpu.ts';
import { createAccount } from '../prepare.ts';
import { freshFolder, startOn } from '../servers.ts';
import { readCredentials } from '../stamp.ts';
import { signRawPayload } from '../workloads.ts';
import { type Beside, besideRow, besides, median, paced, shareOf } from './beside.ts';
import { createEndpoints, createSigners, type Request, requestsOf, type Signer, send } from './organizations.ts';
import type { Received } from './receiver.ts';

export type Options = {
  program: string;
  quick: boolean;
  rounds: number;
  eventsPerSecond: number;
  databaseUrl(): Promise<string | undefined>;
  say(text: string): void;
};

export type WebhookFigures = {
  organizations: number;
  endpoints: number;
  eventsPerSecond: number;
  /** Beside signers without and with endpoints, a median of the rounds. */
  without: Beside;
  with: Beside;
  /** Of the rounds with endpoints. */
  deliveries: number;
  deliveriesPerSecond: number;
  ageMs: { p50: number; p99: number; max: number };
  /** Processor time of a delivery in the service, at the same rate with no other load. `main`: of its main thread, which signs. */
  cpuMicroseconds: { all: number; main: number };
  /** As fast as the signers can. */
  burst: { events: number; signaturesPerSecond: number; deliveriesPerSecond: number; oldestMs: number };
};

const ENDPOINTS = 2;
const CONNECTIONS = 32;
/** Signers may lose a tenth of the main thread, which bounds signatures, to this rate. */
const BOUND = { deliveriesPerSecond: 300, loss: 0.1, oldestMs: 5000 };
const ROUND_S = 10;
const DRAINED_WITHIN_MS = 120_000;

type Receiver = { pid: number; port: number; read(): Promise<Received>; stop(): void };

async function startReceiver(): Promise<Receiver> {
  const program = fileURLToPath(new URL('receiver.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const line = async () => (await once(lines, 'line'))[0] as string;
  const port = Number(await line());
  const read = async () => {
    const answer = line();
    child.stdin.write('read\n');
    return JSON.parse(await answer) as Received;
  };
  return { pid: child.pid!, port, read, stop: () => void child.stdin.end() };
}

/** Collects what comes until `count` deliveries are in. */
async function receive(receiver: Receiver, count: number): Promise<Received> {
  const all: Received = { count: 0, lastAt: 0, ages: [] };
  const until = Date.now() + DRAINED_WITHIN_MS;
  while (all.count < count) {
    if (Date.now() > until) throw new Error(`only ${all.count} of ${count} deliveries came`);
    await sleep(50);
    const some = await receiver.read();
    all.count += some.count;
    all.lastAt = Math.max(all.lastAt, some.lastAt);
    all.ages.push(...some.ages);
  }
  return all;
}

async function asFastAsCan(port: number, agent: Agent, requests: readonly Request[]): Promise<void> {
  let next = 0;
  const client = async () => {
    for (let i = next++; i < requests.length; i = next++) await send(port, agent, requests[i]!);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
}

export async function measureWebhooks({
  program,
  quick,
  rounds,
  eventsPerSecond,
  databaseUrl,
  say,
}: Options): Promise<WebhookFigures> {
  const organizations = quick ? 50 : 500;
  const receiver = await startReceiver();
  const { folder, remove } = freshFolder();
  const env = { OUTBOUND_ALLOW: `127.0.0.1:${receiver.port}`, LOG_LEVEL: 'warn' };
  const service = await startOn(folder, await databaseUrl(), program, env);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  try {
    const { port, pid } = service;
    const credentials = `${folder}/root-credentials.json`;
    const root = readCredentials(credentials);
    const beside = {
      port,
      pid,
      credentials,
      signWith: await createAccount(port, root, signRawPayload.account),
      others: [receiver.pid],
    };
    say(`${2 * organizations} organizations, half of them with ${ENDPOINTS} endpoints`);
    const [plain, telling] = [await createSigners(port, root, organizations), await createSigners(port, root, organizations)];
    await createEndpoints(port, telling, ENDPOINTS, receiver.port);
    await sleep(2000);
    // Each creation of an endpoint after the first is an event of its organization.
    await receiver.read();

    const events = eventsPerSecond * ROUND_S;
    /** When the first event of the round was sent. */
    let beganAt = 0;
    const round = (signers: readonly Signer[]) => {
      const requests = requestsOf(signers, events);
      return besides(beside, ROUND_S, () => {
        beganAt = Date.now();
        return paced(port, agent, requests, eventsPerSecond);
      });
    };
    const [without, having]: [Beside[], Beside[]] = [[], []];
    const ages: number[] = [];
    let [deliveries, seconds] = [0, 0];
    for (let i = 0; i < rounds; i++) {
      without.push(await round(plain));
      const [figures, received] = await Promise.all([round(telling), receive(receiver, events * ENDPOINTS)]);
      having.push(figures);
      ages.push(...received.ages);
      deliveries += received.count;
      seconds += (received.lastAt - beganAt) / 1000;
      say(
        `round ${i + 1}: ${without[i]!.signaturesPerSecond} and ${figures.signaturesPerSecond} signatures/s beside, ` +
          `oldest delivery ${Math.max(...received.ages).toFixed(0)} ms`,
      );
    }

    const cpuOf = async (signers: readonly Signer[], deliveries: number) => {
      const requests = requestsOf(signers, events);
      const before = { all: cpuSeconds([pid])!, main: mainSeconds(pid) };
      await Promise.all([paced(port, agent, requests, eventsPerSecond), receive(receiver, deliveries)]);
      return { all: cpuSeconds([pid])! - before.all, main: mainSeconds(pid) - before.main };
    };
    const plainCpu = await cpuOf(plain, 0);
    const cpu = await cpuOf(telling, events * ENDPOINTS);
    const ofOne = (seconds: number) => (seconds / events / ENDPOINTS) * 1e6;
    const cpuMicroseconds = { all: ofOne(cpu.all - plainCpu.all), main: ofOne(cpu.main - plainCpu.main) };

    const burst = requestsOf(telling, events);
    const from = Date.now();
    const [signedAt, received] = await Promise.all([
      asFastAsCan(port, agent, burst).then(() => Date.now()),
      receive(receiver, events * ENDPOINTS),
    ]);
    return {
      organizations,
      endpoints: organizations * ENDPOINTS,
      eventsPerSecond,
      without: median(without),
      with: median(having),
      deliveries,
      deliveriesPerSecond: deliveries / seconds,
      ageMs: { p50: shareOf(ages, 0.5), p99: shareOf(ages, 0.99), max: Math.max(...ages) },
      cpuMicroseconds,
      burst: {
        events,
        signaturesPerSecond: (events / (signedAt - from)) * 1000,
        deliveriesPerSecond: (received.count / (received.lastAt - from)) * 1000,
        oldestMs: Math.max(...received.ages),
      },
    };
  } finally {
    agent.destroy();
    receiver.stop();
    await service.stop();
    remove();
  }
}

/** Of events too. */
const signatureMicroseconds = ({ signaturesPerSecond }: Beside, cores: number, eventsPerSecond: number) =>
  ((cores / (signaturesPerSecond + eventsPerSecond)) * 1e6).toFixed(0);

export function webhooksTable(figures: WebhookFigures): string {
  const { without, with: having, deliveriesPerSecond, ageMs, burst, cpuMicroseconds, eventsPerSecond } = figures;
  const loss = (BOUND.deliveriesPerSecond * cpuMicroseconds.main) / 1e6;
  const ofSignature = (of: Beside) =>
    `${signatureMicroseconds(of, of.serviceCores, eventsPerSecond)} µs (main thread ${signatureMicroseconds(of, of.mainCores, eventsPerSecond)} µs)`;
  const goals: [boolean, string][] = [
    [
      loss <= BOUND.loss,
      `${BOUND.deliveriesPerSecond} deliveries/s take at most ${BOUND.loss} of the main thread: ${loss.toFixed(3)}`,
    ],
    [deliveriesPerSecond >= BOUND.deliveriesPerSecond, `at least ${BOUND.deliveriesPerSecond} deliveries/s while signing`],
    [ageMs.max <= BOUND.oldestMs, `the oldest delivery has at most ${BOUND.oldestMs} ms`],
  ];
  if (goals.some(([holds]) => !holds)) process.exitCode = 1;
  return [
    `Webhooks: ${figures.endpoints} endpoints of ${figures.organizations} organizations, ${eventsPerSecond} events/s, medians`,
    '',
    besideRow('signers without', without),
    besideRow('signers with endpoints', having),
    `  of those without: ${(having.signaturesPerSecond / without.signaturesPerSecond).toFixed(2)}`,
    `  processor time of the service for a signature: without ${ofSignature(without)}, with ${ofSignature(having)}`,
    `  ${figures.deliveries} deliveries, ${deliveriesPerSecond.toFixed(0)}/s; age p50 ${ageMs.p50.toFixed(0)} ms, p99 ${ageMs.p99.toFixed(0)} ms, oldest ${ageMs.max.toFixed(0)} ms`,
    `  processor time of a delivery: ${cpuMicroseconds.all.toFixed(0)} µs, of which the main thread ${cpuMicroseconds.main.toFixed(0)} µs`,
    `  as fast as they can: ${burst.events} signatures at ${burst.signaturesPerSecond.toFixed(0)}/s, ` +
      `deliveries at ${burst.deliveriesPerSecond.toFixed(0)}/s, oldest ${burst.oldestMs.toFixed(0)} ms`,
    '',
    ...goals.map(([holds, text]) => `${holds ? 'holds' : 'FAILS'}: ${text}`),
  ].join('\n');
}
