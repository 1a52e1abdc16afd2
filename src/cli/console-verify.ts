import { type BuiltConsole, INDEX } from '../app/console/built.ts';
import { policyOf } from '../app/console/headers.ts';
import { CommandFailed } from '../base/command-failed.ts';
import { UsageError } from './client.ts';
import { builtHere, isAddress } from './console-built.ts';
import { printable } from './printable.ts';
import type { Outcome } from './tell.ts';

const LONGEST_MS = 10_000;
/** A host may send more than it should, and the rest is not read. */
const MORE = 1;

/** The first bytes of an answer, and at most one more than are wanted. */
async function bytesOf({ body }: Response, wanted: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    length += part.length;
    if (length >= wanted + MORE) break;
  }
  return Buffer.concat(parts);
}

/** Throws CommandFailed. */
export async function asked(url: string, redirect: RequestRedirect = 'error'): Promise<Response> {
  try {
    return await fetch(url, { redirect, signal: AbortSignal.timeout(LONGEST_MS) });
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error };
    throw new CommandFailed(`${url} does not answer: ${cause?.message ?? message}`);
  }
}

export const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Whether a page may send its requests to a service: on one's own machine, to its own host, or to one that its own is below. */
export const isOwn = (page: URL, service: URL): boolean =>
  LOOPBACK.includes(page.hostname) ||
  (page.protocol === service.protocol && `.${page.hostname}`.endsWith(`.${service.hostname}`));

/** How people sign in without a key. No file of the console has it: the host says it. */
type Logins = { oidcUrl?: string; authProxy?: string };

/** A page would make an address of any other value, which would not be printed here. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new TypeError('not a text');
}

/** The service that the page sends to, its logins, and the policy. That names a service of another origin. */
async function serviceOf(origin: string, { styles }: BuiltConsole): Promise<{ service: string; policy: string; logins: Logins }> {
  const answer = await asked(`${origin}/console/service.json`);
  const text = (await bytesOf(answer, 4096)).toString('utf8');
  try {
    const { url, elsewhere, ...said } = JSON.parse(text) as {
      url: string;
      elsewhere: boolean;
      oidcUrl?: unknown;
      authProxy?: unknown;
    };
    const service = elsewhere ? new URL(url) : new URL(origin);
    const [oidcUrl, authProxy] = [textOf(said.oidcUrl), textOf(said.authProxy)];
    const logins = { ...(oidcUrl !== undefined && { oidcUrl }), ...(authProxy !== undefined && { authProxy }) };
    const policy = policyOf({ styles, service: elsewhere ? service.origin : undefined });
    if (isOwn(new URL(origin), service)) return { service: service.origin, policy, logins };
  } catch {
    throw new CommandFailed(`${origin}/console/service.json is not of a console`);
  }
  throw new CommandFailed(`the console of ${origin} sends its requests to another host: do not use it`);
}

const loginsText = ({ oidcUrl, authProxy }: Logins): string =>
  (oidcUrl === undefined ? '' : `Sign-in by a provider goes to ${printable(oidcUrl)}.\n`) +
  (authProxy === undefined ? '' : `Codes by mail come from the auth proxy’s configuration ${printable(authProxy)}.\n`);

/** `countersign console verify URL`: whether a host serves the files of this checkout, under their policy. */
export async function verifyConsole(url: string | undefined, json: boolean): Promise<Outcome> {
  if (url === undefined || !isAddress(url))
    throw new UsageError('console verify needs the address of a service: see countersign console --help');
  const { origin } = new URL(url);
  const built = builtHere();
  const { service, policy, logins } = await serviceOf(origin, built);
  const differing: string[] = [];
  for (const [path, { plain }] of Object.entries(built.files)) {
    const wanted = Buffer.from(plain, 'base64');
    const answer = await asked(`${origin}/console/${path === INDEX ? '' : path}`);
    const isSame = answer.status === 200 && wanted.equals(await bytesOf(answer, wanted.length));
    if (!isSame) differing.push(path);
    if (path === INDEX && answer.headers.get('content-security-policy') !== policy) differing.push('Content-Security-Policy');
  }
  const files = Object.keys(built.files).length;
  const code = differing.length > 0 ? 1 : 0;
  if (json) return { text: `${JSON.stringify({ url: origin, service, ...logins, files, differing }, null, 2)}\n`, code };
  if (code === 0)
    return {
      text: `All ${files} files of ${origin}/console/ are those of this folder. They send to ${service}.\n${loginsText(logins)}`,
    };
  return { text: differing.map((path) => `differs  ${printable(path)}\n`).join(''), code };
}
