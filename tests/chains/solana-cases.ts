import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import {
  type AccountMeta,
  AddressLookupTableAccount,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';

export type Random = (n: number) => number;
export const someBytes = (random: Random, length: number): Buffer => Buffer.from(Array.from({ length }, () => random(256)));
export const someKey = (random: Random) => new PublicKey(someBytes(random, 32));
export const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)]!;

/** A transaction of web3.js with random instructions; undefined if it is too long to be one. */
export function someTransaction(random: Random) {
  const secrets = Array.from({ length: 1 + random(3) }, () => someBytes(random, 32));
  const signers = secrets.map((secret) => new PublicKey(ed25519.getPublicKey(secret)));
  const others = Array.from({ length: 8 }, () => someKey(random));
  const tables = Array.from(
    { length: random(3) },
    () =>
      new AddressLookupTableAccount({
        key: someKey(random),
        state: {
          deactivationSlot: 2n ** 64n - 1n,
          lastExtendedSlot: 0,
          lastExtendedSlotStartIndex: 0,
          addresses: [
            ...Array.from({ length: random(200) }, () => PublicKey.default),
            pick(random, others),
            pick(random, others),
          ],
        },
      }),
  );
  const meta = (pubkey: PublicKey, isSigner = false): AccountMeta => ({ pubkey, isSigner, isWritable: random(2) === 0 });
  const instruction = () => {
    const lamports = random(2 ** 32);
    const [fromPubkey, toPubkey] = [pick(random, signers), pick(random, others)];
    switch (random(4)) {
      case 0:
        return SystemProgram.transfer({ fromPubkey, toPubkey, lamports });
      case 1:
        return SystemProgram.transfer({
          fromPubkey: toPubkey,
          basePubkey: fromPubkey,
          toPubkey: pick(random, others),
          lamports,
          seed: 'a seed',
          programId: pick(random, others),
        });
      default:
        return new TransactionInstruction({
          programId: pick(random, others),
          keys: Array.from({ length: random(6) }, () =>
            random(3) ? meta(pick(random, others)) : meta(pick(random, signers), true),
          ),
          data: someBytes(random, random(40)),
        });
    }
  };
  const message = new TransactionMessage({
    payerKey: signers[0]!,
    recentBlockhash: someKey(random).toBase58(),
    instructions: Array.from({ length: random(6) }, instruction),
  });
  const compiled = random(2) ? message.compileToLegacyMessage() : message.compileToV0Message(tables);
  try {
    const bytes = Buffer.from(new VersionedTransaction(compiled).serialize());
    return bytes.length > 1232 ? undefined : { bytes, secrets, tables };
  } catch {
    return undefined;
  }
}

const compact = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...compact(n >> 7)]);
export const key = (n: number): Buffer => Buffer.alloc(32, n);
export const base58Of = (n: number): string => base58.encode(key(n));

type Parts = {
  slots: number[];
  version: number[];
  header: [number, number, number];
  keys: Buffer[];
  keyCount: number[];
  instructions: { program: number; accounts: number[]; data: Buffer }[];
  lookups: { key: Buffer; writable: number[]; readonly: number[] }[];
  end: number[];
};

/** The bytes of a transaction, as the documentation describes them; any part of it may be wrong. */
export function write(change: Partial<Parts> = {}): Buffer {
  const keys = change.keys ?? [key(1), key(2), key(3)];
  const header = change.header ?? [1, 0, 1];
  const parts: Parts = {
    slots: compact(header[0]),
    version: [],
    header,
    keys,
    keyCount: compact(keys.length),
    instructions: [{ program: 2, accounts: [0, 1], data: Buffer.from('0200000005', 'hex') }],
    lookups: [],
    end: [],
    ...change,
  };
  const bytes = (list: ArrayLike<number>) => [...compact(list.length), ...Array.from(list)];
  return Buffer.from([
    ...parts.slots,
    ...Buffer.alloc(64 * header[0]),
    ...parts.version,
    ...parts.header,
    ...parts.keyCount,
    ...Buffer.concat(parts.keys),
    ...key(9),
    ...compact(parts.instructions.length),
    ...parts.instructions.flatMap(({ program, accounts, data }) => [program, ...bytes(accounts), ...bytes(data)]),
    ...(parts.version.length > 0 ? compact(parts.lookups.length) : []),
    ...parts.lookups.flatMap((lookup) => [...lookup.key, ...bytes(lookup.writable), ...bytes(lookup.readonly)]),
    ...parts.end,
  ]);
}

export function mutated(random: Random, base: Buffer): Buffer {
  let bytes = Buffer.from(base);
  for (let i = random(3); i >= 0; i--) {
    const at = random(4) ? 65 + random(bytes.length - 65) : random(bytes.length);
    const kind = random(6);
    if (kind === 0) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
    else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), Buffer.of(random(256)), bytes.subarray(at)]);
    else bytes[at] = kind === 2 ? random(256) : (bytes[at]! + 1 - 2 * random(2)) & 255;
  }
  return bytes;
}
