import { resolve } from 'node:path';
import { CommandFailed } from '../base/command-failed.ts';
import { createFile } from '../base/files.ts';
import { UUID } from '../base/ids.ts';
import { systemRandom } from '../base/random.ts';
import { apiKeyCurve } from '../crypto/stamp.ts';
import { addressOf, UsageError } from './client.ts';
import { NAME } from './credentials-place.ts';
import { newStampKeys } from './stamp.ts';

export const KEYGEN_HELP = `Usage: countersign keygen NAME [--curve CURVE] [--organization ID] [--url URL] [--force] [--json]

Creates an API key. Writes both keys of the pair to NAME.credentials.json in this folder, with mode 0600. Prints the public key,
which is all that the service needs. It calls no service. An existing file is not changed.

  --curve CURVE       p256 (unless given), secp256k1 or ed25519
  --organization ID   the organization in which the key will be used, for the file
  --url URL           the service's address, for the file
  --force             replace an existing file: its key is lost
  --json              print the name, the curve, the file and the public key as JSON

The file is for --credentials of the other commands. If it names no organization or address, add --organization or --url there.

Exit codes: 0 done, 1 not done, 2 wrong usage.

Examples:
  ./countersign keygen alice
  ROOT_USER_PUBLIC_KEY=$(./countersign keygen root) npm start     (the first start: see docs/operating/installing.md)
  ./countersign keygen bot --curve ed25519 --organization 0191f3c2-… --url https://sign.example.com
  ./countersign --credentials alice.credentials.json --organization 0191f3c2-… query whoami
`;

export const notAName = (name: string): string =>
  `the name must have at most 64 letters, digits, dots, dashes and underscores, and begin with a letter or digit, not "${name}"`;

type Options = {
  curve?: string | undefined;
  organization?: string | undefined;
  url?: string | undefined;
  force: boolean;
  json: boolean;
};

/** `countersign keygen NAME`: the text to print, and a note beside it. */
export function keygen(name: string, options: Options): { text: string; note: string } {
  const { curve: named = 'p256', organization, url, force, json } = options;
  if (!NAME.test(name)) throw new UsageError(notAName(name));
  const curve = apiKeyCurve(named);
  if (curve === undefined) throw new UsageError(`--curve must be p256, secp256k1 or ed25519, not "${named}"`);
  if (organization !== undefined && !UUID.test(organization))
    throw new UsageError(`--organization must be a UUID, not "${organization}"`);
  const file = resolve(`${name}.credentials.json`);
  const { apiPublicKey, apiPrivateKey } = newStampKeys(curve, systemRandom);
  const content = { baseUrl: addressOf(url), organizationId: organization, curve, apiPublicKey, apiPrivateKey };
  let created: boolean;
  try {
    created = createFile(file, `${JSON.stringify(content, null, 2)}\n`, systemRandom(6).toString('hex'), force);
  } catch (error) {
    throw new CommandFailed((error as Error).message);
  }
  if (!created) throw new CommandFailed(`${file} already exists: choose another name, or replace it and its key with --force`);
  if (json) return { text: `${JSON.stringify({ name, curve, file, publicKey: apiPublicKey }, null, 2)}\n`, note: '' };
  return { text: `${apiPublicKey}\n`, note: `written: ${file}\n` };
}
