/** The other parties of Spark, by other implementations than the service's: a wallet's keys, operators, sealed packages. */
import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { type Client, resultOf } from '../../support/client.ts';
import { mnemonicOf } from '../custody.ts';

const { Point } = secp256k1;
export const { Fn } = Point;
export const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

/** Keys by name, always the same. */
export const keyOf = (name: string): Uint8Array => sha256(Buffer.from(`spark test ${name}`));
export const pointOf = (name: string): string => text(secp256k1.getPublicKey(keyOf(name)));

export const leafNumber = (leafId: string): number => Buffer.from(sha256(Buffer.from(leafId))).readUInt32BE() % 2 ** 31;

export type SparkWallet = { walletId: string; address: string; publicKey: string; keyAt(path: string): Uint8Array };

export const account = (path: string, addressFormat: string) => ({
  curve: 'CURVE_SECP256K1',
  pathFormat: 'PATH_FORMAT_BIP32',
  path,
  addressFormat: `ADDRESS_FORMAT_${addressFormat}`,
});

let wallets = 0;

/** A wallet with a Spark account, whose keys the test knows from an export. `keyAt`: below the account. */
export async function sparkWallet(client: Client, number = 0, format = 'SPARK_MAINNET'): Promise<SparkWallet> {
  const root = `m/8797555'/${number}'`;
  const accounts = [account(`${root}/0'`, format), account(`${root}/0'`, 'COMPRESSED')];
  const made = await client.submit('CREATE_WALLET', { walletName: `Spark ${++wallets}`, accounts });
  const { walletId, addresses } = resultOf(made, 'createWalletResult');
  const tree = HDKey.fromMasterSeed(mnemonicToSeedSync(await mnemonicOf(client, walletId)));
  return {
    walletId,
    address: addresses[0],
    publicKey: addresses[1],
    keyAt: (path) => tree.derive(`${root}/${path}`).privateKey!,
  };
}

export const leafPath = (leafId: string): string => `1'/${leafNumber(leafId)}'`;

/** Operators as requests name them. */
export const operators = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    operatorId: `${i + 1}`.padStart(64, '0'),
    encryptionPublicKey: pointOf(`operator ${i + 1}`),
  }));

const cipherKey = (ephemeral: Uint8Array, point: Uint8Array, key: Uint8Array): Buffer => {
  const shared = Point.fromBytes(point).multiply(Fn.fromBytes(key)).toBytes(false);
  return Buffer.from(hkdfSync('sha256', Buffer.concat([ephemeral, shared]), '', '', 32));
};

/** A leaf of a claim, from the sender whom the sample names. `form`: the first byte of the ephemeral key, if it is another than usual. */
export function sealedLeaf(leafId: string, transferId: string, receiver: string, form = (_y: number) => 0x04) {
  const secret = secp256k1.utils.randomSecretKey();
  const ephemeral = secp256k1.getPublicKey(secret, false);
  ephemeral[0] = form(ephemeral[64]!);
  const nonce = randomBytes(16);
  const cipher = createCipheriv('aes-256-gcm', cipherKey(ephemeral, bytes(receiver), secret), nonce);
  const body = Buffer.concat([cipher.update(secp256k1.utils.randomSecretKey()), cipher.final()]);
  const sealed = Buffer.concat([ephemeral, nonce, cipher.getAuthTag(), body]);
  const digest = sha256(Buffer.concat([Buffer.from(leafId), Buffer.from(transferId), sealed]));
  const senderSignature = text(secp256k1.sign(digest, keyOf('sender'), { prehash: false }));
  return { leafId, ciphertext: text(sealed), senderSignature };
}

/** Opens what is sealed to a key: `eciesjs` in its usual form. */
export function unseal(key: Uint8Array, hex: string): Uint8Array {
  const sealed = bytes(hex);
  const ephemeral = sealed.subarray(0, 65);
  const decipher = createDecipheriv('aes-256-gcm', cipherKey(ephemeral, ephemeral, key), sealed.subarray(65, 81));
  decipher.setAuthTag(sealed.subarray(81, 97));
  return Uint8Array.from(Buffer.concat([decipher.update(sealed.subarray(97)), decipher.final()]));
}

/** The package of each operator, opened, in order. */
export function unsealAll(packages: { operatorId: string; encryptedPackage: string }[]): Uint8Array[] {
  assert.deepEqual(
    packages.map(({ operatorId }) => operatorId),
    operators(packages.length).map(({ operatorId }) => operatorId),
  );
  return packages.map(({ encryptedPackage }, i) => unseal(keyOf(`operator ${i + 1}`), encryptedPackage));
}

