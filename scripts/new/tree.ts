import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** A file as it should be; `path` is from the root of the checkout. */
export type File = { path: string; text: string };

/** The files that a template makes, and the steps that are left to the author. */
export type Made = { files: readonly File[]; next: readonly string[] };

/** Wrong names and arguments: the message says what is allowed. */
export class Refused extends Error {}

export const exists = (path: string): boolean => existsSync(join(ROOT, path));

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The folders in a folder. */
export const foldersIn = (path: string): string[] =>
  readdirSync(join(ROOT, path), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

export const filesIn = (path: string): string[] => (exists(path) ? readdirSync(join(ROOT, path)) : []);

/** The text as `npm run check` wants it: imports sorted, lines broken. */
export function tidy({ path, text }: File): File {
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  const args = [biome, 'check', '--write', `--stdin-file-path=${path}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, input: text, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${path} is not valid:\n${stderr}\n${text}`);
  return { path, text: stdout };
}
