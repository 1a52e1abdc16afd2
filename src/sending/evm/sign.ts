import type { RawSignature } from '../../crypto/signing-types.ts';
import type { SigningVault } from '../../custody/types.ts';
import type { EvmFees } from '../../nodes/evm/fees.ts';
import type { SealedSigner } from '../../store/types.ts';
import type { EvmReading, EvmSend } from './read.ts';

type Hex = `0x${string}`;

/** The operator's key that pays for others. `signDigest`: 32 bytes, with the recovery id. */
export type EvmPaymaster = { signDigest(digest: Uint8Array): RawSignature };

/** `signer`: of `intent.signWith`. `paymaster`: needed for `sponsored` alone, and for a no-op of its account. */
export type EvmTools = {
  readonly vault: SigningVault;
  readonly signer: SealedSigner | undefined;
  readonly paymaster: EvmPaymaster | undefined;
};

export type EvmAllocated = {
  /** Of the account that pays. */
  readonly nonce: bigint;
  /** Of this attempt. */
  readonly fees: EvmFees;
  readonly reading: EvmReading & { readonly is: 'ready' };
  /** The nonce of the account's message: the same for all attempts of a send. Null for forms without one. */
  readonly messageNonce: bigint | null;
  /** Milliseconds: a message whose deadline was not given ends an hour later. */
  readonly now: number;
};

export type EvmSigned = { readonly signed: Uint8Array; readonly hash: Hex };

/** The transaction that carries out what was judged. The bytes of a `raw` one are given back as they are. Awaits nothing. */
export function signEvm(_tools: EvmTools, _send: EvmSend, _allocated: EvmAllocated): EvmSigned {
  throw new Error('not yet');
}

/** A transaction that does nothing but take a nonce: from the account to itself, without value. For cancelling, and for gaps. */
export type EvmNoop = {
  readonly chainId: bigint;
  /** Lower case. Of the signer or, without one, of the paymaster. */
  readonly account: Hex;
  readonly nonce: bigint;
  readonly fees: EvmFees;
  /** 100,000 if absent: an account that is delegated runs code. */
  readonly gas?: bigint;
};

export function signNoop(_tools: EvmTools, _noop: EvmNoop): EvmSigned {
  throw new Error('not yet');
}
