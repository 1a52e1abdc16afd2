import type { KeyObject } from 'node:crypto';
import { zero } from '../../base/bytes.ts';
import { createFile, createOrReadFile } from '../../base/files.ts';
import type { Random } from '../../base/random.ts';
import type { RootKey } from '../types.ts';
import { localRoot } from './local.ts';

function readOrMake(file: string, random: Random, mayMake: boolean): { text: string; created: boolean } {
  const make = () => {
    if (mayMake) return `${random(32).toString('hex')}\n`;
    throw new Error(
      `the root key file ${file} is missing, and the database was sealed with it: restore it from your backup, ` +
        'or set ROOT_KEY_PATH to its path',
    );
  };
  try {
    return createOrReadFile(file, make, random(6).toString('hex'));
  } catch (error) {
    if (!(error instanceof Error && error.cause)) throw error;
    throw new Error(`the root key file ${error.message}: check ROOT_KEY_PATH`, { cause: error });
  }
}

/** The key in the text of a root key file. The caller wipes it. */
export function keyInFile(file: string, text: string): Buffer {
  const hex = text.trim();
  if (/^[0-9a-f]{64}$/i.test(hex)) return Buffer.from(hex, 'hex');
  throw new Error(`the root key file ${file} must hold 64 hex digits: restore it from your backup, or check ROOT_KEY_PATH`);
}

/**
 * The root key as 64 hex digits in a file of mode 0600. The file is created at the first start only: pass `onCreated` only while the
 * database has no master key. `onCreated` informs the operator. Otherwise a missing file is an error. A new key would open nothing, and
 * might be mistaken for the lost one.
 */
export function fileRoot(file: string, random: Random, onCreated?: (file: string) => void): RootKey {
  const { text, created } = readOrMake(file, random, onCreated !== undefined);
  if (created) onCreated?.(file);
  return localRoot('file', keyInFile(file, text), `the root key in ${file}`, random);
}

/** Writes a root key file of mode 0600. False if the file exists. */
export function writeKeyFile(file: string, key: KeyObject, random: Random): boolean {
  const bytes = key.export();
  const text = `${bytes.toString('hex')}\n`;
  zero(bytes);
  return createFile(file, text, random(6).toString('hex'), false);
}
