import { concat } from '../../../base/bytes.ts';
import { authorizationDigest } from '../../../chains/ethereum/eip7702.ts';
import {
  burnNonce,
  burnNonceDigest,
  type Call,
  delegateExecution,
  executionDigest,
  stationExecution,
} from '../../../chains/ethereum/gas-station.ts';
import { type NewTransaction, newTransaction, type SignedAuthorization } from '../../../chains/ethereum/new-transaction.ts';
import { readSignedTransaction } from '../../../chains/ethereum/signed-transaction.ts';
import type { RawSignature } from '../../../crypto/signing-types.ts';
import type { PaymasterVault, SigningVault } from '../../../custody/types.ts';
import { keyOf } from '../../../domain/keys/signers.ts';
import { parseCaip2 } from '../../../model/caip2.ts';
import type { StoredCall } from '../../../model/send.ts';
import type { SealedSigner } from '../../../store/types.ts';
import type { EvmFees } from '../../nodes/evm/fees.ts';
import { VOID_GAS } from './fees.ts';
import type { EvmReading, EvmSend } from './read.ts';

type Hex = `0x${string}`;

/** `signer`: of `intent.signWith`. `paymaster`: needed for `sponsored`, and for a no-op of its account. */
export type EvmTools = {
  readonly vault: SigningVault;
  readonly signer: SealedSigner | undefined;
  readonly paymaster: Pick<PaymasterVault, 'signDigest'> | undefined;
};

export type EvmAllocated = {
  /** Of the account that pays. */
  readonly nonce: bigint;
  /** Of this attempt. */
  readonly fees: EvmFees;
  readonly reading: EvmReading & { readonly is: 'ready' };
  /** The nonce of the account's message: the same for all attempts. Null for forms without one. */
  readonly messageNonce: bigint | null;
  /** Milliseconds: a message whose deadline was not given ends an hour later. */
  readonly now: number;
};

export type EvmSigned = { readonly signed: Uint8Array; readonly hash: Hex };

const ZERO: Hex = `0x${'00'.repeat(20)}`;
/** How long a message is valid whose deadline was not given. */
export const MESSAGE_SECONDS = 3600n;

/** The gas limit of a no-op: a delegated account runs code. */
const NOOP_GAS = 100_000n;

function chainIdOf(caip2: string): bigint {
  const network = parseCaip2(caip2);
  if (network?.kind !== 'eip155') throw new Error(`${caip2} is no EVM chain`);
  return network.chainId;
}

function userSigns({ vault, signer }: EvmTools, digest: Uint8Array): RawSignature {
  if (signer === undefined) throw new Error('the key of a send is missing');
  return vault.sign(keyOf(signer), 'ecdsa', [{ digest }])[0]!;
}

function paymasterSigns({ paymaster }: EvmTools, digest: Uint8Array): RawSignature {
  if (paymaster === undefined) throw new Error('the paymaster of a send is missing');
  return paymaster.signDigest(digest);
}

const callsOf = (calls: readonly StoredCall[]): Call[] =>
  calls.map(({ to, value, data }) => ({ to: to as Hex, value: BigInt(value), data: data as Hex }));

type Part = { tools: EvmTools; send: EvmSend; allocated: EvmAllocated; chainId: bigint };

/** The account's authorization for a contract, or for none. */
function authorization({ tools, chainId }: Part, address: Hex, nonce: bigint): SignedAuthorization {
  const given = { chainId, address, nonce };
  return { ...given, signature: userSigns(tools, authorizationDigest(given)) };
}

function messageNonceOf({ messageNonce }: EvmAllocated): bigint {
  if (messageNonce === null) throw new Error('a message has a nonce');
  return messageNonce;
}

/** 65 bytes, as the delegate takes them. */
function messageSigned({ tools }: Part, digest: Uint8Array): Uint8Array {
  const { r, s, v } = userSigns(tools, digest);
  return concat([r, s, Uint8Array.of(27 + v)]);
}

function message(part: Part) {
  const { send, allocated, chainId } = part;
  const { intent, fromAddress } = send;
  const deadline =
    intent.deadline === null ? BigInt(Math.floor(allocated.now / 1000)) + MESSAGE_SECONDS : BigInt(intent.deadline);
  const calls = callsOf(intent.calls);
  const terms = { nonce: messageNonceOf(allocated), deadline };
  const signature = messageSigned(part, executionDigest({ chainId, address: fromAddress as Hex }, terms, calls));
  return { calls, signed: { ...terms, signature } };
}

