import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concat, fromHex, toHex, utf8 } from '../../src/base/bytes.ts';
import { ApiError } from '../../src/base/errors.ts';
import { ethereumTransaction } from '../../src/chains/ethereum/transaction.ts';
import type { UnsignedTransaction } from '../../src/chains/shared/transaction.ts';
import { solanaTransaction } from '../../src/chains/solana/transaction.ts';
import { keccak256 } from '../../src/crypto/keccak.ts';
import type { RawSignature, ToSign } from '../../src/crypto/signing-types.ts';
import { FrameError } from './frame-error.ts';
import type { SigningKey } from './signing-keys.ts';

function bytesOf(text: string): Uint8Array {
  const bytes = fromHex(text.replace(/^0x/, ''));
  if (bytes === undefined || bytes.length === 0) throw new FrameError('the transaction must be hexadecimal');
  return bytes;
}

const message = (input: ToSign): Uint8Array => ('digest' in input ? input.digest : input.message);

function signSecp256k1(secret: Uint8Array, digest: Uint8Array): RawSignature {
  const signed = secp256k1.sign(digest, secret, { prehash: false, lowS: true, format: 'recovered' });
  return { v: signed[0]! & 1, r: signed.subarray(1, 33), s: signed.subarray(33) };
}

function signEd25519(secret: Uint8Array, text: Uint8Array): RawSignature {
  const signed = ed25519.sign(text, secret);
  return { v: 0, r: signed.subarray(0, 32), s: signed.subarray(32) };
}

const ethereum = {
  prefix: '0x',
  sign: signSecp256k1,
  parse: (bytes: Uint8Array, secret: Uint8Array) =>
    ethereumTransaction.parse(bytes, { curve: 'CURVE_SECP256K1', publicKey: secp256k1.getPublicKey(secret) }),
  /** EIP-191, version 0x45. */
  digest(text: Uint8Array): Uint8Array {
    return keccak256(concat([utf8(`\x19Ethereum Signed Message:\n${text.length}`), text]));
  },
  signature: ({ r, s, v }: RawSignature) => concat([r, s, Uint8Array.of(27 + v)]),
};

const solana: typeof ethereum = {
  prefix: '',
  sign: signEd25519,
  parse: (bytes, secret) => solanaTransaction.parse(bytes, { curve: 'CURVE_ED25519', publicKey: ed25519.getPublicKey(secret) }),
  digest: (text) => text,
  signature: ({ r, s }) => concat([r, s]),
};

/** A key of the format SOLANA is of Ed25519, and signs nothing of Ethereum. */
function chainOf(type: unknown, { format }: SigningKey): typeof ethereum {
  if (type !== 'ETHEREUM' && type !== 'SOLANA') throw new FrameError('type must be ETHEREUM or SOLANA');
  if (type === 'ETHEREUM' && format === 'SOLANA') throw new FrameError('the key was injected with the keyFormat SOLANA');
  return type === 'ETHEREUM' ? ethereum : solana;
}

function parsed(parse: () => UnsignedTransaction): UnsignedTransaction {
  try {
    return parse();
  } catch (error) {
    throw error instanceof ApiError ? new FrameError(error.message) : error;
  }
}

/** The signed transaction in hex. Throws FrameError. */
export function signTransaction(key: SigningKey, text: string, type: unknown): string {
  const { prefix, parse, sign } = chainOf(type, key);
  const transaction = parsed(() => parse(bytesOf(text), key.secret));
  return prefix + toHex(transaction.attach(transaction.toSign.map((input) => sign(key.secret, message(input)))));
}

/** The signature of a text in hex. Throws FrameError. */
export function signMessage(key: SigningKey, text: string, type: unknown): string {
  const { prefix, digest, sign, signature } = chainOf(type, key);
  return prefix + toHex(signature(sign(key.secret, digest(utf8(text)))));
}
