/**
 * The cost and the speed of streams, as `--only=streams`. A thousand streams are open in one process. About five hundred top-level organizations
 * have two each, because one gets a share only. Their organizations sign at a fixed rate. Beside them another
 * organization signs as fast as it can, before the streams are open and after.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SoftAuthenticator } from '../../tests/support/authenticator.ts';
import { cpuSeconds, mainSeconds } from '../cpu.ts';
import { createAccount } from '../prepare.ts';
import { freshFolder, startOn } from '../servers.ts';
import { type Credentials, newCredentials, readCredentials, stamper } from '../stamp.ts';
import { type Beside, besideRow, besides, median, paced, shareOf } from '../webhooks/beside.ts';
import { bodyIn, each, requestsOf, type Signer } from '../webhooks/organizations.ts';
import { signRawPayload } from '../workloads.ts';
import type { Told } from './readers.ts';

export type Options = {
  program: string;
  quick: boolean;
  rounds: number;
  databaseUrl(): Promise<string | undefined>;
  say(text: string): void;
};

export type StreamFigures = {
  streams: number;
  organizations: number;
  eventsPerSecond: number;
  /** Beside signers before any stream is open, and with all. */
  without: Beside;
  with: Beside;
  messages: number;
  ageMs: { p50: number; p99: number; max: number };
  /** Of the main thread and all threads, with open streams: at rest, and for a message beyond the event's signature. */
  restCores: { all: number; main: number };
  messageMicroseconds: { all: number; main: number };
  /** Resident memory for each open stream. */
  kilobytesEach: number;
};

const EVENTS_PER_SECOND = 100;
const ROUND_S = 10;
const CONNECTIONS = 32;
const BOUND = { p99Ms: 1000, restCores: 0.1, kilobytesEach: 100 };
const OPENED_AT_ONCE = 50;
const TOLD_WITHIN_MS = 60_000;

async function asked(port: number, path: string, body: Buffer, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/public/v1/${path}`, {
    method: 'POST',
    headers,
    body: new Uint8Array(body),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${text.slice(0, 500)}`);
  return text;
}

/** A top-level organization with a key and a wallet account. */
async function createTopLevel(port: number, root: Credentials, index: number): Promise<Signer> {
  const passkey = new SoftAuthenticator();
  const parameters = { organizationName: `Own ${index}`, rootEmail: 'root@example.com', rootAuthenticator: passkey.register() };
  const creation = bodyIn(root.organizationId, 'ACTIVITY_TYPE_CREATE_ORGANIZATION_V2', parameters);
  const made = JSON.parse(await asked(port, 'submit/create_organization', creation, passkey.stamp(creation)));
  const { organizationId } = made.activity.result.createOrganizationResult as { organizationId: string };
  const question = Buffer.from(JSON.stringify({ organizationId }));
  const { userId } = JSON.parse(await asked(port, 'query/whoami', question, passkey.stamp(question))) as { userId: string };
  const credentials = newCredentials(organizationId);
  const apiKeys = [{ apiKeyName: 'key', publicKey: credentials.apiPublicKey, curveType: 'API_KEY_CURVE_P256' }];
  const key = bodyIn(organizationId, 'ACTIVITY_TYPE_CREATE_API_KEYS_V2', { userId, apiKeys });
  await asked(port, 'submit/create_api_keys', key, passkey.stamp(key));
  return { credentials, signWith: await createAccount(port, credentials, signRawPayload.account) };
}

async function ticketOf(port: number, { credentials }: Signer): Promise<string> {
  const body = Buffer.from(JSON.stringify({ organizationId: credentials.organizationId }));
  return JSON.parse(await asked(port, 'query/create_stream_ticket', body, { 'X-Stamp': stamper(credentials)(body) }))
    .ticket as string;
}

