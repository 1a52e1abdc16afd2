import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openControl } from '../../src/app/custody/control.ts';
import { followMasterKeys } from '../../src/app/custody/follow.ts';
import { rotateMaster } from '../../src/app/custody/rotate-master.ts';
import { rotateRoot } from '../../src/app/custody/rotate-root.ts';
import { SealedTooLate } from '../../src/base/errors.ts';
import { keyRing } from '../../src/custody/key-ring.ts';
import { newMasterKey, openMasterKeys } from '../../src/custody/masters.ts';
import { openWith, sealWith } from '../../src/custody/roots/aead.ts';
import { awsKmsRoot, type KmsPackage } from '../../src/custody/roots/aws-kms.ts';
import { passphraseRoot } from '../../src/custody/roots/passphrase.ts';
import { type Pkcs11Package, pkcs11Root } from '../../src/custody/roots/pkcs11.ts';
import type { RootKey } from '../../src/custody/types.ts';
import { fill } from '../store/fixture.ts';
import { idOf, NOW } from '../store/names.ts';
import { type Opened, openMigrated } from '../store/opened.ts';
import { authProxyConfigOf } from '../store/repositories/credentials/auth-proxy-config-row.ts';
import { invitationOf } from '../store/repositories/people/invitation-row.ts';
import { engineName } from '../support/database.ts';

/** Root keys of one id, as two passphrases are. */
function rootOf(byte: number): RootKey {
  const key = createSecretKey(Buffer.alloc(32, byte));
  return {
    id: 'passphrase:test',
    wrap: async (plain, aad) => sealWith(key, plain, aad, randomBytes),
    async unwrap(wrapped, aad) {
      const plain = openWith(key, wrapped, aad);
      if (plain === undefined) throw new Error('it does not open');
      return plain;
    },
  };
}

const root = rootOf(1);
let opened: Opened;
beforeEach(async () => {
  opened = await openMigrated();
  const wrapped = await newMasterKey(root, 1, randomBytes);
  await opened.store.exclusively((tx) =>
    tx.instance.insertMasterKey({ version: 1, rootId: root.id, wrapped, state: 'live', createdAt: NOW }),
  );
});
afterEach(() => opened.close());

const log = { debug() {}, info() {}, warn() {}, error() {} };
const parts = () => ({ store: opened.store, random: randomBytes, say() {}, isStopping: () => false, settle: async () => {} });

test(`a keyed hash under a version that seals no more is not stored, because that version may be erased, on ${engineName}`, async () => {
  const { store } = opened;
  const secret = Buffer.concat([Buffer.of(2, 0, 0, 0, 1), randomBytes(32)]);
  await store.transaction((tx) => fill(tx, 'org', null));
  const add = (id: string) => store.transaction((tx) => tx.invitations.insert(invitationOf('org', id, { secret })));
  await add('before');
  await store.exclusively((tx) => tx.instance.moveMasterKey(1, 'live', 'hashes'));
  await assert.rejects(add('after'), SealedTooLate);
  assert.equal(await store.read.invitations.get(idOf('org'), idOf('after')), undefined);
});

test(`settings of an auth proxy are stored while a rotation has not come to its key, on ${engineName}`, async () => {
  const { store } = opened;
  const [id, sealedKey] = [idOf('org'), Buffer.concat([Buffer.of(1, 0, 0, 0, 1), randomBytes(60)])];
  const config = { ...authProxyConfigOf(id), sealedKey };
  await store.transaction(async (tx) => {
    await fill(tx, 'org', null);
    await tx.authProxyConfigs.replace(config);
  });
  await store.exclusively((tx) => tx.instance.moveMasterKey(1, 'live', 'closing'));
  await assert.rejects(
    store.transaction((tx) => tx.authProxyConfigs.replace(config)),
    SealedTooLate,
  );
  const settings = { ...config.settings, sessionExpirationSeconds: 61 };
  await store.transaction((tx) => tx.authProxyConfigs.setSettings(id, settings, NOW + 1));
  assert.deepEqual(await store.read.authProxyConfigs.ofOrganization(id), { ...config, settings, updatedAt: NOW + 1 });
});

test(`a master key that is made during a rotation of the root key is not stored beside another passphrase, on ${engineName}`, async () => {
  const { store } = opened;
  const next = rootOf(2);
  const slow: RootKey = {
    ...root,
    async wrap(plain, aad) {
      await rotateRoot(store, { from: root, to: next }, false);
      return root.wrap(plain, aad);
    },
  };
  await assert.rejects(
    rotateMaster({ ...parts(), root: slow, now: NOW, force: false }),
    /another command changes the master keys/,
  );
  assert.equal((await openMasterKeys(next, await store.read.instance.masterKeys())).size, 1);
});

test(`a process reads sealed secrets again, although the first time failed, on ${engineName}`, async () => {
  const { store } = opened;
  const held = { root, ring: keyRing(() => root) };
  await held.ring.take(await store.read.instance.masterKeys());
  let asked = 0;
  const forget = async () => {
    if (++asked === 1) throw new Error('the database does not answer');
  };
  const following = followMasterKeys({ store, clock: { now: () => NOW } as never, held, log: log as never, forget });
  await store.exclusively((tx) => tx.instance.moveMasterKey(1, 'live', 'closing'));
  await assert.rejects(following.look());
  await following.look();
  await following.look();
  assert.equal(asked, 2);
});

