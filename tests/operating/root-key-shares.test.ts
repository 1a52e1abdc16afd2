import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { backupPlace } from '../support/backups.ts';
import { findings } from '../support/canary/encodings.ts';
import { cli } from '../support/cli.ts';
import { ethereumAccount, newKeys, resultOf } from '../support/client.ts';
import { engineName, freshDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-shares-'));
const dataDir = join(folder, 'data');
const database = await freshDatabase();
const copies = await backupPlace();
const base = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
const SHARES = { ROOT_KEY_PROVIDER: 'shares' };
after(async () => {
  await database?.drop();
  copies.remove();
  rmSync(folder, { recursive: true, force: true });
});

type Run = { code?: number; input?: string; env?: Record<string, string> };

async function custody(args: string[], { code = 0, input = '', env = {} }: Run = {}): Promise<string> {
  const ran = await cli(['custody', ...args], { env: { ...base, ...env }, input });
  assert.equal(ran.code, code, ran.err + ran.out);
  return ran.out + ran.err;
}

/** The words of the shares in a folder, in order. */
const sharesIn = (name: string): string[] =>
  readdirSync(join(folder, name))
    .sort()
    .map(
      (file) =>
        readFileSync(join(folder, name, file), 'utf8')
          .trim()
          .split('\n')
          .at(-1)!,
    );

async function stop(service: ServiceProcess): Promise<void> {
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
}

const payload = { payload: '00', encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' };
const sign = async (service: ServiceProcess, signWith: string) =>
  resultOf(await service.root().submit('SIGN_RAW_PAYLOAD_V2', { signWith, ...payload }), 'signRawPayloadResult');

async function readyOf({ url }: ServiceProcess): Promise<[number, string]> {
  const answer = await fetch(`${url}/ready`);
  return [answer.status, ((await answer.json()) as { reason?: string }).reason ?? ''];
}

async function sealedProcess(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await startProcess({ ...base, ...SHARES, LOG_LEVEL: 'info', ...env });
  await service.shows(/the service is sealed/);
  return service;
}

let address: string;
let service: ServiceProcess;

test('shares of a root key file give it again, and nothing else writes a file', async () => {
  service = await startProcess(base);
  await service.ready();
  const wallet = await service.root().submit('CREATE_WALLET', { walletName: 'W', accounts: [ethereumAccount()] });
  [address] = resultOf(wallet, 'createWalletResult').addresses;
  const five = join(folder, 'five');
  assert.match(
    await custody(['split', '--shares', '5', '--threshold', '3', '--out', five]),
    /Any 3 of these 5 shares give the root key file:/,
  );
  assert.ok(readdirSync(five).every((file) => (statSync(join(five, file)).mode & 0o777) === 0o600));
  assert.match(await custody(['split', '--shares', '2', '--threshold', '2', '--out', five], { code: 1 }), /five is not empty/);
  const shares = sharesIn('five');
  const three = [4, 0, 2].map((i) => shares[i]!).join('\n');
  assert.match(await custody(['combine'], { code: 1, input: three }), /root\.key exists, and is not overwritten/);
  const out = join(folder, 'again.key');
  assert.match(
    await custody(['combine', '--out', out], { code: 1, input: shares.slice(0, 2).join('\n') }),
    /2 of 3 shares were given/,
  );
  const typo = `${shares[0]}\n${shares[1]!.replace(/^\w+/, 'academic')}`;
  assert.match(await custody(['combine', '--out', out], { code: 1, input: typo }), /checksum|another set/);
  const other = { DATA_DIR: join(folder, 'other'), ROOT_KEY_PATH: join(folder, 'other.key') };
  writeFileSync(other.ROOT_KEY_PATH, 'ab'.repeat(32), { mode: 0o600 });
  const foreign = JSON.parse(
    (await cli(['custody', 'split', '--shares', '2', '--threshold', '2', '--json'], { env: other })).out,
  );
  assert.equal(foreign.compared, false);
  assert.match(
    await custody(['combine', '--out', out], { code: 1, input: foreign.shares.join('\n') }),
    /the shares give the root key file:\w+, but the database has file:/,
  );
  assert.match(
    await custody(['split', '--shares', '3', '--threshold', '2'], { code: 1, env: { ROOT_KEY_PATH: other.ROOT_KEY_PATH } }),
    /no shares were made: the settings name the root key file:\w+, but/,
  );
  assert.match(await custody(['combine', '--out', out], { input: three }), /was written to .*again\.key\.\n$/);
  assert.equal(readFileSync(out, 'utf8'), readFileSync(join(dataDir, 'root.key'), 'utf8'));
  assert.equal(statSync(out).mode & 0o777, 0o600);
  assert.match(
    await custody(['split', '--shares', '3', '--threshold', '2'], {
      code: 1,
      env: { ROOT_KEY_PROVIDER: 'passphrase', ROOT_PASSPHRASE: 'a long passphrase' },
    }),
    /ROOT_KEY_PROVIDER=passphrase cannot be split: .*keep the passphrase/,
  );
  for (const [shares, threshold] of [
    ['17', '2'],
    ['3', '1'],
    ['2', '3'],
    ['x', '2'],
  ])
    await custody(['split', '--shares', shares!, '--threshold', threshold!], { code: 2 });
});

test('a rotation to shares gives them first, and then only they open the service', async () => {
  const three = join(folder, 'three');
  const to = ['rotate-root', '--to', 'shares', '--shares', '3', '--threshold', '2'];
  assert.match(await custody(to, { code: 2 }), /no terminal to show the shares on: name an empty folder/);
  assert.match(await custody(['rotate-root', '--to', 'shares', '--dry-run']), /would be wrapped by shares: a new key/);
  assert.match(
    await custody([...to, '--out', three]),
    /1 master key wrapped by shares:.*ROOT_KEY_PROVIDER=shares.*share-3-of-3\.txt\nAny 2 of these 3/s,
  );
  const status = JSON.parse(await custody(['status', '--json']));
  assert.match(status.rootKey, /^shares:[0-9a-f]{16}$/);
  await sign(service, address);
  await stop(service);
  const wrong = await startProcess(base);
  assert.equal(await wrong.exited, 1);
  assert.match(wrong.output(), /set ROOT_KEY_PROVIDER=shares, and give its shares with countersign custody unseal/);
});

test('a sealed process answers that it is sealed, refuses wrong shares, and opens with enough', async () => {
  const [metrics, frames] = [await freePort(), await freePort()];
  const service = await sealedProcess({ METRICS_PORT: `${metrics}`, FRAMES_PORT: `${frames}` });
  const gauge = async () =>
    /^countersign_sealed (\d)$/m.exec(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text())![1];
  const frame = async () => (await fetch(`http://127.0.0.1:${frames}/frames/export`)).status;
  assert.deepEqual([await gauge(), await frame(), (await fetch(`${service.url}/metrics`)).status], ['1', 503, 503]);
  const socket = join(dataDir, 'unseal.sock');
  assert.equal(statSync(socket).mode & 0o777, 0o600);
  assert.equal((await fetch(`${service.url}/health`)).status, 200);
  assert.deepEqual(await readyOf(service), [503, 'sealed, no share was given']);
  const refused = await fetch(`${service.url}/public/v1/query/whoami`, { method: 'POST', body: '{}' });
  assert.deepEqual(
    [refused.status, ((await refused.json()) as { message: string }).message.slice(0, 21)],
    [503, 'the service is sealed'],
  );
  // Answers all the time: the listener stays.
  let stopped = false;
  const watching = (async () => {
    for (; !stopped; ) assert.equal((await fetch(`${service.url}/health`)).status, 200);
  })();
  watching.catch(() => {});

  const shares = sharesIn('three');
  const unseal = (input: string, code = 0) => custody(['unseal'], { input, code });
  assert.match(await unseal(shares[0]!), /Share 1 was taken: 1 of 2/);
  assert.deepEqual(await readyOf(service), [503, 'sealed, 1 of 2']);
  assert.match(await custody(['status']), /sealed, 1 of 2/);
  const doctor = () => cli(['doctor'], { env: { ...base, ...SHARES } });
  assert.match((await doctor()).out, /problem +root key +the service waits for its root key: sealed, 1 of 2\n.*custody unseal/);
  assert.match(await unseal(shares[0]!, 1), /share 1 was given already/);
  assert.match(await unseal(sharesIn('five')[1]!, 1), /share 2 is of another set/);
  assert.match(await unseal(`${shares[1]}\n${shares[2]}`, 1), /one share at a time/);
  assert.match(await unseal('', 1), /no share was given/);
  assert.match(await unseal(shares.join(' '), 1), /was not taken|ended its answer/);
  assert.deepEqual(await readyOf(service), [503, 'sealed, 1 of 2']);
  assert.match(await unseal(`# a note\n${shares[2]!.toUpperCase()}\n`), /Share 3 was taken: 2 of 2. The service is unsealed/);
  await service.ready();
  assert.deepEqual([await waitFor('a new page', async () => (await gauge()) === '0' && '0'), await frame()], ['0', 200]);
  stopped = true;
  await watching;
  await sign(service, address);
  assert.match((await doctor()).out, /ok +root key +the root key shares:\w+ is in shares/);
  assert.match(await unseal(shares[0]!, 1), /no sealed service listens/);
  assert.throws(() => statSync(socket));
  assert.match(service.output(), /"share":3,"have":2,"need":2/);
  const secrets = shares.map((text, i) => ({ name: `share ${i + 1}`, text }));
  assert.deepEqual(findings(secrets, [{ name: 'the log', bytes: Buffer.from(service.output()) }]), []);
  await stop(service);
});

test('a complete set of another key is wiped, and a signal ends a sealed process at once', async () => {
  const own = { DATA_DIR: join(folder, 'second') };
  // On SQLite a database belongs to one DATA_DIR.
  const second = engineName === 'sqlite' ? {} : own;
  if (engineName !== 'sqlite') mkdirSync(own.DATA_DIR);
  const service = await sealedProcess(second);
  const foreign = JSON.parse(
    (
      await cli(['custody', 'split', '--shares', '2', '--threshold', '2', '--json'], {
        env: { DATA_DIR: join(folder, 'other'), ROOT_KEY_PATH: join(folder, 'other.key') },
      })
    ).out,
  ).shares;
  await custody(['unseal'], { input: foreign[0], env: second });
  assert.match(
    await custody(['unseal'], { input: foreign[1], env: second, code: 1 }),
    /the 2 shares do not give the root key of this instance, and were wiped: it was sealed with shares:/,
  );
  assert.deepEqual(await readyOf(service), [503, 'sealed, no share was given']);
  assert.match(await (await fetch(`${service.url}/metrics`)).text(), /^countersign_sealed 1$/m);
  const begun = performance.now();
  await stop(service);
  assert.ok(performance.now() - begun < 2_000);
});

test('a copy of an instance whose root key is in shares never holds the key, and a drill asks for them', async () => {
  const env = { ...base, ...SHARES };
  const file = copies.at('copy.age');
  const made = await cli(['backup', '--out', file, '--recipient', copies.recipient], { env });
  assert.match(made.err, /the copy does not hold the root key, which only its shares give/);
  const drill = (input: string) => cli(['restore', '--drill', '--from', file, '--identity', copies.identityFile], { env, input });
  const shares = sharesIn('three');
  assert.match((await drill(shares[1]!)).err, /nothing was proved: 1 of 2 shares were given/);
  const proved = await drill(shares.slice(1).join('\n'));
  assert.equal(proved.code, 0, proved.err);
  assert.match(proved.out, /the root key of shares opens the master keys/);
  assert.match(
    await custody(['combine', '--out', join(folder, 'x.key')], { code: 1, env: SHARES }),
    /Give the shares to custody unseal/,
  );
});

test('a recovery of a root user asks for shares, also in a dry run', async () => {
  const file = join(dataDir, 'root-credentials.json');
  const { organizationId, userId } = JSON.parse(readFileSync(file, 'utf8'));
  const wish = ['--organization', organizationId, '--user', userId, '--public-key', newKeys().publicKey, '--reason', 'lost'];
  const planned = (input: string) => cli(['recover-root', ...wish, '--dry-run'], { env: { ...base, ...SHARES }, input });
  assert.match((await planned('')).err, /0 of the shares were given/);
  assert.match((await planned(sharesIn('three').join('\n'))).out, /would be pending\. Nothing was changed/);
});

test('recovery by the operator asks for the shares', async () => {
  const input = sharesIn('three').slice(1).join('\n');
  const run = (...args: string[]) => cli(['recover-root', ...args, '--reason', 'lost'], { env: { ...base, ...SHARES }, input });
  const allowed = await run('allow');
  assert.equal(allowed.out, 'Recovery by the operator is on. Nothing was changed.\n', allowed.err);
  const id = '00000000-0000-4000-8000-000000000000';
  const begun = await run('--organization', id, '--user', id, '--public-key', `02${'11'.repeat(32)}`);
  assert.match(begun.err, /there is no organization/);
});

test('shares lead back to a file, without a running service', async () => {
  const key = join(folder, 'back.key');
  const run = { env: { ...SHARES, NEW_ROOT_KEY_PATH: key } };
  const shares = sharesIn('three');
  assert.match(
    await custody(['rotate-root', '--to', 'file'], { ...run, code: 1, input: shares[0]! }),
    /1 of 2 shares were given/,
  );
  assert.match(
    await custody(['rotate-root', '--to', 'file', '--force'], { ...run, input: shares.slice(0, 2).join('\n') }),
    /wrapped by file:/,
  );
  assert.match(await custody(['status']), /root key: file:/);
});

const TERMINAL = fileURLToPath(new URL('../support/on-terminal.py', import.meta.url));
const CLI = fileURLToPath(new URL('../../scripts/countersign.mjs', import.meta.url));

/** `answers`: what is typed, once the terminal shows a prompt. */
function onTerminal(args: string[], answers: [prompt: string, typed: string][], more: Record<string, string>) {
  const { status, stdout } = spawnSync(
    'python3',
    [TERMINAL, JSON.stringify(answers), process.execPath, CLI, 'custody', ...args],
    {
      env: { PATH: process.env.PATH, ...base, ...more },
      encoding: 'utf8',
    },
  );
  return { code: status, shown: stdout };
}

test('a terminal never shows a share that is typed, and shows new ones before the root key changes', {
  skip: spawnSync('python3', ['--version']).status !== 0 && 'python3 makes the terminal',
}, async () => {
  const key = join(folder, 'back.key');
  const out = join(folder, 'typed.key');
  const divided = await custody(['split', '--shares', '3', '--threshold', '2', '--json'], { env: { ROOT_KEY_PATH: key } });
  const { shares } = JSON.parse(divided);
  const typed = ['wrong words', shares[0], shares[2]].map((text): [string, string] => ['not shown): ', `${text}\r`]);
  const combined = onTerminal(['combine', '--out', out], typed, {});
  assert.equal(combined.code, 0, combined.shown);
  assert.match(combined.shown, /this text has 2\. Try again\./);
  for (const text of [shares[0].slice(-40), shares[2].slice(-40), 'wrong words']) assert.ok(!combined.shown.includes(text));
  assert.equal(readFileSync(out, 'utf8'), readFileSync(key, 'utf8'));

  const to = ['rotate-root', '--to', 'shares', '--shares', '2', '--threshold', '2'];
  const before = await custody(['status']);
  const refused = onTerminal(to, [['Type yes: ', 'no\r']], { ROOT_KEY_PATH: key });
  assert.equal(refused.code, 1);
  assert.match(refused.shown, /Share 2 of 2:\s+(?:[a-z]+ ){32}[a-z]+\s.*the root key was not changed/s);
  assert.equal(await custody(['status']), before);
  const agreed = onTerminal(to, [['Type yes: ', 'yes\r']], { ROOT_KEY_PATH: key });
  assert.equal(agreed.code, 0, agreed.shown);
  assert.match(await custody(['status']), /root key: shares:/);
});
