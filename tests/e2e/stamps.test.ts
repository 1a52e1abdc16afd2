import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { ethers } from 'ethers';
import { post, resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';

const instance = await sharedInstance();

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** The DER that wallets' own encoder writes: a zero byte is put in front where needed, and none is ever taken away. */
function sloppyDer(r: string, s: string): string {
  const integer = (value: string) => {
    const body = Number.parseInt(value.slice(0, 2), 16) >= 0x80 ? `00${value}` : value;
    return `02${(body.length / 2).toString(16).padStart(2, '0')}${body}`;
  };
  const both = integer(r) + integer(s);
  return `30${(both.length / 2).toString(16).padStart(2, '0')}${both}`;
}

type Scheme = { name: string; curve: string; publicKey: string; sign(body: string): string | Promise<string> };

const seed = Buffer.alloc(32, 7);
const wallet = new ethers.Wallet(`0x${hex(seed)}`);

const schemes: Scheme[] = [
  {
    name: 'SIGNATURE_SCHEME_TK_API_P256',
    curve: 'API_KEY_CURVE_P256',
    publicKey: hex(p256.getPublicKey(seed)),
    sign: (body) => hex(p256.sign(sha256(Buffer.from(body)), seed, { prehash: false, format: 'der' })),
  },
  {
    name: 'SIGNATURE_SCHEME_TK_API_SECP256K1',
    curve: 'API_KEY_CURVE_SECP256K1',
    publicKey: hex(secp256k1.getPublicKey(seed)),
    sign: (body) => hex(secp256k1.sign(sha256(Buffer.from(body)), seed, { prehash: false, format: 'der' })),
  },
  {
    name: 'SIGNATURE_SCHEME_TK_API_ED25519',
    curve: 'API_KEY_CURVE_ED25519',
    publicKey: hex(ed25519.getPublicKey(seed)),
    sign: (body) => hex(ed25519.sign(Buffer.from(body), seed)),
  },
  {
    name: 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191',
    curve: 'API_KEY_CURVE_SECP256K1',
    publicKey: hex(secp256k1.getPublicKey(seed)),
    async sign(body) {
      const signature = await wallet.signMessage(body);
      return sloppyDer(signature.slice(2, 66), signature.slice(66, 130));
    },
  },
];

for (const scheme of schemes) {
  test(`${scheme.name}: a registered key stamps, over the very bytes and no others`, async () => {
    const known = (await instance.root.query('get_api_keys')).body.apiKeys.some(
      (k: { credential: { publicKey: string } }) => k.credential.publicKey === scheme.publicKey,
    );
    if (!known) {
      const key = { apiKeyName: scheme.curve, publicKey: scheme.publicKey.toUpperCase(), curveType: scheme.curve };
      resultOf(
        await instance.root.submit('CREATE_API_KEYS_V2', { userId: instance.credentials.userId, apiKeys: [key] }),
        'createApiKeysResult',
      );
    }
    // Enough bodies that integers with a leading zero byte occur.
    for (let i = 0; i < 40; i++) {
      const body = JSON.stringify({ organizationId: instance.root.organizationId, n: i, text: 'ünïcode' });
      const stamp = async (publicKey: string) =>
        Buffer.from(JSON.stringify({ scheme: scheme.name, signature: await scheme.sign(body), publicKey })).toString('base64url');
      const url = `${instance.url}/public/v1/query/whoami`;
      const answer = await post(url, body, {
        'x-stamp': await stamp(i % 2 === 0 ? scheme.publicKey : scheme.publicKey.toUpperCase()),
      });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.userId, instance.credentials.userId);
      const changed = await post(url, `${body} `, { 'x-stamp': await stamp(scheme.publicKey) });
      assert.equal(changed.status, 401);
      assert.equal(changed.body.details[0].turnkeyErrorCode, 'SIGNATURE_INVALID');
    }
  });
}

test('a key of one curve does not authenticate by another curve’s scheme', async () => {
  const body = JSON.stringify({ organizationId: instance.root.organizationId });
  const stamp = { scheme: 'SIGNATURE_SCHEME_TK_API_ED25519', publicKey: schemes[0]!.publicKey, signature: '00'.repeat(64) };
  const answer = await post(`${instance.url}/public/v1/query/whoami`, body, {
    'x-stamp': Buffer.from(JSON.stringify(stamp)).toString('base64url'),
  });
  assert.equal(answer.status, 401);
});
