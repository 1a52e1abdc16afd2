import { base58 } from '@scure/base';
import { fromBase64Url, fromHex, plainBase64Url, sameBytes } from '../../../base/bytes.ts';
import { invalid } from '../../../base/errors.ts';
import { invalidTransaction } from '../../../chains/shared/transaction.ts';
import { withBlockhash, withFeePayer } from '../../../chains/solana/change.ts';
import type { Message } from '../../../chains/solana/message.ts';
import { createsAccount, durableNonce } from '../../../chains/solana/programs.ts';
import { readTransaction, SIGNATURE } from '../../../chains/solana/wire.ts';
import { ed25519 } from '../../../crypto/ed25519.ts';

/** The caller's request. `single`: in the version that has one signer. */
export type SolanaRequest = {
  unsignedTransaction: string;
  signWiths: readonly string[];
  sponsor?: boolean | undefined;
  caip2: string;
  recentBlockhash?: string | undefined;
  single?: true;
};

/** A message, and the signatures of others by the index of their key. `isFixed`: these are for its bytes, so nothing in it may change. */
export type ReadRequest = { message: Message; others: ReadonlyMap<number, Uint8Array>; isFixed: boolean };

/** The field that names a signer. */
export const signerField = ({ single }: SolanaRequest, i: number): string =>
  single ? 'parameters.signWith' : `parameters.signWiths[${i}]`;

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Hex with or without 0x, or base64. No transaction is both: its keys are not. */
function bytesOf(text: string): Uint8Array {
  const bytes = fromHex(text.startsWith('0x') ? text.slice(2) : text) ?? (BASE64.test(text) ? fromBase64(text) : undefined);
  if (bytes === undefined || bytes.length === 0)
    throw invalidTransaction(
      'it must be hex or base64 of the whole transaction, with a slot of 64 zero bytes for each signature',
    );
  return bytes;
}

const fromBase64 = (text: string) => fromBase64Url(plainBase64Url(text));

/** 32 bytes in base58, in its one form. */
export function keyOf(field: string, text: string, what: string): Uint8Array {
  try {
    const bytes = base58.decode(text);
    if (bytes.length === 32) return bytes;
  } catch {
    // The same refusal.
  }
  throw invalid(field, `must be ${what}: 32 bytes in base58`);
}

/** The signatures in the request, by keys that are not asked to sign. They must verify. */
function signaturesOfOthers(bytes: Uint8Array, signers: readonly Uint8Array[]): Map<number, Uint8Array> {
  const { slots, start, message } = readTransaction(bytes);
  const others = new Map<number, Uint8Array>();
  message.keys.slice(0, message.requiredSignatures).forEach((key, i) => {
    const signature = bytes.subarray(slots + i * SIGNATURE, slots + (i + 1) * SIGNATURE);
    if (signature.every((byte) => byte === 0) || signers.some((signer) => sameBytes(signer, key))) return;
    if (!ed25519.isPublicKey(key) || !ed25519.verifier(key)(signature, bytes.subarray(start)))
      throw invalidTransaction(
        `the signature of ${base58.encode(key)} does not verify: leave its slot empty, or sign this message`,
      );
    others.set(i, signature);
  });
  return others;
}

const isEmpty = (blockhash: Uint8Array) => blockhash.every((byte) => byte === 0);

const FIXED = 'the transaction already has other signatures';

function sponsored(message: Message, payer: Uint8Array, isFixed: boolean): Message {
  if (createsAccount(message))
    throw invalidTransaction(
      'a sponsored transaction must not create an account with its own instruction of the System program: the new account would also have to sign',
    );
  const changed = withFeePayer(message, payer);
  // A transaction of the paymaster must expire soon. Otherwise it could land, or wait, long after the window of the limits in which
  // it counts.
  if (durableNonce(message))
    throw invalidTransaction(
      'a sponsored transaction must not use a durable nonce: leave its blockhash empty, or give a recent one',
    );
  if (isFixed && changed !== message)
    throw invalid('parameters.sponsor', `must be false: ${FIXED}, so its fee payer stays ${base58.encode(message.keys[0]!)}`);
  return changed;
}

/** Throws unless each key signs, and each signer is one of its keys. */
function checkSigners(request: SolanaRequest, { keys, requiredSignatures }: Message, signing: readonly Uint8Array[]): void {
  const required = keys.slice(0, requiredSignatures);
  request.signWiths.forEach((address, i) => {
    const key = keyOf(signerField(request, i), address, 'a Solana address');
    if (!required.some((each) => sameBytes(each, key)))
      throw invalid(signerField(request, i), `must be a signer of the transaction: ${address} is not`);
    if (request.signWiths.indexOf(address) !== i) throw invalid(signerField(request, i), `must not name ${address} twice`);
  });
  const missing = required.filter((key) => !signing.some((each) => sameBytes(each, key))).map((key) => base58.encode(key));
  if (missing.length === 0) return;
  const field = request.single ? 'parameters.signWith' : 'parameters.signWiths';
  throw invalid(
    field,
    `must name every signer of the transaction that has not signed it: ${missing.join(', ')} must also sign${request.single ? '. Version 2 of this activity accepts several signers' : ''}`,
  );
}

/**
 * The message with its payer and the given blockhash, and the signatures that the request contains. `payer`: the sponsor. Throws
 * INVALID_TRANSACTION and REQUEST_INVALID.
 */
export function readRequest(request: SolanaRequest, payer: Uint8Array | undefined): ReadRequest {
  const bytes = bytesOf(request.unsignedTransaction);
  const given = readTransaction(bytes).message;
  const signers = request.signWiths.map((address, i) => keyOf(signerField(request, i), address, 'a Solana address'));
  // The slots of the sponsor and of the requested signers are replaced.
  const others = signaturesOfOthers(bytes, payer ? [...signers, payer] : signers);
  const isFixed = others.size > 0;
  const blockhash =
    request.recentBlockhash === undefined
      ? undefined
      : keyOf('parameters.recentBlockhash', request.recentBlockhash, 'a blockhash');
  if (blockhash && isEmpty(blockhash)) throw invalid('parameters.recentBlockhash', 'must not be all zeros');
  if (isFixed && blockhash && !sameBytes(blockhash, given.blockhash))
    throw invalid('parameters.recentBlockhash', `must be the one in the transaction: ${FIXED}`);
  const paid = payer === undefined ? given : sponsored(given, payer, isFixed);
  const message = blockhash === undefined ? paid : withBlockhash(paid, blockhash);
  if (isFixed && isEmpty(message.blockhash)) throw invalidTransaction(`it has no blockhash, and ${FIXED}`);
  const nonce = durableNonce(message);
  if (nonce && nonce.account === undefined)
    throw invalidTransaction('the account of its durable nonce comes from a lookup table: it must be a key of the message');
  if (isEmpty(message.blockhash) && nonce)
    throw invalid('parameters.recentBlockhash', 'must be the value of the durable nonce that the transaction uses');
  const signed = [...others.keys()].map((i) => given.keys[i]!);
  checkSigners(request, message, [...signers, ...signed, ...(payer ? [payer] : [])]);
  return { message, others, isFixed };
}

/** Whether a blockhash is to be chosen. */
export const lacksBlockhash = ({ blockhash }: Message): boolean => isEmpty(blockhash);
