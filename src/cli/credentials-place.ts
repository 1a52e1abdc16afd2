import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { credentialsFile } from '../app/root-credentials.ts';
import { CommandFailed } from '../base/command-failed.ts';
import { type Config, ConfigError, profileSettings } from '../config.ts';

/** A part of a file's name: no path, nothing hidden, no option. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export type CredentialsOptions = { credentials?: string | undefined; profile?: string | undefined };

const OTHERS = 0o077;

/** The folder of profiles, and the file of one. */
export const profilesFolder = (): string => profileSettings().folder;
export const profileFile = (name: string): string => join(profilesFolder(), `${name}.credentials.json`);

/** Refuses a file that another user of the machine can read or replace. */
export function requirePrivate(file: string): void {
  const { mode, uid } = statSync(file);
  const own = process.getuid?.();
  if (own !== undefined && uid !== own && own !== 0)
    throw new CommandFailed(`${file} belongs to another user: copy it with countersign profile add`);
  if ((mode & OTHERS) !== 0) throw new CommandFailed(`${file} can be used by other users: run chmod 600 ${file}`);
}

/** The file of credentials that the options name. Throws CommandFailed for a profile that is not there, or not private; ConfigError for wrong usage. */
export function credentialsPlace(config: Config, { credentials, profile }: CredentialsOptions): string {
  if (credentials !== undefined && profile !== undefined) throw new ConfigError('give --credentials or --profile, not both');
  const name = profile ?? (credentials === undefined ? profileSettings().name : undefined);
  if (name === undefined) return credentials ?? credentialsFile(config);
  if (!NAME.test(name))
    throw new ConfigError(`the name of a profile must have letters, digits, dots, dashes and underscores, not "${name}"`);
  const file = profileFile(name);
  if (!existsSync(file)) throw new CommandFailed(`there is no profile "${name}": see countersign profile list`);
  requirePrivate(file);
  return file;
}