/** Opens a stream with each ticket. */
async function startReaders(port: number) {
  const child = spawn(process.execPath, [fileURLToPath(new URL('readers.ts', import.meta.url)), `${port}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const said = async () => (await once(lines, 'line', { signal: AbortSignal.timeout(TOLD_WITHIN_MS) }))[0] as string;
  const ask = async (text: string) => {
    const answer = said();
    child.stdin.write(`${text}\n`);
    return answer;
  };
  return {
    pid: child.pid!,
    open: (tickets: readonly string[]) => ask(tickets.join(' ')),
    read: async () => JSON.parse(await ask('read')) as Told,
    stop: () => void child.stdin.end(),
  };
}

const residentKilobytes = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);

export async function measureStreams({ program, quick, rounds, databaseUrl, say }: Options): Promise<StreamFigures> {
  const pairs = quick ? 49 : 499;
  const { folder, remove } = freshFolder();
  const env = {
    LOG_LEVEL: 'warn',
    ALLOW_CREATE_ORGANIZATION: '1',
    MAX_CONNECTIONS: '4000',
    RATE_UNSTAMPED: 'off',
    LIMIT_SIGNUPS_OF_ADDRESS: '10000',
  };
  const service = await startOn(folder, await databaseUrl(), program, env);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const { port, pid } = service;
  const readers = await startReaders(port);
  try {
    const credentials = `${folder}/root-credentials.json`;
    const root = readCredentials(credentials);
    const signWith = await createAccount(port, root, signRawPayload.account);
    const at = { port, pid, credentials, signWith, others: [readers.pid] };
    // The last two places of a process are for organizations that have none.
    const signers = await each(Array.from({ length: pairs + 2 }), (_, i) => createTopLevel(port, root, i));
    const two = signers.slice(0, pairs);
    say(`${signers.length} top-level organizations`);

    const events = EVENTS_PER_SECOND * ROUND_S;
    const sign = () => paced(port, agent, requestsOf(two, events), EVENTS_PER_SECOND);
    const cpuOf = async (run: () => Promise<unknown>) => {
      const before = { all: cpuSeconds([pid])!, main: mainSeconds(pid) };
      await run();
      return { all: cpuSeconds([pid])! - before.all, main: mainSeconds(pid) - before.main };
    };
    const [without, having]: [Beside[], Beside[]] = [[], []];
    for (let i = 0; i < rounds; i++) without.push(await besides(at, ROUND_S, sign));
    const plain = await cpuOf(sign);

    const memory = residentKilobytes(pid);
    const wanting = [...two.flatMap((signer) => [signer, signer]), ...signers.slice(pairs)];
    const streams = wanting.length;
    // A ticket lasts for a minute.
    for (let i = 0; i < streams; i += OPENED_AT_ONCE)
      await readers.open(await each(wanting.slice(i, i + OPENED_AT_ONCE), (signer) => ticketOf(port, signer)));
    say(`${streams} streams are open`);
    const kilobytesEach = (residentKilobytes(pid) - memory) / streams;
    const rest = await cpuOf(() => sleep(ROUND_S * 1000));
    const ages: number[] = [];
    const receive = async () => {
      const until = Date.now() + ROUND_S * 1000 + TOLD_WITHIN_MS;
      for (let count = 0; count < 2 * events; ) {
        if (Date.now() > until) throw new Error(`only ${count} of ${2 * events} messages came`);
        await sleep(100);
        const told = await readers.read();
        count += told.count;
        ages.push(...told.ages);
      }
    };
    await readers.read();
    for (let i = 0; i < rounds; i++) {
      const [figures] = await Promise.all([besides(at, ROUND_S, sign), receive()]);
      having.push(figures);
      say(`round ${i + 1}: ${without[i]!.signaturesPerSecond} and ${figures.signaturesPerSecond} signatures/s beside`);
    }
    const streamed = await cpuOf(() => Promise.all([sign(), receive()]));
    const ofOne = (name: 'all' | 'main') => ((streamed[name] - plain[name]) / events / 2) * 1e6;
    return {
      streams,
      organizations: signers.length,
      eventsPerSecond: EVENTS_PER_SECOND,
      without: median(without),
      with: median(having),
      messages: ages.length,
      ageMs: { p50: shareOf(ages, 0.5), p99: shareOf(ages, 0.99), max: Math.max(...ages) },
      restCores: { all: rest.all / ROUND_S, main: rest.main / ROUND_S },
      messageMicroseconds: { all: ofOne('all'), main: ofOne('main') },
      kilobytesEach,
    };
  } finally {
    agent.destroy();
    readers.stop();
    await service.stop();
    remove();
  }
}

export function streamsTable(figures: StreamFigures): string {
  const { ageMs, restCores, messageMicroseconds: each, kilobytesEach } = figures;
  const goals: [boolean, string][] = [
    [ageMs.p99 <= BOUND.p99Ms, `99 of 100 messages have at most ${BOUND.p99Ms} ms`],
    [restCores.all <= BOUND.restCores, `open streams at rest take at most ${BOUND.restCores} of a core`],
    [kilobytesEach <= BOUND.kilobytesEach, `a stream takes at most ${BOUND.kilobytesEach} kB`],
  ];
  if (goals.some(([holds]) => !holds)) process.exitCode = 1;
  return [
    `Streams: ${figures.streams} of ${figures.organizations} organizations, ${figures.eventsPerSecond} events/s, medians`,
    '',
    besideRow('without streams', figures.without),
    besideRow('with streams', figures.with),
    `  of those without: ${(figures.with.signaturesPerSecond / figures.without.signaturesPerSecond).toFixed(2)}`,
    `  ${figures.messages} messages; age p50 ${ageMs.p50.toFixed(0)} ms, p99 ${ageMs.p99.toFixed(0)} ms, oldest ${ageMs.max.toFixed(0)} ms`,
    `  at rest: ${restCores.all.toFixed(3)} cores, the main thread ${restCores.main.toFixed(3)}`,
    `  processor time of a message: ${each.all.toFixed(0)} µs, of which the main thread ${each.main.toFixed(0)} µs`,
    `  memory of a stream: ${kilobytesEach.toFixed(0)} kB`,
    '',
    ...goals.map(([holds, text]) => `${holds ? 'holds' : 'FAILS'}: ${text}`),
  ].join('\n');
}
