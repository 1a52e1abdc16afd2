import { invalidTransaction } from '../shared/transaction.ts';
import { type Rlp, rlpBytes, rlpList, rlpNumber } from './rlp.ts';

export type AccessListEntry = { address: string; storage_keys: string[] };
export type ListedAuthorization = { address: string; chain_id: bigint; nonce: bigint };

/** The fields of all envelopes. A field that the type lacks is absent. */
export type EthereumFields = {
  chainId?: bigint;
  nonce: bigint;
  gasPrice?: bigint;
  maxPriorityFeePerGas?: bigint;
  maxFeePerGas?: bigint;
  gas: bigint;
  /** Lower case; empty for contract creation. */
  to: string;
  value: bigint;
  /** 0x and lower-case hex. */
  data: `0x${string}`;
  accessList?: AccessListEntry[];
  maxFeePerBlobGas?: bigint;
  blobVersionedHashes?: string[];
  authorizationList?: ListedAuthorization[];
};

const readers: { [F in keyof Required<EthereumFields>]: (item: Rlp | undefined) => Required<EthereumFields>[F] } = {
  chainId: (item) => rlpNumber(item, 'the chain id'),
  nonce: (item) => rlpNumber(item, 'the nonce', 64),
  gasPrice: (item) => rlpNumber(item, 'the gas price'),
  maxPriorityFeePerGas: (item) => rlpNumber(item, 'the maximum priority fee'),
  maxFeePerGas: (item) => rlpNumber(item, 'the maximum fee'),
  gas: (item) => rlpNumber(item, 'the gas limit'),
  to(item) {
    const hex = rlpBytes(item, 'the recipient');
    return hex === '0x' ? '' : rlpBytes(item, 'the recipient', 20);
  },
  value: (item) => rlpNumber(item, 'the value'),
  data: (item) => rlpBytes(item, 'the data'),
  accessList: (item) =>
    rlpList(item, 'the access list').map((entry, i) => {
      const [address, keys] = rlpList(entry, `the access list’s entry ${i}`, 2);
      return {
        address: rlpBytes(address, `the address of the access list’s entry ${i}`, 20),
        storage_keys: rlpList(keys, `the storage keys of the access list’s entry ${i}`).map((key) =>
          rlpBytes(key, 'a storage key', 32),
        ),
      };
    }),
  maxFeePerBlobGas: (item) => rlpNumber(item, 'the maximum blob fee'),
  blobVersionedHashes(item) {
    const hashes = rlpList(item, 'the blob hashes').map((hash) => rlpBytes(hash, 'a blob hash', 32));
    if (hashes.length === 0) throw invalidTransaction('a blob transaction must name at least one blob');
    return hashes;
  },
  authorizationList(item) {
    const list = rlpList(item, 'the authorization list').map((entry, i) => {
      const what = `the authorization list’s entry ${i}`;
      const [chainId, address, nonce, yParity, r, s] = rlpList(entry, what, 6);
      rlpNumber(yParity, `the y parity of ${what}`, 8);
      rlpNumber(r, `r of ${what}`);
      rlpNumber(s, `s of ${what}`);
      return {
        address: rlpBytes(address, `the address of ${what}`, 20),
        chain_id: rlpNumber(chainId, `the chain id of ${what}`),
        nonce: rlpNumber(nonce, `the nonce of ${what}`, 64),
      };
    });
    if (list.length === 0) throw invalidTransaction('its authorization list must not be empty');
    return list;
  },
};

type Name = keyof EthereumFields;

/** The fields of an envelope, in its order. */
export function readFields(items: readonly Rlp[], names: readonly Name[]): EthereumFields {
  const fields: Record<string, unknown> = {};
  for (const [i, name] of names.entries()) fields[name] = readers[name](items[i]);
  const read = fields as EthereumFields;
  if (read.to === '' && (read.authorizationList || read.blobVersionedHashes))
    throw invalidTransaction('a transaction of this type must have a recipient');
  return read;
}
