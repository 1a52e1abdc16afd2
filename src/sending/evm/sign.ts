import { concat } from '../../base/bytes.ts';
import { authorizationDigest } from '../../chains/ethereum/eip7702.ts';
import { type Call, delegateExecution, executionDigest, stationExecution } from '../../chains/ethereum/gas-station.ts';
import { type NewTransaction, newTransaction, type SignedAuthorization } from '../../chains/ethereum/new-transaction.ts';
import { readSignedTransaction } from '../../chains/ethereum/signed-transaction.ts';
import type { RawSignature } from '../../crypto/signing-types.ts';
import type { PaymasterVault, SigningVault } from '../../custody/types.ts';
import { keyOf } from '../../domain/signers.ts';
import { parseCaip2 } from '../../model/caip2.ts';
import type { StoredCall } from '../../model/send.ts';
import type { EvmFees } from '../../nodes/evm/fees.ts';
import type { SealedSigner } from '../../store/types.ts';
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
const MESSAGE_SECONDS = 3600n;

/** As much as a no-op may use: an account that is delegated runs code. */
export const NOOP_GAS = 100_000n;

function chainIdOf(caip2: string): bigint {
  const network = parseCaip2(caip2);
  if (network?.kind !== 'eip155') throw new Error(`${caip2} is no EVM chain`);
  return network.chainId;
}

/** Signs with the user's key. */
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

/** The account's message. */
function message({ tools, send, allocated, chainId }: Part) {
  const { intent, fromAddress } = send;
  const { messageNonce } = allocated;
  if (messageNonce === null) throw new Error('a message has a nonce');
  const deadline =
    intent.deadline === null ? BigInt(Math.floor(allocated.now / 1000)) + MESSAGE_SECONDS : BigInt(intent.deadline);
  const calls = callsOf(intent.calls);
  const terms = { nonce: messageNonce, deadline };
  const { r, s, v } = userSigns(tools, executionDigest({ chainId, address: fromAddress as Hex }, terms, calls));
  return { calls, signed: { ...terms, signature: concat([r, s, Uint8Array.of(27 + v)]) } };
}

type Content = Pick<NewTransaction, 'to' | 'value' | 'data'> & { authorizations?: readonly SignedAuthorization[] };

/** What the form of a send has. */
function needed(value: string | undefined): Hex {
  if (value === undefined) throw new Error('a part of the send is missing');
  return value as Hex;
}

function contentOf(part: Part): Content {
  const { send, allocated } = part;
  const { intent } = send;
  const fromAddress = send.fromAddress as Hex;
  const { delegated, authorityNonce } = allocated.reading;
  switch (intent.form) {
    case 'call':
      return callsOf(intent.calls)[0]!;
    case 'undelegate':
      return { to: fromAddress, value: 0n, data: '0x', authorizations: [authorization(part, ZERO, allocated.nonce + 1n)] };
    case 'batch': {
      const { calls, signed } = message(part);
      // Its transaction has the nonce before.
      const authorizations = delegated ? [] : [authorization(part, needed(intent.delegate), allocated.nonce + 1n)];
      return { to: fromAddress, value: 0n, data: delegateExecution(calls, signed), authorizations };
    }
    case 'sponsored': {
      const { calls, signed } = message(part);
      const authorizations = delegated ? [] : [authorization(part, needed(intent.delegate), authorityNonce ?? 0n)];
      return { to: needed(intent.station), value: 0n, data: stationExecution(fromAddress, calls, signed), authorizations };
    }
    case 'raw':
      throw new Error('a raw transaction is signed already');
  }
}

/** The transaction that carries out what was judged. The bytes of a `raw` one are given back as they are. Awaits nothing. */
export function signEvm(tools: EvmTools, send: EvmSend, allocated: EvmAllocated): EvmSigned {
  const { intent } = send;
  if (intent.form === 'raw') {
    const signed = Buffer.from(needed(intent.signed).slice(2), 'hex');
    return { signed, hash: readSignedTransaction(signed).hash };
  }
  if (intent.gas === null) throw new Error('a send whose estimate was refused is not signed');
  const chainId = chainIdOf(send.caip2);
  const content = contentOf({ tools, send, allocated, chainId });
  const { nonce, fees } = allocated;
  const { digest, signed } = newTransaction({ chainId, nonce, gas: BigInt(intent.gas), fees, ...content });
  const sign = intent.form === 'sponsored' ? paymasterSigns : userSigns;
  const { bytes, hash } = signed(sign(tools, digest));
  return { signed: bytes, hash };
}

/** A transaction that does nothing but take a nonce: from the account to itself, without value. For cancelling, and for gaps. */
export type EvmNoop = {
  readonly caip2: string;
  /** Lower case. Of the signer or, without one, of the paymaster. */
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
