/**
 * Writes openapi/client/ from the API documents. The generator has packages of its own: run npm ci here first.
 *
 *   node tests/openapi/client.ts
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const BIN = join(import.meta.dirname, 'node_modules/.bin');
export const DOCUMENTS = ['public-api', 'auth-proxy'] as const;

/** Answers of the installed program, which sends nothing: no telemetry and no question about updates. */
export function tool(name: 'redocly' | 'openapi-typescript' | 'tsc', args: readonly string[], cwd = ROOT): string {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1', CI: '1' };
  return execFileSync(join(BIN, name), args, { cwd, env, encoding: 'utf8', timeout: 120_000, stdio: ['ignore', 'pipe', 'pipe'] });
}

export const clientFile = (name: string): string => join(ROOT, `openapi/client/${name}.d.ts`);

/** Examples are left out: a client has no use for them, and they are half of the document. */
const withoutExamples = (text: string): string =>
  JSON.stringify(JSON.parse(text, (key, value) => (key === 'examples' || key === 'example' ? undefined : value)));

/** The client's types for a document. */
export function clientOf(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-client-'));
  try {
    const [from, to] = [join(folder, 'document.json'), join(folder, 'client.d.ts')];
    writeFileSync(from, withoutExamples(readFileSync(join(ROOT, `openapi/${name}.json`), 'utf8')));
    tool('openapi-typescript', [from, '-o', to]);
    return readFileSync(to, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) for (const name of DOCUMENTS) writeFileSync(clientFile(name), clientOf(name));
