/**
 * `npm run enumeration`: can a caller without a stamp learn from the auth proxy which people have an account? Asks a throw-away
 * instance about people with and without an account, and compares the answers and their times. Exits 1 if they can be told
 * apart.
 *
 *   --samples N   of each kind (1000)
 *   --json        the figures as JSON
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { encryptOtpCodeToBundle } from '@turnkey/crypto';
import { DEFAULT_LIMITS } from '../../src/model/limits.ts';
import { limitSetting } from '../../src/settings/names.ts';
import { attestedHeader, attestedStamp } from '../../tests/support/attested.ts';
import { enabledProxy, type TestProxy } from '../../tests/support/auth-proxy.ts';
import { type Keys, newKeys, submitPath } from '../../tests/support/client.ts';
import { codeIn } from '../../tests/support/mail.ts';
import { type ServiceProcess, startProcess } from '../../tests/support/process.ts';
import { publishedKey } from '../../tests/support/published.ts';
import { type Asked, asker, shapeOf } from './ask.ts';
import { type People, signedUp } from './people.ts';
import { median, rankTest } from './rank-test.ts';

const HELP = `usage: npm run enumeration -- [--samples N] [--json]

Asks the auth proxy of a throw-away instance about contacts with an account and contacts without one. They take turns, in a random order, on one connection. The endpoints are otp_init, otp_init_v2, otp_verify and otp_verify_v2, and account where it needs a verification token. Then users whose contact is not verified: logins by a token, at the proxy and by an attested stamp. Compares the answers, but for ids and keys that are drawn anew, and the times by a rank test. Exits 1 if one of them tells who has an account.
At last account without that rule, which tells everybody: if it is not noticed, the measurement is worth nothing.
`;

/** One run of a hundred raises a false alarm by chance. */
const ALPHA = 0.01;

/** The number of rows: each has its part of the chance of a false alarm. */
const ROWS = 9;

const OWN = 'whoever-asks@example.com';

type Kind = 'known' | 'unknown';
type Sample = Asked & { contact: string };
type Samples = Record<Kind, Sample[]>;
type Body = (contact: string) => object;
type Stamp = (body: object, contact: string) => Record<string, string>;
type Row = { what: string; known: number; unknown: number; p: number; larger: number; sameText: boolean };

function shuffled<T>(list: T[]): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}

type Ask = ReturnType<typeof asker>['ask'];

/** The first answers of a process are slow, for all contacts. */
const WARMUP = 200;

const NO_STAMP: Stamp = () => ({});

async function sample(ask: Ask, path: string, { known, unknown }: People, bodyOf: Body, stamp = NO_STAMP): Promise<Samples> {
  const all: { kind: Kind; contact: string }[] = [
    ...known.map((contact) => ({ kind: 'known' as const, contact })),
    ...unknown.map((contact) => ({ kind: 'unknown' as const, contact })),
  ];
  for (let i = 0; i < WARMUP; i++) await ask(path, {});
  const samples: Samples = { known: [], unknown: [] };
  for (const { kind, contact } of shuffled(all)) {
    const body = bodyOf(contact);
    samples[kind].push({ contact, ...(await ask(path, body, stamp(body, contact))) });
  }
  return samples;
}

function compare(what: string, { known, unknown }: Samples): Row {
  const [times, others] = [known.map(({ ms }) => ms), unknown.map(({ ms }) => ms)];
  const shapes = (of: Sample[]) => [...new Set(of.map((one) => shapeOf(one, one.contact)))].sort().join('\n');
  return {
    what,
    known: median(times),
    unknown: median(others),
    ...rankTest(times, others),
    sameText: shapes(known) === shapes(unknown),
  };
}

/** Throws if one was refused for another reason. */
function refusedBy(wanted: number, { known, unknown }: Samples): void {
  for (const { status, text } of [...known, ...unknown])
    if (status !== wanted) throw new Error(`not ${wanted}: ${status} ${text}`);
}

/** The answer to each contact's code. */
function answersOf({ known, unknown }: Samples): Map<string, Record<string, string>> {
  const all = [...known, ...unknown];
  for (const { status, text } of all) if (status !== 200) throw new Error(`no code was sent: ${status} ${text}`);
  return new Map(all.map(({ contact, text }) => [contact, JSON.parse(text) as Record<string, string>]));
}

async function sealedGuesses(url: string, codes: Map<string, Record<string, string>>): Promise<Map<string, object>> {
  const signer = await publishedKey(url, 'otp-signer');
  const guesses = new Map<string, object>();
  for (const [contact, { otpId, otpEncryptionTargetBundle }] of codes) {
    const encryptedOtpBundle = await encryptOtpCodeToBundle('AAAAAAAAA', otpEncryptionTargetBundle!, newKeys().publicKey, signer);
    guesses.set(contact, { otpId, encryptedOtpBundle });
  }
  return guesses;
}

/** A verification token for an address of the caller, bound to a key if one is given. */
async function tokenOf(url: string, { ask }: TestProxy, contact = OWN, publicKey?: string): Promise<string> {
  const { otpId } = (await ask('otp_init', { otpType: 'OTP_TYPE_EMAIL', contact })).body;
  const { messages } = (await (await fetch(`${url}/dev/outbox`)).json()) as { messages: { to: string; text: string }[] };
  const otpCode = codeIn(messages.find(({ to }) => to === contact)!.text);
  return (await ask('otp_verify', { otpId, otpCode, ...(publicKey && { publicKey }) })).body.verificationToken;
}

