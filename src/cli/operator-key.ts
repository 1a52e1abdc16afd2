import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { zero } from '../base/bytes.ts';
import { CommandFailed } from '../base/command-failed.ts';
import { createFile } from '../base/files.ts';
import { systemRandom } from '../base/random.ts';
import { p256Signer } from '../crypto/p256-sign.ts';
import { openQuorumBytes } from '../crypto/quorum-envelope.ts';
import { QUORUM_SEED, type QuorumKeys, quorumKeys, quorumPublicKey, wipeQuorumKeys } from '../crypto/quorum-key.ts';
import { UsageError } from './client.ts';
import { NAME } from './credentials-place.ts';
import { notAName } from './keygen.ts';

/** The length of each half of a public key. */
const POINT = 65;

/**
 * The file of an operator of verifiable apps has a seed of 32 bytes in hex. Both its keys are derived from it, as published clients do.
 */
export type OperatorKey = {
  /** 130 bytes in hex. */
  publicKey: string;
  /** r ‖ s in hex, over SHA-256 of the data. */
  sign(data: Uint8Array): string;
  /** Opens an envelope that is sealed to the operator. Throws BundleError. The caller wipes it. */
  open(sealed: Buffer): Buffer;
};

const publicKeyOf = (keys: QuorumKeys): string => quorumPublicKey(keys).toString('hex');

/** Throws UsageError for a file that holds no seed. The seed is in memory while its keys are derived. */
export function readOperatorKey(file: string): OperatorKey {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`cannot read the operator's key: ${(error as Error).message}`);
  }
  if (!/^[0-9a-fA-F]{64}$/.test(text))
    throw new UsageError(
      `${file} is no operator's key: it must hold 64 hex digits, as countersign apps operator-key writes them`,
    );
  const seed = Buffer.from(text, 'hex');
  const keys = quorumKeys(seed);
  zero(seed);
  if (keys === undefined) throw new UsageError(`${file} is no operator's key: no P-256 keys can be derived from it`);
  const publicKey = publicKeyOf(keys);
  const sign = p256Signer(keys.sign);
  zero(keys.sign);
  const own = Buffer.from(publicKey, 'hex').subarray(0, POINT);
  // The key is in memory while the command runs.
  const open = (sealed: Buffer) => openQuorumBytes(sealed, keys.encrypt, own);
  return { publicKey, sign: (data) => Buffer.from(sign(data)).toString('hex'), open };
}

/** Writes the seed of a new operator. Returns the file and the public key. */
export function newOperatorKey(name: string, force: boolean): { file: string; publicKey: string } {
  if (!NAME.test(name)) throw new UsageError(notAName(name));
  for (;;) {
    const seed = systemRandom(QUORUM_SEED);
    const keys = quorumKeys(seed);
    // One seed in 2^31 is none.
    if (keys === undefined) continue;
    const file = resolve(`${name}.operator`);
    let created: boolean;
    try {
      created = createFile(file, `${seed.toString('hex')}\n`, systemRandom(6).toString('hex'), force);
    } catch (error) {
      throw new CommandFailed((error as Error).message);
    }
    if (!created) throw new CommandFailed(`${file} already exists: choose another name, or replace it and its keys with --force`);
    const publicKey = publicKeyOf(keys);
    wipeQuorumKeys(keys);
    zero(seed);
    return { file, publicKey };
  }
}
