import assert from 'node:assert/strict';
import { createPublicKey, ECDH, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as clients from '@turnkey/crypto';
import { exportedMnemonic, initWalletImport, sealMnemonic } from '../activities/custody.ts';
import { newToken } from '../activities/tokens.ts';
import { type Client, ethereumAccount, newKeys, resultOf } from '../support/client.ts';
import { engineName, freshMigrated, plainSql } from '../support/database.ts';
import { amount, isRelease } from '../support/full.ts';
import { sharedInstance, startInstance } from '../support/instance.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { newTarget } from '../support/published.ts';
import { newWallet } from './authority.ts';

const instance = await sharedInstance();

type Published = {
  name: string;
  use: string;
  curve: string;
  algorithm: string;
  publicKey: string;
  overrides: { client: string; functions: string[]; option: string; form: string; value: string }[];
};
/** The names that the first programs had, and those that were added since. */
const OLDER = ['bundle-signer', 'otp-signer', 'legacy-token-signer'];
const NEWER = [
  ...['session-signer', 'identity-token-signer', 'oauth2-secret-encryption', 'on-ramp-secret-encryption'],
  ...['attestation-signer', 'operator-signer'],
];

const WORDS = `${'abandon '.repeat(11)}about`;

async function published(url: string): Promise<{ text: string; keys: Published[] }> {
  const response = await fetch(`${url}/public/v1/discovery/keys`);
  assert.equal(response.status, 200);
  const text = await response.text();
  return { text, keys: JSON.parse(text).keys };
}

async function bundleOf(client: Client): Promise<{ data: string; dataSignature: string; enclaveQuorumPublic: string }> {
  const { walletId } = await newWallet(client);
  const targetPublicKey = newTarget().publicKeyUncompressed;
  return JSON.parse(
    resultOf(await client.submit('EXPORT_WALLET', { walletId, targetPublicKey }), 'exportWalletResult').exportBundle,
  );
}

/** As the document says: ECDSA with SHA-256, the signature in DER. */
function verifies(publicKey: string, data: string, signature: string): boolean {
  const point = Buffer.from(publicKey, 'hex');
  const jwk = { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) };
  const key = createPublicKey({ format: 'jwk', key: jwk });
  return verify('sha256', Buffer.from(data, 'hex'), key, Buffer.from(signature, 'hex'));
}

test('each key with its name, its use and its public half alone; to anybody, also in a web page elsewhere', async () => {
  const response = await fetch(`${instance.url}/public/v1/discovery/keys`, { headers: { origin: 'https://elsewhere.example' } });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type')!, /^application\/json/);
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  const document = await response.json();
  assert.deepEqual(Object.keys(document), ['keys']);
  assert.deepEqual(
    document.keys.map(({ name }: Published) => name),
    [...OLDER, ...NEWER],
  );
  assert.equal(new Set(document.keys.map(({ publicKey }: Published) => publicKey)).size, 9);
  for (const key of document.keys as Published[]) {
    assert.deepEqual(Object.keys(key), ['name', 'use', 'curve', 'algorithm', 'publicKey', 'overrides']);
    const opens = key.name.endsWith('-encryption');
    assert.match(key.use, opens ? /^Opens / : /^Signs /);
    const large = key.name === 'attestation-signer';
    assert.equal(key.curve, large ? 'CURVE_P384' : 'CURVE_P256');
    assert.match(key.algorithm, opens ? /^(ECDH|HPKE).*AES-256-GCM$/ : large ? /ES384/ : /^ECDSA with SHA-256/);
    assert.match(key.publicKey, large ? /^04[0-9a-f]{192}$/ : /^04[0-9a-f]{128}$/);
    for (const { form, value } of key.overrides)
      assert.equal(value, ECDH.convertKey(key.publicKey, 'prime256v1', 'hex', 'hex', form as 'compressed' | 'uncompressed'));
  }
});

test('each function of the published package that is named takes its key', async () => {
  const { keys } = await published(instance.url);
  const named = keys.flatMap(({ overrides }) => overrides.filter(({ client }) => client === '@turnkey/crypto'));
  for (const { functions, option } of named)
    for (const name of functions) {
      const known = (clients as unknown as Record<string, () => unknown>)[name];
      assert.ok(known?.toString().includes(option), name);
    }
  const keyOf = (name: string) => keys.find((key) => key.name === name)!;
  const mine = newKeys();
  const { jwt } = newToken(instance, 'ada@example.com', mine);
  const { value } = keyOf('otp-signer').overrides[0]!;
  assert.equal((await clients.verifyOtpVerificationToken(jwt, value)).contact, 'ada@example.com');
  const [head, payload, signature] = newToken(instance, 'ada@example.com', undefined).jwt.split('.');
  const verified = (name: string) => {
    const point = Buffer.from(keyOf(name).publicKey, 'hex');
    const jwk = { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) };
    const key = createPublicKey({ format: 'jwk', key: jwk });
    const signed = Buffer.from(`${head}.${payload}`);
    return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature!, 'base64url'));
  };
  assert.deepEqual([verified('legacy-token-signer'), verified('otp-signer')], [true, false]);
});

