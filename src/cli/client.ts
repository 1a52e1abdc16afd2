import { createECDH, createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { credentialsFile, KEY_FIELDS, parseCredentials, type RootCredentials } from '../app/first-start.ts';
import type { Config } from '../config.ts';

/** A user's mistake: shown without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const LONGEST_REASON = 500;

/** What `--reason` says: why somebody changes past the service what users decide on. */
export function reasonOf(given: string | undefined, command: string): string {
  const reason = given?.trim() ?? '';
  if (reason === '') throw new UsageError(`say why: ${command} --reason TEXT`);
  if (reason.length > LONGEST_REASON) throw new UsageError(`--reason must have at most ${LONGEST_REASON} characters`);
  return reason;
}

/** The credentials of `--credentials FILE`, or those from the first start. `url`: the service's address is already known. */
export function readCredentials(config: Config, file: string | undefined, url = false): RootCredentials {
  const path = file ?? credentialsFile(config);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `cannot read credentials from ${path}: ${(error as Error).message}. Start the service once, set DATA_DIR, or name a file with --credentials.`,
    );
  }
  try {
    return parseCredentials(text, path, url ? KEY_FIELDS : [...KEY_FIELDS, 'baseUrl']);
  } catch (error) {
    throw new UsageError(
      `${(error as Error).message}. It must have ${KEY_FIELDS.join(', ')}, and baseUrl unless --url is given.`,
    );
  }
}

/** The X-Stamp header for a body: P-256 over its exact bytes. */
export function stampBody(credentials: RootCredentials, body: string): string {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(Buffer.from(credentials.apiPrivateKey, 'hex'));
  const point = ecdh.getPublicKey();
  const part = (from: number, to: number) => point.subarray(from, to).toString('base64url');
  const d = Buffer.from(credentials.apiPrivateKey, 'hex').toString('base64url');
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: part(1, 33), y: part(33, 65), d } });
  const stamp = {
    publicKey: credentials.apiPublicKey,
    scheme: 'SIGNATURE_SCHEME_TK_API_P256',
    signature: sign('sha256', Buffer.from(body), key).toString('hex'),
  };
  return Buffer.from(JSON.stringify(stamp)).toString('base64url');
}

/** `ignored`: paths of body members that the service does not read. */
export type Reply = { status: number; text: string; ignored: readonly string[] };

/** Sends a stamped body. Throws UsageError with the address if the service does not answer. */
export async function post(credentials: RootCredentials, path: string, body: string): Promise<Reply> {
  let stamp: string;
  try {
    stamp = stampBody(credentials, body);
  } catch {
    throw new UsageError('the credentials hold no private key of P-256: apiPrivateKey must be 64 hex digits');
  }
  try {
    const response = await fetch(`${credentials.baseUrl}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-stamp': stamp },
    });
    const ignored = response.headers.get('x-ignored-fields')?.split(', ').map(decodeURIComponent) ?? [];
    return { status: response.status, text: await response.text(), ignored };
  } catch (error) {
    throw new UsageError(
      `no answer from ${credentials.baseUrl}: ${String((error as { cause?: Error }).cause?.message ?? error)}. Is the service running? Set another address with --url.`,
    );
  }
}