/** The fields of a protobuf message that has only lengths of bytes, by number. */
export function fields(message: Uint8Array): Record<number, Uint8Array[]> {
  const found: Record<number, Uint8Array[]> = {};
  let at = 0;
  const varint = () => {
    for (let value = 0, shift = 1; ; shift *= 128) {
      const byte = message[at++]!;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    assert.equal(tag & 7, 2);
    const length = varint();
    found[tag >> 3] ??= [];
    found[tag >> 3]!.push(message.subarray(at, at + length));
    at += length;
  }
  assert.equal(at, message.length);
  return found;
}

const times = (point: InstanceType<typeof Point>, n: bigint) => (n === 0n ? Point.ZERO : point.multiplyUnsafe(n));

/** The share is that of this place by the proofs, as operators verify it. */
export function assertShare(share: Uint8Array, place: number, proofs: readonly Uint8Array[]): void {
  const x = BigInt(place);
  const expected = proofs.reduceRight((sum, proof) => times(sum, x).add(Point.fromBytes(proof)), Point.ZERO);
  assert.deepEqual(secp256k1.getPublicKey(share), expected.toBytes());
}

/** The secret, from the shares of these places. */
export function restored(shares: readonly (readonly [place: number, share: Uint8Array])[]): bigint {
  let sum = 0n;
  for (const [place, share] of shares) {
    let factor = 1n;
    for (const [other] of shares)
      if (other !== place) factor = Fn.mul(factor, Fn.div(BigInt(other), Fn.create(BigInt(other - place))));
    sum = Fn.add(sum, Fn.mul(Fn.fromBytes(share), factor));
  }
  return sum;
}

/** FROST for an operator who is alone in a group of its own. The formulas are those of the standard, and the code is this test's. */
export type Operator = { id: string; hiding: string; binding: string; secret: bigint; nonces: [bigint, bigint] };

export function operatorFor(name: string): Operator {
  const scalar = (part: string) => Fn.fromBytes(keyOf(`${name} ${part}`));
  const nonces: [bigint, bigint] = [scalar('hiding'), scalar('binding')];
  const commitment = { hiding: pointOf(`${name} hiding`), binding: pointOf(`${name} binding`) };
  return { id: text(keyOf(`${name} id`)), ...commitment, secret: scalar('secret'), nonces };
}

const CONTEXT = 'FROST-secp256k1-SHA256-TR-v1';
export const USER_ID = '687da64d52a16c6fc792c6fc831ec1afa797a91f77549668a6b5421f12c1ac77';

/** RFC 9380 §5.3.1, for 48 bytes. */
function hashToScalar(tag: string, message: Uint8Array): bigint {
  const suffix = Buffer.concat([Buffer.from(CONTEXT + tag), Buffer.of(CONTEXT.length + tag.length)]);
  const first = sha256(Buffer.concat([Buffer.alloc(64), message, Buffer.of(0, 48, 0), suffix]));
  const one = sha256(Buffer.concat([first, Buffer.of(1), suffix]));
  const two = sha256(Buffer.concat([first.map((byte, i) => byte ^ one[i]!), Buffer.of(2), suffix]));
  return Fn.create(BigInt(`0x${text(one)}${text(two).slice(0, 32)}`));
}

export type PartialSignature = { signatureShare: string; hiding: string; binding: string };

/**
 * The signature of the user's share and one operator's, and the tweaked public key (BIP-341) under which it is valid. With an adaptor, its secret completes the signature.
 */
export function aggregate(
  operator: Operator,
  user: PartialSignature,
  { message, verifyingKey, adaptorSecret }: { message: string; verifyingKey: string; adaptorSecret?: bigint },
): { signature: Uint8Array; publicKey: Uint8Array } {
  const Q = Point.fromHex(verifyingKey);
  const even = Q.y % 2n === 0n ? Q : Q.negate();
  const tweak = Fn.create(BigInt(`0x${text(schnorr.utils.taggedHash('TapTweak', even.toBytes().subarray(1)))}`));
  const T = even.add(Point.BASE.multiply(tweak));
  const key = Uint8Array.from([2, ...T.toBytes().subarray(1)]);
  const all = [{ ...operator }, { id: USER_ID, ...user }].sort((a, b) => (a.id < b.id ? -1 : 1));
  const list = Buffer.concat(
    all.flatMap(({ id, hiding, binding }) => [id, hiding, binding].map((hex) => Buffer.from(hex, 'hex'))),
  );
  const hashOf = (tag: string, data: Uint8Array) => sha256(Buffer.concat([Buffer.from(CONTEXT + tag), data]));
  const prefix = Buffer.concat([key, hashOf('msg', bytes(message)), hashOf('com', list)]);
  const factor = (id: string) => hashToScalar('rho', Buffer.concat([prefix, bytes(id)]));
  let R = Point.ZERO;
  for (const { id, hiding, binding } of all) R = R.add(Point.fromHex(hiding)).add(Point.fromHex(binding).multiply(factor(id)));
  if (adaptorSecret !== undefined) R = R.add(Point.BASE.multiply(adaptorSecret));
  const isOdd = R.y % 2n === 1n;
  const x = R.toBytes().subarray(1);
  const hash = schnorr.utils.taggedHash('BIP0340/challenge', Buffer.concat([x, key.subarray(1), bytes(message)]));
  const challenge = Fn.create(BigInt(`0x${text(hash)}`));
  // The operator's key with the tweak, for the even form of both keys.
  const own = Fn.add(Q.y % 2n === 0n ? operator.secret : Fn.neg(operator.secret), tweak);
  const signing = T.y % 2n === 0n ? own : Fn.neg(own);
  const nonce = Fn.add(operator.nonces[0], Fn.mul(operator.nonces[1], factor(operator.id)));
  let s = Fn.add(isOdd ? Fn.neg(nonce) : nonce, Fn.mul(challenge, signing));
  s = Fn.add(s, Fn.fromBytes(bytes(user.signatureShare)));
  if (adaptorSecret !== undefined) s = isOdd ? Fn.sub(s, adaptorSecret) : Fn.add(s, adaptorSecret);
  return { signature: Uint8Array.from([...x, ...Fn.toBytes(s)]), publicKey: key.subarray(1) };
}