test('the key verifies the bundles of exports and imports, and the key of another installation does not', async () => {
  const [{ publicKey }] = (await published(instance.url)).keys as [Published, ...Published[]];
  const importer = { client: instance.root, userId: instance.credentials.userId };
  const bundles = [await bundleOf(instance.root), JSON.parse(await initWalletImport(importer))];
  const other = await startInstance();
  try {
    const [theirs] = (await published(other.url)).keys as [Published, ...Published[]];
    assert.notEqual(theirs.publicKey, publicKey);
    for (const { data, dataSignature, enclaveQuorumPublic } of bundles) {
      assert.equal(enclaveQuorumPublic, publicKey);
      assert.ok(verifies(publicKey, data, dataSignature));
      assert.ok(!verifies(theirs.publicKey, data, dataSignature));
      assert.ok(!verifies(publicKey, data.replace(/^7b/, '5b'), dataSignature));
    }
  } finally {
    await other.close();
  }
});

/** Services on one database: one after another, or side by side where the database can. */
async function onOneDatabase(
  work: (start: () => Promise<ServiceProcess>, at: { folder: string; url: string | undefined }) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-discovery-'));
  const database = await freshMigrated(dataDir);
  const running: ServiceProcess[] = [];
  try {
    await work(
      async () => {
        const service = await startProcess({ DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) });
        running.push(service);
        await service.ready();
        return service;
      },
      { folder: dataDir, url: database?.url },
    );
  } finally {
    for (const service of running) service.child.kill('SIGTERM');
    for (const service of running) await service.exited;
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** An import that began at one service ends at the other, and the other's exports open with the key that the first published. */
async function sameKeys(first: ServiceProcess, next: () => Promise<ServiceProcess>): Promise<void> {
  const { text } = await published(first.url);
  const one = first.root();
  const { userId } = (await one.query('whoami')).body;
  const importer = { client: one, userId };
  const encryptedBundle = await sealMnemonic(importer, await initWalletImport(importer), WORDS);
  const second = await next();
  assert.equal((await published(second.url)).text, text);
  const two = second.root();
  const parameters = { userId, walletName: `brought to ${second.url}`, encryptedBundle, accounts: [ethereumAccount()] };
  const { walletId } = resultOf(await two.submit('IMPORT_WALLET', parameters), 'importWalletResult');
  const target = newTarget();
  const exporting = { walletId, targetPublicKey: target.publicKeyUncompressed };
  const { exportBundle } = resultOf(await two.submit('EXPORT_WALLET', exporting), 'exportWalletResult');
  assert.equal(JSON.parse(exportBundle).enclaveQuorumPublic, JSON.parse(text).keys[0].publicKey);
  assert.equal(await exportedMnemonic(two, exportBundle, target), WORDS);
}

test('a restart changes nothing', { skip: engineName === 'postgres' && !isRelease && 'on SQLite, and with --release' }, () =>
  onOneDatabase(async (start) => {
    const first = await start();
    await sameKeys(first, async () => {
      first.child.kill('SIGTERM');
      assert.equal(await first.exited, 0, first.output());
      return start();
    });
  }),
);

test(
  'two processes that start at once on one empty database publish one key',
  {
    skip: engineName === 'sqlite' && 'needs PostgreSQL',
  },
  () =>
    onOneDatabase(async (start) => {
      const [first, second] = await Promise.all([start(), start()]);
      await sameKeys(first, async () => second);
      await sameKeys(second, async () => first);
    }),
);

test('a database of an older program gets the keys that it lacks, once, and keeps those that it has', () =>
  onOneDatabase(async (start, at) => {
    const before = await start();
    const { keys } = await published(before.url);
    before.child.kill('SIGTERM');
    await before.exited;
    await plainSql(at, `DELETE FROM service_keys WHERE name IN (${NEWER.map((name) => `'${name}'`).join(', ')})`);
    // SQLite lets one process in.
    const starting = Array.from({ length: engineName === 'sqlite' ? 1 : amount(3, 3, 5) }, () => start());
    const answers = await Promise.all(starting.map(async (service) => published((await service).url)));
    for (const { text } of answers) assert.equal(text, answers[0]!.text);
    for (const { name, publicKey } of answers[0]!.keys) {
      const was = keys.find((key) => key.name === name)!.publicKey;
      assert.equal(publicKey === was, OLDER.includes(name), name);
    }
  }));
