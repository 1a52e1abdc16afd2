import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { rootKeyOf } from '../../src/app/root-key.ts';
import { newMasterKey, openMasterKeys } from '../../src/custody/masters.ts';
import type { RootKey } from '../../src/custody/types.ts';
import type { RootKeySettings } from '../../src/settings/root-key.ts';
import { freePort } from '../support/free-port.ts';
import { isFull } from '../support/full.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-remote-roots-'));
const servers: Server[] = [];
after(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

type Answer = { status: number; body: object } | 'silence';

async function serve(answer: (request: IncomingMessage, body: Record<string, never>) => Answer): Promise<string> {
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const said = answer(request, JSON.parse(Buffer.concat(chunks).toString()));
    if (said !== 'silence')
      response.writeHead(said.status, { 'content-type': 'application/json' }).end(JSON.stringify(said.body));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Seals as the real servers do: under a key that stays there, bound to what the client names. */
function keeper() {
  const key = randomBytes(32);
  return {
    seal(plain: Buffer, aad: string): Buffer {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(aad));
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed: Buffer, aad: string): Buffer | undefined {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(Buffer.from(aad));
        decipher.setAuthTag(sealed.subarray(-16));
        return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

const refused = (status: number, text: string): Answer => ({ status, body: { errors: [text] } });

/** The transit engine of Vault and OpenBao: their documented requests and answers. */
function transit() {
  const keys = new Map([['transit/root', keeper()]]);
  let state: 'unsealed' | 'sealed' | 'silent' = 'unsealed';
  const url = serve(({ url: path = '', method, headers }, body: Record<string, string>) => {
    if (state === 'silent') return 'silence';
    if (state === 'sealed') return refused(503, 'Vault is sealed');
    const [, mount, action, name] = /^\/v1\/(\w+)\/(encrypt|decrypt)\/([\w-]+)$/.exec(path) ?? [];
    if (headers['x-vault-token'] !== 'good-token') return refused(403, 'permission denied');
    const key = keys.get(`${mount}/${name}`);
    if (key === undefined || method !== 'POST') return refused(404, 'no handler for route');
    const aad = body.associated_data!;
    if (action === 'encrypt') {
      const ciphertext = `vault:v1:${key.seal(Buffer.from(body.plaintext!, 'base64'), aad).toString('base64')}`;
      return { status: 200, body: { data: { ciphertext, key_version: 1 } } };
    }
    const plain = key.open(Buffer.from(body.ciphertext!.replace('vault:v1:', ''), 'base64'), aad);
    if (plain === undefined) return refused(400, 'cipher: message authentication failed');
    return { status: 200, body: { data: { plaintext: plain.toString('base64') } } };
  });
  return { url, become: (next: typeof state) => (state = next) };
}

/** The JSON protocol of AWS KMS, as its official client speaks it. */
function kms() {
  const key = keeper();
  let fails: string | undefined;
  const url = serve(({ headers }, body: Record<string, string>) => {
    if (fails === 'silence') return 'silence';
    const error = (name: string): Answer => ({ status: 400, body: { __type: name, message: 'about arn:secret-resource' } });
    if (fails !== undefined) return error(fails);
    if (!/^AWS4-HMAC-SHA256 Credential=AKIDTEST\//.test(headers.authorization ?? '')) return error('UnrecognizedClientException');
    const context = JSON.stringify(body.EncryptionContext);
    if (headers['x-amz-target'] === 'TrentService.Encrypt') {
      const sealed = key.seal(Buffer.from(body.Plaintext!, 'base64'), context);
      return { status: 200, body: { CiphertextBlob: sealed.toString('base64'), KeyId: body.KeyId } };
    }
    const plain = key.open(Buffer.from(body.CiphertextBlob!, 'base64'), context);
    return plain === undefined
      ? error('InvalidCiphertextException')
      : { status: 200, body: { Plaintext: plain.toString('base64') } };
  });
  return { url, fail: (name: string | undefined) => (fails = name) };
}

/** Wraps two versions, opens them in another process, and refuses a swap, a change and another root key. */
async function checkRoot(root: RootKey, again: RootKey, changed: RegExp): Promise<void> {
  const row = async (version: number) => ({ version, rootId: root.id, wrapped: await newMasterKey(root, version, randomBytes) });
  const rows = [await row(1), await row(2)];
  const opened = await openMasterKeys(again, rows);
  assert.deepEqual([...opened.keys()], [1, 2]);
  assert.ok(!opened.get(1)!.equals(opened.get(2)!));
  await assert.rejects(openMasterKeys(again, [{ ...rows[0]!, version: 2 }]), changed);
  const flipped = Buffer.from(rows[0]!.wrapped);
  flipped[flipped.length - 3]! ^= 1;
  await assert.rejects(openMasterKeys(again, [{ ...rows[0]!, wrapped: flipped }]), changed);
}

test('vault-transit: the key stays at the server, and each failure says what to do, without the token', async () => {
  const server = transit();
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, 'good-token\n');
  const settings = {
    provider: 'vault-transit',
    url: await server.url,
    mount: 'transit',
    key: 'root',
    tokenFile,
    namespace: undefined,
  } as const;
  const open = (more: object = {}) => rootKeyOf({ ...settings, ...more } as RootKeySettings, { random: randomBytes });
  const root = await open();
  assert.equal(root.id, 'vault-transit:transit/root');
  await checkRoot(root, await open(), /vault-transit\) did not decrypt: status 400: the key did not seal this/);

  const failing = async (made: RootKey | Promise<RootKey>, why: RegExp) =>
    assert.rejects(newMasterKey(await made, 1, randomBytes), (error: Error) => {
      assert.match(error.message, why);
      assert.doesNotMatch(error.message, /good-token|bad-token/);
      return true;
    });
  await failing(open({ key: 'other' }), /"other" at http.*status 404: it has no such key: check ROOT_KEY_MOUNT/);
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  await failing(open({ url: nowhere }), /no answer: ECONNREFUSED\. Check ROOT_KEY_URL/);
  await failing(open({ tokenFile: join(folder, 'none') }), /ROOT_KEY_TOKEN_PATH names .*ENOENT/);
  server.become('sealed');
  await failing(root, /status 503: it is sealed/);
  server.become('unsealed');
  writeFileSync(tokenFile, 'bad-token');
  await failing(root, /status 403: the token in ROOT_KEY_TOKEN_PATH expired/);
  for (const text of ['', 'good-token\nbad-token', '{"token": "good-token"}']) {
    writeFileSync(tokenFile, text);
    await failing(root, /ROOT_KEY_TOKEN_PATH names .* must hold one token/);
  }
  writeFileSync(tokenFile, 'good-token');
  await newMasterKey(root, 1, randomBytes);
});

test('aws-kms: the official client, with the master key as context, and failures without its texts', async () => {
  const server = kms();
  process.env.AWS_ACCESS_KEY_ID = 'AKIDTEST';
  process.env.AWS_SECRET_ACCESS_KEY = 'secret-of-the-test';
  const settings = {
    provider: 'aws-kms',
    key: 'arn:aws:kms:eu-central-1:1:key/one',
    region: 'eu-central-1',
    url: await server.url,
  } as const;
  const open = (more: object = {}) => rootKeyOf({ ...settings, ...more } as RootKeySettings, { random: randomBytes });
  const root = await open();
  await checkRoot(root, await open(), /aws-kms\) did not decrypt: the key did not seal this, or it was changed/);
  const failing = async (made: RootKey | Promise<RootKey>, why: RegExp) =>
    assert.rejects(newMasterKey(await made, 1, randomBytes), (error: Error) => {
      assert.match(error.message, why);
      assert.doesNotMatch(error.message, /secret-/);
      return true;
    });
  for (const [name, why] of [
    ['AccessDeniedException', /permit kms:Encrypt and kms:Decrypt/],
    ['NotFoundException', /no such key: check ROOT_KEY_NAME/],
    ['DisabledException', /disabled: enable it/],
    ['SomethingNew', /did not encrypt: SomethingNew: check/],
  ] as const) {
    server.fail(name);
    await failing(root, why);
  }
  await failing(open({ url: 'http://127.0.0.1:1' }), /ECONNREFUSED: check ROOT_KEY_REGION/);
});

test('a server that takes a call and is silent does not hold the start', {
  skip: !isFull && 'waits for its time limits: in --full',
}, async () => {
  const [vault, aws] = [transit(), kms()];
  vault.become('silent');
  aws.fail('silence');
  const tokenFile = join(folder, 'token-of-silence');
  writeFileSync(tokenFile, 'good-token');
  const place = { key: 'root', region: 'eu-central-1', mount: 'transit', tokenFile, namespace: undefined };
  const wrapping = async (more: object) =>
    newMasterKey(await rootKeyOf({ ...place, ...more } as unknown as RootKeySettings, { random: randomBytes }), 1, randomBytes);
  await Promise.all([
    assert.rejects(wrapping({ provider: 'vault-transit', url: await vault.url }), /no answer: .*time/),
    assert.rejects(wrapping({ provider: 'aws-kms', url: await aws.url }), /no answer within 10 seconds/),
  ]);
});

const SOFTHSM = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so'].find((file) =>
  existsSync(file),
);
const isBuilt = existsSync(new URL('../../optional/node_modules/pkcs11js/build/Release/pkcs11.node', import.meta.url));

test('pkcs11: an AES key of SoftHSM 2 wraps, and a wrong PIN, token or label is named', {
  skip: !isBuilt ? 'needs pkcs11js, built in optional/' : SOFTHSM === undefined && 'needs SoftHSM 2',
}, async () => {
  mkdirSync(join(folder, 'tokens'));
  writeFileSync(join(folder, 'softhsm.conf'), `directories.tokendir = ${join(folder, 'tokens')}\n`);
  process.env.SOFTHSM2_CONF = join(folder, 'softhsm.conf');
  const run = (args: string[]) => execFileSync('softhsm2-util', args, { stdio: 'ignore' });
  run(['--init-token', '--free', '--label', 'countersign', '--so-pin', '8765', '--pin', '4321']);
  // The tool reads a key up to its first zero byte.
  writeFileSync(join(folder, 'aes.bin'), Buffer.alloc(32, 0x5a));
  run(['--import', join(folder, 'aes.bin'), '--aes', '--token', 'countersign', '--label', 'root', '--id', '01', '--pin', '4321']);
  const settings = { provider: 'pkcs11', module: SOFTHSM!, token: 'countersign', key: 'root', pin: '4321' } as const;
  const open = (more: object = {}) => rootKeyOf({ ...settings, ...more } as RootKeySettings, { random: randomBytes });
  const root = await open();
  await checkRoot(root, await open(), /pkcs11\) cannot be used: the key did not seal this/);
  for (const [more, why] of [
    [{ pin: '9999' }, /the PIN is wrong: check ROOT_KEY_PIN/],
    [{ token: 'other' }, /0 tokens have this label, instead of one: check ROOT_KEY_SLOT/],
    [{ key: 'other' }, /0 secret keys have this label, instead of one: check ROOT_KEY_NAME/],
    [{ module: '/usr/lib/none.so' }, /ENOENT/],
  ] as const)
    await assert.rejects(newMasterKey(await open(more), 1, randomBytes), (error: Error) => {
      assert.match(error.message, why);
      assert.doesNotMatch(error.message, /9999|4321/);
      return true;
    });
});

test('a provider whose package is absent names the exact command, and installs nothing', {
  skip: isBuilt && 'pkcs11js is installed',
}, async () => {
  const settings = { provider: 'pkcs11', module: '/m', token: 't', key: 'k', pin: '1234' } as const;
  await assert.rejects(rootKeyOf(settings, { random: randomBytes }), {
    message:
      "ROOT_KEY_PROVIDER=pkcs11 needs the package pkcs11js, which is not installed. In the service's folder, run: " +
      'npm install --prefix optional --ignore-scripts pkcs11js@2.1.7 && npm rebuild --prefix optional --ignore-scripts=false pkcs11js',
  });
});
