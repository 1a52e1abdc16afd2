import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { hashAuthorization as ethersHashAuthorization, keccak256 as ethersKeccak } from 'ethers';
import { keccak256 as viemKeccak } from 'viem';
import { hashAuthorization, recoverAuthorizationAddress } from 'viem/utils';
import { toHex } from '../../../src/base/bytes.ts';
import { ApiError, invalid } from '../../../src/base/errors.ts';
import { parseAuthorization } from '../../../src/chains/ethereum/eip7702.ts';
import { addressFormat } from '../../../src/chains/index.ts';
import { payloadToSign } from '../../../src/chains/shared/payload.ts';
import { signatureText } from '../../../src/chains/shared/signing.ts';
import { type Curve, publicKeyOf, signDigest } from '../../../src/crypto/curves.ts';
import { rounds } from '../../support/full.ts';
import { seeded } from '../../support/seeded.ts';

const CURVES: readonly Curve[] = ['CURVE_SECP256K1', 'CURVE_P256', 'CURVE_ED25519'];
const HEX = 'PAYLOAD_ENCODING_HEXADECIMAL';
const TEXT = 'PAYLOAD_ENCODING_TEXT_UTF8';
const EIP712 = 'PAYLOAD_ENCODING_EIP712';
const EIP7702 = 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION';
const ENCODINGS = [HEX, TEXT, EIP712, EIP7702];
const NO_OP = 'HASH_FUNCTION_NO_OP';
const SHA256 = 'HASH_FUNCTION_SHA256';
const KECCAK = 'HASH_FUNCTION_KECCAK256';
const NONE = 'HASH_FUNCTION_NOT_APPLICABLE';
const HASHES = [NO_OP, SHA256, KECCAK, NONE];

function digestOf(payload: string, encoding: string, hashFunction: string, curve: Curve = 'CURVE_SECP256K1'): string {
  const toSign = payloadToSign({ payload, encoding, hashFunction, curve });
  assert.ok('digest' in toSign);
  return toHex(toSign.digest);
}

type Refused = { field: string; text: RegExp };

function refused(payload: string, encoding: string, hashFunction: string, curve: Curve, { field, text }: Refused): void {
  assert.throws(
    () => payloadToSign({ payload, encoding, hashFunction, curve }),
    (error) => {
      assert.ok(error instanceof ApiError && error.code === 'REQUEST_INVALID');
      assert.match(error.message, text);
      const violations = error.details[1]?.fieldViolations as { field: string }[];
      assert.equal(violations[0]?.field, field);
      return true;
    },
  );
}

const badHash: Refused = { field: 'parameters.hashFunction', text: /invalid hash function/ };
const badEncoding: Refused = { field: 'parameters.encoding', text: /invalid payload encoding/ };
const badPayload: Refused = { field: 'parameters.payload', text: /parameters\.payload: / };

