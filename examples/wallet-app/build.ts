/** Builds the page into a folder that any web server can serve: `node build.ts`. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import * as chains from 'viem/chains';
import type { Network, Settings } from './src/wallet.ts';

const HERE = import.meta.dirname;

export type Options = {
  outdir: string;
  apiUrl: string;
  authProxyUrl?: string | undefined;
  configId: string;
  /** Where the service has its frames. */
  framesUrl?: string | undefined;
  network?: Network | undefined;
};

/** A mistake to put right before the page can be built: reported without a stack. */
export class Unready extends Error {}

async function ask(url: string, options?: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options);
  } catch (error) {
    const { cause } = error as Error & { cause?: { message?: string; code?: string } };
    throw new Unready(`${url} cannot be reached (${cause?.message || cause?.code || error}): is the server running there?`);
  }
}

/** The key is pinned when the page is built: a later man in the middle cannot name another one. */
async function otpSigner(apiUrl: string): Promise<string> {
  const answer = await ask(`${apiUrl}/public/v1/discovery/keys`);
  if (!answer.ok) throw new Unready(`API_URL: ${apiUrl} answered ${answer.status}: is it a Countersign server?`);
  type Key = { name: string; overrides: { client: string; value: string }[] };
  const { keys } = (await answer.json()) as { keys: Key[] };
  const key = keys.find(({ name }) => name === 'otp-signer');
  return key!.overrides.find(({ client }) => client === '@turnkey/crypto')!.value;
}

/** Undefined if the service has no frames: its operator names the apps that may show them. */
async function framesAt({ apiUrl, framesUrl }: Options): Promise<string | undefined> {
  const url = framesUrl ?? apiUrl;
  const { ok, status } = await ask(`${url}/frames/export`);
  if (ok) return url;
  if (framesUrl !== undefined) throw new Unready(`FRAMES_URL: ${url} answered ${status}: has the service frames there?`);
  return undefined;
}

/** Why the proxy would serve nothing to the page, or undefined. `origin`: where the page will be. */
export async function refusal(
  { apiUrl, authProxyUrl = apiUrl, configId }: Options,
  origin?: string,
): Promise<string | undefined> {
  const headers = { 'X-Auth-Proxy-Config-ID': configId, ...(origin && { Origin: origin }) };
  const answer = await ask(`${authProxyUrl}/v1/wallet_kit_config`, { method: 'POST', headers });
  if (answer.ok) return undefined;
  const { message } = (await answer.json().catch(() => ({}))) as { message?: string };
  return `${authProxyUrl} answered ${answer.status}: ${message ?? 'is the auth proxy there?'}`;
}

export async function buildPage(options: Options): Promise<void> {
  const { outdir, apiUrl, authProxyUrl = apiUrl, configId } = options;
  const refused = await refusal(options);
  if (refused !== undefined) throw new Unready(refused);
  const { network } = options;
  const framesUrl = await framesAt(options);
  const settings: Settings = {
    apiUrl,
    authProxyUrl,
    authProxyConfigId: configId,
    otpSigner: await otpSigner(apiUrl),
    ...(framesUrl && { framesUrl }),
    ...(network && { network }),
  };
  mkdirSync(outdir, { recursive: true });
  writeFileSync(join(outdir, 'settings.json'), `${JSON.stringify(settings, null, 2)}\n`);
  for (const name of ['index.html', 'style.css']) copyFileSync(join(HERE, 'page', name), join(outdir, name));
  await build({
    entryPoints: [join(HERE, 'src/page.ts')],
    outfile: join(outdir, 'page.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  });
}

function address(name: string, text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new Unready(`${name} must be like http://localhost:8080, not "${text}"`);
  return text.replace(/\/+$/, '');
}

/** What the page says of the network on which it sends: well-known ones have names. */
function networkOf({ SEND_ON, SPONSORED, EXPLORER_URL }: NodeJS.ProcessEnv): Network | undefined {
  if (!SEND_ON) return undefined;
  const id = /^eip155:([1-9]\d{0,14})$/.exec(SEND_ON)?.[1];
  if (id === undefined) throw new Unready(`SEND_ON must be like eip155:11155111, not "${SEND_ON}"`);
  const known = Object.values(chains).find((chain) => chain.id === Number(id));
  const explorer = EXPLORER_URL ? address('EXPLORER_URL', EXPLORER_URL) : known?.blockExplorers?.default.url.replace(/\/+$/, '');
  return {
    caip2: SEND_ON,
    name: known?.name ?? `chain ${id}`,
    symbol: known?.nativeCurrency.symbol ?? 'ETH',
    sponsored: SPONSORED === '1',
    ...(explorer && { explorer }),
  };
}

export function optionsOf(env: NodeJS.ProcessEnv): Options {
  const { CONFIG_ID, AUTH_PROXY_URL, FRAMES_URL } = env;
  if (!CONFIG_ID) throw new Unready('set CONFIG_ID to the configId that update_auth_proxy_config answered');
  return {
    outdir: env.OUTDIR || join(HERE, 'dist'),
    apiUrl: address('API_URL', env.API_URL || 'http://localhost:8080'),
    authProxyUrl: AUTH_PROXY_URL ? address('AUTH_PROXY_URL', AUTH_PROXY_URL) : undefined,
    configId: CONFIG_ID,
    framesUrl: FRAMES_URL ? address('FRAMES_URL', FRAMES_URL) : undefined,
    network: networkOf(env),
  };
}

/** Runs a command of this folder, and says in one line what to put right. */
export async function run(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof Unready)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

if (import.meta.main)
  await run(async () => {
    const options = optionsOf(process.env);
    await buildPage(options);
    console.log(`The page is in ${options.outdir}`);
  });
