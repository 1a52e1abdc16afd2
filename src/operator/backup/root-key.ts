import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { CommandFailed } from '../../base/command-failed.ts';
import { createFile, makeFolder } from '../../base/files.ts';
import type { Random } from '../../base/random.ts';
import type { Config } from '../../config.ts';
import { checkProvider } from '../../custody/masters.ts';
import type { Header } from './lines.ts';

/** The root key is written from the copy, is there already, is missing, or is in no file. */
export type RootKeyPlan = 'written' | 'there' | 'missing' | 'elsewhere';

/** Throws if the settings name another provider than the copy's, or another key is in the place of the copy's. */
export function planRootKey({ rootKey: settings }: Config, { rootIds, rootKey }: Header): RootKeyPlan {
  checkProvider(
    settings.provider,
    rootIds.map((rootId) => ({ version: 1, rootId, wrapped: Buffer.alloc(1) })),
  );
  if (settings.provider !== 'file') return 'elsewhere';
  if (!existsSync(settings.path)) return rootKey === null ? 'missing' : 'written';
  if (rootKey !== null && readFileSync(settings.path, 'utf8').trim().toLowerCase() !== rootKey.toLowerCase())
    throw new CommandFailed(
      `${settings.path} holds another root key than the copy: move it away, or set ROOT_KEY_PATH to another path`,
    );
  return 'there';
}

/** Writes the copy's root key, for this user only. Returns how to take that back. */
export function placeRootKey({ rootKey: settings }: Config, { rootKey }: Header, plan: RootKeyPlan, random: Random): () => void {
  if (plan !== 'written' || settings.provider !== 'file' || rootKey === null) return () => {};
  const { path } = settings;
  makeFolder(dirname(path), true);
  if (!createFile(path, `${rootKey}\n`, random(6).toString('hex'), false))
    throw new CommandFailed(`${path} was written by another process meanwhile: nothing was restored`);
  return () => rmSync(path, { force: true });
}
