import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { CommandFailed } from '../base/command-failed.ts';
import { createFile } from '../base/files.ts';
import { UUID } from '../base/ids.ts';
import { systemRandom } from '../base/random.ts';
import { addressOf, readCredentials, stampBody, UsageError } from './client.ts';
import { configOf } from './config.ts';
import { type CredentialsOptions, NAME, profileFile, profilesFolder, requirePrivate } from './credentials-place.ts';
import { printable } from './printable.ts';

type Options = CredentialsOptions & {
  organization?: string | undefined;
  url?: string | undefined;
  force: boolean;
  json: boolean;
};

const ENDING = '.credentials.json';

/** What a profile may show: no private key. */
function shown(name: string) {
  const file = profileFile(name);
  requirePrivate(file);
  const { apiPublicKey: publicKey, curve, organizationId, baseUrl } = readCredentials(configOf(), { credentials: file });
  return { name, publicKey, curve, organizationId, baseUrl, file };
}

function list(json: boolean): string {
  const folder = profilesFolder();
  const names = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(ENDING)) : [];
  const profiles = names.map((file) => shown(file.slice(0, -ENDING.length))).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (json) return `${JSON.stringify({ profiles }, null, 2)}\n`;
  const line = ({ name, publicKey, organizationId, baseUrl }: (typeof profiles)[number]) =>
    `${printable([name, publicKey, organizationId ?? '', baseUrl ?? ''].join('  ')).trimEnd()}\n`;
  return profiles.length === 0 ? 'There are no profiles: see countersign profile --help\n' : profiles.map(line).join('');
}

function add(name: string | undefined, { credentials, organization, url, force, json }: Options): string {
  if (name === undefined || !NAME.test(name))
    throw new UsageError(
      'name the profile with letters, digits, dots, dashes and underscores: countersign profile add NAME --credentials FILE',
    );
  if (credentials === undefined) throw new UsageError('name the file to copy: --credentials FILE');
  if (organization !== undefined && !UUID.test(organization))
    throw new UsageError(`--organization must be a UUID, not "${organization}"`);
  const found = readCredentials(configOf(), { credentials });
  // A pair that does not fit would be refused at its first use.
  stampBody(found, '');
  const { curve, apiPublicKey, apiPrivateKey } = found;
  const content = {
    baseUrl: addressOf(url) ?? found.baseUrl,
    organizationId: organization ?? found.organizationId,
    ...{ curve, apiPublicKey, apiPrivateKey },
  };
  const file = profileFile(name);
  let created: boolean;
  try {
    mkdirSync(profilesFolder(), { recursive: true, mode: 0o700 });
    created = createFile(file, `${JSON.stringify(content, null, 2)}\n`, systemRandom(6).toString('hex'), force);
  } catch (error) {
    throw new CommandFailed((error as Error).message);
  }
  if (!created) throw new CommandFailed(`${file} already exists: choose another name, or replace it and its key with --force`);
  return json ? `${JSON.stringify(shown(name), null, 2)}\n` : `Profile ${name} was added. Use it with --profile ${name}.\n`;
}

/** `countersign profile …` */
export function profileCommand([action, name]: readonly string[], options: Options): { text: string } {
  if (action === 'add') return { text: add(name, options) };
  if (action === 'list' && name === undefined) return { text: list(options.json) };
  throw new UsageError(`there is no "profile ${[action, name].join(' ').trim()}": see countersign profile --help`);
}
