/**
 * The cost of a caller beyond a limit, beside one within it. Requests for a one-time code at the auth proxy, on SQLite; the
 * service has a fresh folder for each row.
 */
import { Agent, request } from 'node:http';
import { enabledProxy } from '../tests/support/auth-proxy.ts';
import { clientOf } from '../tests/support/client.ts';
import { cpuSeconds } from './cpu.ts';
import { freshFolder, startOn } from './servers.ts';
import { readCredentials } from './stamp.ts';

type Case = { caller: string; env: Record<string, string>; contact(i: number): string; status: number };

const MANY = '1000000000';
/** An address has no limit here. */
const OPEN = { DEV_OUTBOX: '1', LOG_LEVEL: 'info', RATE_UNSTAMPED: 'off', LIMIT_OTP_INITIATIONS_OF_ADDRESS: MANY };
const another = (i: number): string => `somebody.${i}@example.com`;

const CASES: readonly Case[] = [
  { caller: 'under all limits', env: OPEN, contact: another, status: 200 },
  {
    caller: 'over that of a contact',
    env: { ...OPEN, LIMIT_OTP_INITIATIONS: '1' },
    contact: () => 'one@example.com',
    status: 429,
  },
  {
    caller: 'over the stored one of an address',
    env: { ...OPEN, LIMIT_OTP_INITIATIONS_OF_ADDRESS: '1' },
    contact: another,
    status: 429,
  },
  { caller: 'over RATE_UNSTAMPED', env: { ...OPEN, RATE_UNSTAMPED: '0.001/1' }, contact: another, status: 429 },
];

export type LimitFigures = { caller: string; status: number; requestsPerSecond: number; cpuMicroseconds: number | undefined };

const CONNECTIONS = 8;

type Asking = { port: number; configId: string; contact(i: number): string };

/** Asks on a few connections until the time has passed. Returns how many answers of each status came. */
async function ask({ port, configId, contact }: Asking, seconds: number, from: number): Promise<Map<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const statuses = new Map<number, number>();
  const until = performance.now() + seconds * 1000;
  let next = from;
  const one = () =>
    new Promise<void>((done, fail) => {
      const body = JSON.stringify({ otpType: 'OTP_TYPE_EMAIL', contact: contact(next++) });
      const headers = { 'content-length': Buffer.byteLength(body), 'x-auth-proxy-config-id': configId };
      const sent = request({ port, host: '127.0.0.1', path: '/v1/otp_init_v2', method: 'POST', agent, headers }, (answer) => {
        statuses.set(answer.statusCode!, (statuses.get(answer.statusCode!) ?? 0) + 1);
        answer.resume().once('end', done);
      });
      sent.once('error', fail).end(body);
    });
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < until) await one();
    }),
  );
  agent.destroy();
  return statuses;
}

async function measure({ caller, env, contact, status }: Case, program: string, seconds: number): Promise<LimitFigures> {
  const { folder, remove } = freshFolder();
  const service = await startOn(folder, undefined, program, env);
  try {
    const { apiPublicKey, apiPrivateKey, organizationId } = readCredentials(`${folder}/root-credentials.json`);
    const keys = { publicKey: apiPublicKey, privateKey: apiPrivateKey };
    const { configId } = await enabledProxy(clientOf(`http://127.0.0.1:${service.port}`, keys, organizationId));
    const asking = { port: service.port, configId, contact };
    // The first requests use up the limit, and compile the code.
    await ask(asking, seconds, 0);
    const before = cpuSeconds([service.pid]);
    const statuses = await ask(asking, seconds, 1e9);
    const after = cpuSeconds([service.pid]);
    const count = statuses.get(status) ?? 0;
    if (statuses.size !== 1 || count === 0)
      throw new Error(
        `${caller}: answered with ${[...statuses].map(([code, n]) => `${code} (${n})`).join(', ')}, not ${status} alone`,
      );
    const cpuMicroseconds = before === undefined || after === undefined ? undefined : ((after - before) / count) * 1e6;
    return { caller, status, requestsPerSecond: count / seconds, cpuMicroseconds };
  } finally {
    await service.stop();
    remove();
  }
}

export async function measureLimits(program: string, seconds: number, say: (text: string) => void): Promise<LimitFigures[]> {
  const figures: LimitFigures[] = [];
  for (const one of CASES) {
    say(`who is ${one.caller}`);
    figures.push(await measure(one, program, seconds));
  }
  return figures;
}

export function limitsTable(figures: readonly LimitFigures[]): string {
  const rows = [
    ['a caller who is', 'answer', 'requests/s', 'CPU µs'],
    ...figures.map(({ caller, status, requestsPerSecond, cpuMicroseconds }) => [
      caller,
      String(status),
      requestsPerSecond.toFixed(0),
      cpuMicroseconds?.toFixed(0) ?? '–',
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ');
  return `Codes asked for at the auth proxy, SQLite, ${CONNECTIONS} connections\n\n${rows.map(line).join('\n')}`;
}