/** Every user whose contact is not verified has a token for it, and so have those who are no users. */
async function tokensOf(url: string, proxy: TestProxy, { known, unknown }: People) {
  const tokens = new Map<string, { keys: Keys; verificationToken: string }>();
  for (const contact of [...known, ...unknown]) {
    const keys = newKeys();
    tokens.set(contact, { keys, verificationToken: await tokenOf(url, proxy, contact, keys.publicKey) });
  }
  return tokens;
}

/** A caller at one address would meet these limits, which are the same for all contacts. */
const OPEN: Record<string, string> = {
  RATE_UNSTAMPED: 'off',
  ...Object.fromEntries(
    Object.keys(DEFAULT_LIMITS)
      .filter((name) => /OfAddress$/.test(name))
      .map((name) => [limitSetting(name), '1000000000']),
  ),
};

async function measure(service: ServiceProcess, people: People, unverified: People, note: (row: Row) => void): Promise<Row> {
  const settings = { verificationTokenRequiredForGetAccountPii: true, otpExpirationSeconds: 600 };
  const proxy = await enabledProxy(service.root(), settings);
  const { ask, close } = asker(Number(new URL(service.url).port), proxy.configId);
  const run = async (what: string, path: string, bodyOf: Body, whom = people, stamp = NO_STAMP) => {
    const samples = await sample(ask, path, whom, bodyOf, stamp);
    note(compare(what, samples));
    return samples;
  };
  const init: Body = (contact) => ({ otpType: 'OTP_TYPE_EMAIL', contact });
  const lookUp: Body = (contact) => ({ filterType: 'EMAIL', filterValue: contact });
  try {
    const codes = answersOf(await run('otp_init', '/v1/otp_init', init));
    await run('otp_verify, a wrong code', '/v1/otp_verify', (contact) => ({ ...codes.get(contact), otpCode: 'AAAAAAAAA' }));
    const sealed = answersOf(await run('otp_init_v2', '/v1/otp_init_v2', init));
    const guesses = await sealedGuesses(service.url, sealed);
    await run('otp_verify_v2, a wrong code', '/v1/otp_verify_v2', (contact) => guesses.get(contact)!);
    await run('account, without a token', '/v1/account', lookUp);
    await run('account, with a wrong token', '/v1/account', (contact) => ({ ...lookUp(contact), verificationToken: 'x.y.z' }));
    const own = await tokenOf(service.url, proxy);
    await run('account, with another’s token', '/v1/account', (contact) => ({ ...lookUp(contact), verificationToken: own }));
    const tokens = await tokensOf(service.url, proxy, unverified);
    const loginOf: Body = (contact) => {
      const { keys, verificationToken } = tokens.get(contact)!;
      return { verificationToken, publicKey: keys.publicKey };
    };
    refusedBy(403, await run('otp_login, contact unverified', '/v1/otp_login', loginOf, unverified));
    const root = service.root();
    const stampLogin: Body = () => JSON.parse(root.bodyOf('STAMP_LOGIN', { publicKey: newKeys().publicKey }));
    const attestedBy: Stamp = (body, contact) => {
      const { keys, verificationToken } = tokens.get(contact)!;
      return { 'x-stamp-attested': attestedHeader(attestedStamp(keys, { verificationToken }, JSON.stringify(body))) };
    };
    refusedBy(401, await run('stamp_login, the same', submitPath('STAMP_LOGIN'), stampLogin, unverified, attestedBy));
    await proxy.set({ verificationTokenRequiredForGetAccountPii: false });
    return compare('account, without the rule', await sample(ask, '/v1/account', people, lookUp));
  } finally {
    close();
  }
}

const tells = ({ p, sameText }: Row, alpha: number): boolean => !sameText || p < alpha;

const lineOf = (row: Row, isTold: boolean): string =>
  [
    row.what.padEnd(30),
    `${row.known.toFixed(3)} ms`.padStart(11),
    `${row.unknown.toFixed(3)} ms`.padStart(11),
    row.p.toFixed(4).padStart(8),
    row.larger.toFixed(3).padStart(8),
    `  ${row.sameText ? 'equal ' : 'differ'}  ${isTold ? 'YES' : 'no'}`,
  ].join('');

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { samples: { type: 'string', default: '1000' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  const samples = Number(values.samples);
  if (values.help || !Number.isInteger(samples) || samples < 20) {
    process.stdout.write(HELP);
    return values.help ? 0 : 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'countersign-enumeration-'));
  const env = { ...OPEN, DATA_DIR: folder, HOST: '127.0.0.1' };
  const say = (line: string) => values.json || process.stdout.write(`${line}\n`);
  const rows: Row[] = [];
  try {
    const first = await startProcess(env);
    await first.ready();
    const { organizationId } = first.root();
    first.child.kill('SIGTERM');
    await first.exited;
    const people = await signedUp(folder, organizationId, samples);
    const unverified = await signedUp(folder, organizationId, samples, false);
    const service = await startProcess(env);
    await service.ready();
    say(`${''.padEnd(30)}    account  no account       p  larger  answers told apart`);
    const alpha = ALPHA / ROWS;
    const control = await measure(service, people, unverified, (row) => {
      rows.push(row);
      say(lineOf(row, tells(row, alpha)));
    });
    say(`${lineOf(control, tells(control, alpha))} (as expected)`);
    service.child.kill('SIGTERM');
    await service.exited;
    const told = rows.filter((row) => tells(row, alpha));
    if (values.json)
      process.stdout.write(`${JSON.stringify({ samples, alpha, rows, control, told: told.length > 0 }, null, 2)}\n`);
    if (control.sameText) throw new Error('the control was not noticed: the measurement is worth nothing');
    return told.length > 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
