import { readFileSync } from 'node:fs';
import { parseCredentials } from '../app/root-credentials.ts';
import type { Config } from '../config.ts';
import { type CredentialsOptions, credentialsPlace } from './credentials-place.ts';
import { CURVES, isPair, type StampKeys, stampOf } from './stamp.ts';

/** A user's mistake: shown without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The service's address that `--url` names, without slashes at its end. */
export function addressOf(url: string | undefined): string | undefined {
  if (url !== undefined && !/^https?:\/\/./.test(url))
    throw new UsageError(`--url must start with http:// or https://, not "${url}"`);
  return url?.replace(/\/+$/, '');
}

const LONGEST_REASON = 500;

/** The text of `--reason`: why an operator bypasses the service to change something that users decide on. */
export function reasonOf(given: string | undefined, command: string): string {
  const reason = given?.trim() ?? '';
  if (reason === '') throw new UsageError(`give a reason: ${command} --reason TEXT`);
  if (reason.length > LONGEST_REASON) throw new UsageError(`--reason must have at most ${LONGEST_REASON} characters`);
  return reason;
}

/** The contents of a credentials file: from the first start, from `keygen`, or hand-made. */
export type Credentials = StampKeys & { organizationId?: string; baseUrl?: string };

/** The credentials of `--credentials FILE` or a profile, or those from the first start. */
export function readCredentials(config: Config, options: CredentialsOptions): Credentials {
  const path = credentialsPlace(config, options);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `cannot read credentials from ${path}: ${(error as Error).message}. Start the service once, set DATA_DIR, or name a file with --credentials.`,
    );
  }
  let found: Partial<Credentials>;
  try {
    found = parseCredentials(text, path, ['apiPublicKey', 'apiPrivateKey']);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { curve = 'API_KEY_CURVE_P256' } = found;
  if (!CURVES.includes(curve)) throw new UsageError(`${path} has no valid curve: it must be ${CURVES.join(' or ')}`);
  return { ...(found as Credentials), curve };
}

/** The X-Stamp header for a body. */
export function stampBody(credentials: Credentials, body: string): string {
  let fit: boolean;
  try {
    fit = isPair(credentials);
  } catch {
    throw new UsageError(
      `the credentials have no valid private key of ${credentials.curve}: apiPrivateKey must be 64 hex digits`,
    );
  }
  if (!fit)
    throw new UsageError(
      'the credentials have keys of two pairs: apiPublicKey must be the public key of apiPrivateKey. Use both keys of one pair, or restore the file from your backup',
    );
  return stampOf(credentials, body);
}

/** `ignored`: paths of body members that the service does not read. `warnings`: its warnings about a new body that it took. */
export type Reply = { status: number; text: string; ignored: readonly string[]; warnings: readonly string[] };

/** Sends a stamped body. Throws UsageError with the address if the service does not answer. */
export async function post(credentials: Credentials & { baseUrl: string }, path: string, body: string): Promise<Reply> {
  const stamp = stampBody(credentials, body);
  try {
    const response = await fetch(`${credentials.baseUrl}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-stamp': stamp },
    });
    const listed = (header: string) => response.headers.get(header)?.split(', ').map(decodeURIComponent) ?? [];
    const [ignored, warnings] = [listed('x-ignored-fields'), listed('x-warnings')];
    return { status: response.status, text: await response.text(), ignored, warnings };
  } catch (error) {
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    if (/^ERR_SSL_(?:WRONG_VERSION|PACKET_LENGTH)/.test(code ?? ''))
      throw new UsageError(
        `${credentials.baseUrl} does not speak TLS: the service speaks http, and only its reverse proxy speaks https. Set another address with --url.`,
      );
    throw new UsageError(
      `no answer from ${credentials.baseUrl}: ${message}. Is the service running? Set another address with --url.`,
    );
  }
}
