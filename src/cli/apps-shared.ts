import { CommandFailed } from '../base/command-failed.ts';
import { manifestHash as hashOf, Manifest } from '../model/tvc/manifest.ts';
import type { Deployment } from './apps-text.ts';
import { type Reply, UsageError } from './client.ts';
import { type ClientOptions, query } from './operations.ts';

/** What the actions of `countersign apps` share. */
export type AppsOptions = ClientOptions & {
  key?: string | undefined;
  operator?: string | undefined;
  share?: string | undefined;
  digest?: string | undefined;
  hash?: string | undefined;
  tail?: string | undefined;
  since?: string | undefined;
  force: boolean;
  'dry-run': boolean;
  json: boolean;
};

/** The text to print, or the service's refusal. */
export type Told = { text: string; code: number } | { reply: Reply };

export type Context = { operand: string; now: () => number; options: AppsOptions };

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Stops a command at the service's refusal. */
export class Refused extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super('refused');
    this.reply = reply;
  }
}

export async function answer<T>(asked: Promise<Reply>): Promise<T> {
  const reply = await asked;
  if (reply.status >= 400) throw new Refused(reply);
  return JSON.parse(reply.text) as T;
}

export const ask = <T>(name: string, parameters: object, options: ClientOptions): Promise<T> =>
  answer(query(name, JSON.stringify(parameters), options));

/** The manifest and its hash, from the very bytes that the service gave. Throws CommandFailed for one that would be signed blindly. */
export function manifestIn({ manifest: { manifest } }: Deployment): { manifest: Manifest; hash: Buffer } {
  let read: Manifest;
  try {
    read = Manifest.parse(JSON.parse(Buffer.from(manifest, 'base64').toString('utf8')));
  } catch (error) {
    throw new CommandFailed(
      `the manifest has another form than this program knows, so it signs nothing: ${(error as Error).message}`,
    );
  }
  return { manifest: read, hash: hashOf(read) };
}

type Given = { option: string; wanted: string | undefined; found: string; text: string };

/** Throws CommandFailed if the operator named another SHA-256 than the one that was found. */
export function requireSame({ option, wanted, found, text }: Given): void {
  if (wanted === undefined) return;
  if (!/^[0-9a-fA-F]{64}$/.test(wanted)) throw new UsageError(`${option} must be a SHA-256 in hex, not "${wanted}"`);
  if (wanted.toLowerCase() !== found) throw new CommandFailed(`${text} is ${found}, not ${wanted}. Nothing was signed.`);
}