type Content = Pick<NewTransaction, 'to' | 'value' | 'data'> & { authorizations?: readonly SignedAuthorization[] };

/** A part that the form of the send requires. */
function needed(value: string | undefined): Hex {
  if (value === undefined) throw new Error('a part of the send is missing');
  return value as Hex;
}

/** The account's authorization that its message needs: none if it is delegated. */
function delegating(part: Part): readonly SignedAuthorization[] {
  const { intent } = part.send;
  const { nonce, reading } = part.allocated;
  if (reading.delegated) return [];
  // If the account pays itself, the transaction has the nonce before.
  const authorityNonce = intent.form === 'batch' ? nonce + 1n : (reading.authorityNonce ?? 0n);
  return [authorization(part, needed(intent.delegate), authorityNonce)];
}

function contentOf(part: Part): Content {
  const { send, allocated } = part;
  const { intent } = send;
  const fromAddress = send.fromAddress as Hex;
  switch (intent.form) {
    case 'call':
      return callsOf(intent.calls)[0]!;
    case 'undelegate':
      return { to: fromAddress, value: 0n, data: '0x', authorizations: [authorization(part, ZERO, allocated.nonce + 1n)] };
    case 'batch': {
      const { calls, signed } = message(part);
      return { to: fromAddress, value: 0n, data: delegateExecution(calls, signed), authorizations: delegating(part) };
    }
    case 'sponsored': {
      const { calls, signed } = message(part);
      const data = stationExecution(fromAddress, calls, signed);
      return { to: needed(intent.station), value: 0n, data, authorizations: delegating(part) };
    }
    case 'raw':
      throw new Error('a raw transaction is signed already');
  }
}

function signContent({ tools, send, allocated, chainId }: Part, content: Content, gas: bigint): EvmSigned {
  const { nonce, fees } = allocated;
  const { digest, signed } = newTransaction({ chainId, nonce, gas, fees, ...content });
  const sign = send.intent.form === 'sponsored' ? paymasterSigns : userSigns;
  const { bytes, hash } = signed(sign(tools, digest));
  return { signed: bytes, hash };
}

/** The transaction that carries out the judged send. A `raw` one is returned unchanged. Awaits nothing. */
export function signEvm(tools: EvmTools, send: EvmSend, allocated: EvmAllocated): EvmSigned {
  const { intent } = send;
  if (intent.form === 'raw') {
    const signed = Buffer.from(needed(intent.signed).slice(2), 'hex');
    return { signed, hash: readSignedTransaction(signed).hash };
  }
  if (intent.gas === null) throw new Error('a send whose estimate was refused is not signed');
  const part = { tools, send, allocated, chainId: chainIdOf(send.caip2) };
  return signContent(part, contentOf(part), BigInt(intent.gas));
}

/**
 * A transaction of the payer that only spends the nonce of the send's message. Once it is in a block, the message can no longer be
 * brought. It fails if that nonce is spent already.
 */
export function signVoid(tools: EvmTools, send: EvmSend, allocated: EvmAllocated): EvmSigned {
  const part = { tools, send, allocated, chainId: chainIdOf(send.caip2) };
  const nonce = messageNonceOf(allocated);
  const to = send.fromAddress as Hex;
  const data = burnNonce(messageSigned(part, burnNonceDigest({ chainId: part.chainId, address: to }, nonce)), nonce);
  return signContent(part, { to, value: 0n, data, authorizations: delegating(part) }, VOID_GAS);
}

/** A transaction that only takes a nonce: from the account to itself, without value. For cancelling, and for gaps. */
export type EvmNoop = {
  readonly caip2: string;
  /** Lower case. The signer's address or, without a signer, the paymaster's. */
  readonly account: string;
  readonly nonce: bigint;
  readonly fees: EvmFees;
  readonly gas?: bigint;
};

export function signNoop(tools: EvmTools, { caip2, account, nonce, fees, gas = NOOP_GAS }: EvmNoop): EvmSigned {
  const transaction = { chainId: chainIdOf(caip2), nonce, gas, to: account as Hex, value: 0n, data: '0x', fees } as const;
  const { digest, signed } = newTransaction(transaction);
  const { bytes, hash } = signed((tools.signer === undefined ? paymasterSigns : userSigns)(tools, digest));
  return { signed: bytes, hash };
}
