import { concat, toHex } from '../../base/bytes.ts';
import { keccak256 } from '../../crypto/hash.ts';
import type { RawSignature } from '../../crypto/signing-types.ts';
import type { Authorization } from './eip7702.ts';
import { type Rlp, rlpOfNumber, writeRlp } from './rlp.ts';

type Hex = `0x${string}`;

export type SignedAuthorization = Authorization & { readonly signature: RawSignature };

/** A transaction that calls. With `authorizations` it is of EIP-7702, else of EIP-1559, or a legacy one by its fees. */
export type NewTransaction = {
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly to: Hex;
  readonly value: bigint;
  readonly data: Hex;
  readonly fees:
    | { readonly kind: 'eip1559'; readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
    | { readonly kind: 'legacy'; readonly gasPrice: bigint };
  readonly authorizations?: readonly SignedAuthorization[];
};

/** `digest`: 32 bytes. `signed`: the transaction with a signature of the digest, and its hash on the chain. */
export type ToBeSigned = {
  readonly digest: Uint8Array;
  signed(signature: RawSignature): { readonly bytes: Uint8Array; readonly hash: Hex };
};

const numberOf = (bytes: Uint8Array): Rlp => rlpOfNumber(BigInt(`0x${toHex(bytes)}`));
const hashed = (bytes: Uint8Array) => ({ bytes, hash: `0x${toHex(keccak256(bytes))}` as Hex });

const entry = ({ chainId, address, nonce, signature: { r, s, v } }: SignedAuthorization): Rlp => [
  rlpOfNumber(chainId),
  address,
  rlpOfNumber(nonce),
  rlpOfNumber(BigInt(v)),
  numberOf(r),
  numberOf(s),
];

/** EIP-155. */
function legacy(chainId: bigint, items: readonly Rlp[]): ToBeSigned {
  return {
    digest: keccak256(writeRlp([...items, rlpOfNumber(chainId), '0x', '0x'])),
    signed: ({ r, s, v }) => hashed(writeRlp([...items, rlpOfNumber(35n + 2n * chainId + BigInt(v)), numberOf(r), numberOf(s)])),
  };
}

function typed(type: number, items: readonly Rlp[]): ToBeSigned {
  const prefix = Uint8Array.of(type);
  return {
    digest: keccak256(concat([prefix, writeRlp(items)])),
    signed: ({ r, s, v }) => hashed(concat([prefix, writeRlp([...items, rlpOfNumber(BigInt(v)), numberOf(r), numberOf(s)])])),
  };
}

/** The digest to sign for a transaction. Throws if it has authorizations and no fees of EIP-1559. */
export function newTransaction({ chainId, nonce, gas, to, value, data, fees, authorizations = [] }: NewTransaction): ToBeSigned {
  const call: Rlp[] = [rlpOfNumber(gas), to, rlpOfNumber(value), data];
  if (fees.kind === 'legacy') {
    if (authorizations.length > 0) throw new Error('a legacy transaction has no authorizations');
    return legacy(chainId, [rlpOfNumber(nonce), rlpOfNumber(fees.gasPrice), ...call]);
  }
  const paid = [rlpOfNumber(fees.maxPriorityFeePerGas), rlpOfNumber(fees.maxFeePerGas)];
  const items: Rlp[] = [rlpOfNumber(chainId), rlpOfNumber(nonce), ...paid, ...call, []];
  return authorizations.length === 0 ? typed(0x02, items) : typed(0x04, [...items, authorizations.map(entry)]);
}