test('hex and text, hashed', () => {
  const text = 'grüße €😀';
  const bytes = Buffer.from(text);
  for (const curve of ['CURVE_SECP256K1', 'CURVE_P256'] as const) {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const keccak = viemKeccak(bytes).slice(2);
    assert.equal(keccak, ethersKeccak(bytes).slice(2));
    for (const payload of [bytes.toString('hex'), `0x${bytes.toString('hex')}`, bytes.toString('hex').toUpperCase()]) {
      assert.equal(digestOf(payload, HEX, SHA256, curve), sha256);
      assert.equal(digestOf(payload, HEX, KECCAK, curve), keccak);
    }
    assert.equal(digestOf(text, TEXT, SHA256, curve), sha256);
    assert.equal(digestOf(text, TEXT, KECCAK, curve), keccak);
  }
  assert.equal(digestOf('', HEX, SHA256), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  assert.equal(digestOf('0x', HEX, KECCAK), 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
});

test('without a hash function the payload is the digest: 32 bytes', () => {
  assert.equal(digestOf(`0x${'Ab'.repeat(32)}`, HEX, NO_OP), 'ab'.repeat(32));
  assert.equal(digestOf('a'.repeat(32), TEXT, NO_OP, 'CURVE_P256'), '61'.repeat(32));
  for (const length of [0, 31, 33, 64]) refused('ab'.repeat(length), HEX, NO_OP, 'CURVE_SECP256K1', badPayload);
  for (const payload of ['a', '0x0', 'xy', '0X00', '0x 00', '00 ', '0x0x00'])
    refused(payload, HEX, SHA256, 'CURVE_SECP256K1', badPayload);
  refused('\ud800', TEXT, SHA256, 'CURVE_SECP256K1', badPayload);
});

test('Ed25519 signs the message itself', () => {
  assert.deepEqual(payloadToSign({ payload: '0x0102', encoding: HEX, hashFunction: NONE, curve: 'CURVE_ED25519' }), {
    message: Buffer.of(1, 2),
  });
  assert.deepEqual(payloadToSign({ payload: 'hi', encoding: TEXT, hashFunction: NONE, curve: 'CURVE_ED25519' }), {
    message: Buffer.from('hi'),
  });
  for (const hashFunction of [NO_OP, SHA256, KECCAK, '', 'toString']) refused('00', HEX, hashFunction, 'CURVE_ED25519', badHash);
});

test('hash functions and encodings that do not go together', () => {
  for (const curve of ['CURVE_SECP256K1', 'CURVE_P256'] as const) {
    for (const hashFunction of [NONE, '', 'SHA256', 'constructor', 'HASH_FUNCTION_SHA512'])
      refused('00', HEX, hashFunction, curve, badHash);
  }
  for (const curve of CURVES) {
    for (const encoding of ['', 'HEX', 'toString', 'PAYLOAD_ENCODING_BASE64'])
      refused('00', encoding, SHA256, curve, badEncoding);
  }
  for (const encoding of [EIP712, EIP7702]) {
    for (const hashFunction of [SHA256, KECCAK, NONE]) refused('{}', encoding, hashFunction, 'CURVE_SECP256K1', badHash);
    for (const curve of ['CURVE_P256', 'CURVE_ED25519'] as const) refused('{}', encoding, NO_OP, curve, badEncoding);
    refused('{}', encoding, NO_OP, 'CURVE_SECP256K1', badPayload);
  }
});

test('an error names the field that the caller gives', () => {
  const field = 'parameters.payloads[1]';
  assert.throws(
    () => payloadToSign({ payload: 'x', encoding: HEX, hashFunction: SHA256, curve: 'CURVE_P256', field }),
    /parameters\.payloads\[1\]: must be hex/,
  );
});

test('EIP-7702 authorizations have the digest of viem and of ethers', async () => {
  const address = '0x63c0c19a282a1B52b07dD5a65b58948A07DAE32B';
  for (const [chainId, nonce] of [
    [0n, 0n],
    [1n, 1n],
    [11155111n, 127n],
    [128n, 128n],
    [2n ** 53n, 2n ** 40n],
    [2n ** 255n, 2n ** 64n - 1n],
    [2n ** 256n - 1n, 55n],
  ] as const) {
    const expected = ethersHashAuthorization({ address, chainId, nonce }).slice(2);
    const viems = hashAuthorization({ address, chainId: chainId as unknown as number, nonce: nonce as unknown as number }).slice(
      2,
    );
    assert.equal(viems, expected);
    for (const write of [(n: bigint) => `${n}`, (n: bigint) => `"${n}"`, (n: bigint) => `"0x${n.toString(16)}"`]) {
      const payload = `{"address":"${address}","chainId":${write(chainId)},"nonce":${write(nonce)}}`;
      assert.equal(digestOf(payload, EIP7702, NO_OP), expected, payload);
    }
  }
  const secret = Buffer.alloc(32, 9);
  const payload = JSON.stringify({ address, chainId: 1, nonce: 3 });
  const { r, s, v } = signatureText(signDigest('CURVE_SECP256K1', secret, Buffer.from(digestOf(payload, EIP7702, NO_OP), 'hex')));
  const signature = { r: `0x${r}`, s: `0x${s}`, yParity: Number(v) } as const;
  const signer = await recoverAuthorizationAddress({ authorization: { address, chainId: 1, nonce: 3, ...signature } });
  assert.equal(
    signer,
    addressFormat('ADDRESS_FORMAT_ETHEREUM')!.encode(publicKeyOf('CURVE_SECP256K1', secret), 'CURVE_SECP256K1'),
  );
});

test('EIP-7702 payloads that are no authorization', () => {
  const address = `0x${'00'.repeat(20)}`;
  const whole = { address, chainId: 1, nonce: 0 };
  for (const payload of [
    { ...whole, address: undefined },
    { ...whole, address: address.slice(0, -1) },
    { ...whole, address: address.slice(2) },
    { ...whole, address: 0 },
    { ...whole, chainId: undefined },
    { ...whole, chainId: -1 },
    { ...whole, chainId: 1.5 },
    { ...whole, chainId: '' },
    { ...whole, chainId: `${2n ** 256n}` },
    { ...whole, chainId: [1] },
    { ...whole, nonce: null },
    { ...whole, nonce: `${2n ** 64n}` },
    { ...whole, nonce: 'x' },
  ]) {
    refused(JSON.stringify(payload), EIP7702, NO_OP, 'CURVE_SECP256K1', badPayload);
  }
  for (const payload of ['', '[]', 'null', '{"nonce":0,"nonce":1}'])
    refused(payload, EIP7702, NO_OP, 'CURVE_SECP256K1', badPayload);
  assert.deepEqual(
    parseAuthorization(JSON.stringify({ ...whole, address: `0x${'AB'.repeat(20)}` }), (why) =>
      invalid('parameters.payload', why),
    ),
    { chainId: 1n, address: `0x${'ab'.repeat(20)}`, nonce: 0n },
  );
});

test('any payload, encoding and hash function: something to sign or an ApiError', () => {
  const next = seeded(99);
  const pieces = ['0x', '00', 'ff', 'g', '{', '}', '"', ':', ',', '1', '\u0000', '\ud83d', 'é', 'chainId', 'null', '"nonce":1'];
  const strange = ['', '__proto__', 'constructor'];
  for (let i = 0; i < rounds(20_000); i++) {
    const payload = Array.from({ length: next(20) }, () => pieces[next(pieces.length)]).join('');
    const encoding = [...ENCODINGS, ...strange][next(ENCODINGS.length + strange.length)]!;
    const hashFunction = [...HASHES, ...strange][next(HASHES.length + strange.length)]!;
    const curve = CURVES[next(CURVES.length)]!;
    try {
      const toSign = payloadToSign({ payload, encoding, hashFunction, curve });
      if ('digest' in toSign) assert.equal(toSign.digest.length, 32);
      assert.equal('message' in toSign, curve === 'CURVE_ED25519');
    } catch (error) {
      assert.ok(error instanceof ApiError, String(error));
    }
  }
});

test('a large payload is no trouble', () => {
  assert.match(digestOf('ab'.repeat(2_000_000), HEX, SHA256), /^[0-9a-f]{64}$/);
  refused(`${'ab'.repeat(2_000_000)}x`, HEX, SHA256, 'CURVE_SECP256K1', badPayload);
});

test('a signature as the wire writes it', () => {
  const r = Buffer.concat([Buffer.alloc(31), Buffer.of(0xab)]);
  assert.deepEqual(signatureText({ r, s: Buffer.alloc(32), v: 1 }), { r: `${'0'.repeat(62)}ab`, s: '0'.repeat(64), v: '01' });
  assert.equal(signatureText({ r, s: r, v: 0 }).v, '00');
});