test(`requests are served between the pages of a rotation, on ${engineName}`, async () => {
  const { store } = opened;
  let turns = 0;
  let turn = setImmediate(function next() {
    turns++;
    turn = setImmediate(next);
  });
  const seen: number[] = [];
  const page: typeof store.sealed.page = (...asked) => {
    seen.push(turns);
    return store.sealed.page(...asked);
  };
  await rotateMaster({ ...parts(), store: { ...store, sealed: { ...store.sealed, page } }, root, now: NOW, force: false });
  clearImmediate(turn);
  assert.ok(seen.length > 10);
  for (const [i, at] of seen.entries()) assert.ok(i === 0 || at > seen[i - 1]!, `page ${i}`);
});

test('a passphrase whose bytes come in two parts is taken as it is', {
  skip: engineName !== 'sqlite' && 'a socket of SQLite',
}, async () => {
  const passphrase = 'zwölf oder mehr Zeichen';
  const control = await openControl(opened.folder, { ...parts(), held: { root }, now: () => NOW }, log as never);
  const job = { command: 'rotate-root', to: { provider: 'passphrase', passphrase }, force: false, dryRun: false };
  const bytes = Buffer.from(`${JSON.stringify(job)}\n`);
  const within = bytes.indexOf('ö') + 1;
  const socket = connect(join(opened.folder, 'control.sock')).resume();
  socket.write(bytes.subarray(0, within));
  await sleep(50);
  socket.write(bytes.subarray(within));
  await once(socket, 'close');
  await control!.close();
  assert.equal(
    (await openMasterKeys(passphraseRoot(passphrase, randomBytes), await opened.store.read.instance.masterKeys())).size,
    1,
  );
});

test('a command that the service does not know changes nothing', {
  skip: engineName !== 'sqlite' && 'a socket of SQLite',
}, async () => {
  const control = await openControl(opened.folder, { ...parts(), held: { root }, now: () => NOW }, log as never);
  const socket = connect(join(opened.folder, 'control.sock'));
  socket.write(`${JSON.stringify({ command: 'of-a-newer-version' })}\n`);
  let text = '';
  socket.on('data', (chunk) => (text += chunk));
  await once(socket, 'close');
  await control!.close();
  assert.match(text, /failed.*does not know this command/);
  assert.equal((await opened.store.read.instance.masterKeys()).length, 1);
});

/** A token of a test. `calls`: how many are between C_Initialize and C_Finalize. */
function token(answer: (data: Buffer) => Promise<Buffer>) {
  const calls = { open: 0 };
  class Library {
    load() {}
    close() {}
    C_Initialize() {
      if (++calls.open > 1) throw new Error('CKR_CRYPTOKI_ALREADY_INITIALIZED');
    }
    C_Finalize() {
      calls.open--;
    }
    C_GetSlotList = () => [Buffer.alloc(1)];
    C_GetTokenInfo = () => ({ label: 'token' });
    C_OpenSession = () => Buffer.alloc(1);
    C_Login() {}
    C_FindObjectsInit() {}
    C_FindObjects = () => [Buffer.alloc(1)];
    C_FindObjectsFinal() {}
    C_EncryptInit() {}
    C_EncryptAsync = answer;
  }
  const native = { PKCS11: Library } as unknown as Pkcs11Package;
  const made = () => pkcs11Root(native, { module: '/dev/null', token: 'token', key: 'key', pin: '1' }, randomBytes);
  return { calls, made };
}

test('pkcs11: calls follow each other, because a process initializes a library once', async () => {
  const { calls, made } = token(async (data) => data);
  await Promise.all([made(), made()].map((one) => one.wrap(Buffer.alloc(32), Buffer.alloc(1))));
  assert.equal(calls.open, 0);
});

test('pkcs11: a token that is silent is left, and its library is not ended under the call', async ({ mock }) => {
  const asked = Promise.withResolvers<void>();
  const { calls, made } = token(() => {
    asked.resolve();
    return new Promise(() => {});
  });
  mock.timers.enable({ apis: ['setTimeout'] });
  const wrapping = made().wrap(Buffer.alloc(32), Buffer.alloc(1));
  await asked.promise;
  await new Promise(setImmediate);
  mock.timers.tick(10_000);
  await assert.rejects(wrapping, /no answer within 10 seconds/);
  assert.equal(calls.open, 1);
});

test('aws-kms: the kind of an error comes from the server, and is shown only if it is a word', async () => {
  const kms = (name: string): RootKey => {
    const send = async () => {
      throw Object.assign(new Error('text'), { name });
    };
    const KMSClient = class {
      send = send;
    };
    const made = { KMSClient, EncryptCommand: Object, DecryptCommand: Object } as unknown as KmsPackage;
    return awsKmsRoot(made, { key: 'k', region: 'r', url: undefined });
  };
  for (const name of ['key is\u001b[2J 0f0f', 'x'.repeat(65)])
    await assert.rejects(kms(name).wrap(Buffer.alloc(32), Buffer.alloc(1)), /did not encrypt: an unknown error: check/);
  await assert.rejects(kms('constructor').wrap(Buffer.alloc(32), Buffer.alloc(1)), /did not encrypt: constructor: check/);
});
