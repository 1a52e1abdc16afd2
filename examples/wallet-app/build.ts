/** Builds the page into a folder that any web server can serve: `node build.ts`. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Settings } from './src/wallet.ts';

const HERE = import.meta.dirname;

export type Options = { outdir: string; apiUrl: string; authProxyUrl?: string | undefined; configId: string };

/** The key is pinned when the page is built: nobody who comes between later can name another one. */
async function otpSigner(apiUrl: string): Promise<string> {
  const answer = await fetch(`${apiUrl}/public/v1/discovery/keys`);
  if (!answer.ok) throw new Error(`${apiUrl} answered ${answer.status}: is it a Countersign server?`);
  type Key = { name: string; overrides: { client: string; value: string }[] };
  const { keys } = (await answer.json()) as { keys: Key[] };
  const key = keys.find(({ name }) => name === 'otp-signer');
  return key!.overrides.find(({ client }) => client === '@turnkey/crypto')!.value;
}

export async function buildPage({ outdir, apiUrl, authProxyUrl = apiUrl, configId }: Options): Promise<void> {
  const settings: Settings = { apiUrl, authProxyUrl, authProxyConfigId: configId, otpSigner: await otpSigner(apiUrl) };
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

export function optionsOf(env: NodeJS.ProcessEnv): Options {
  const { API_URL = 'http://localhost:8080', AUTH_PROXY_URL, CONFIG_ID } = env;
  if (!CONFIG_ID) throw new Error('set CONFIG_ID to the configId that update_auth_proxy_config answered');
  return { outdir: env.OUTDIR ?? join(HERE, 'dist'), apiUrl: API_URL, authProxyUrl: AUTH_PROXY_URL, configId: CONFIG_ID };
}

if (import.meta.main) {
  const options = optionsOf(process.env);
  await buildPage(options);
  console.log(`The page is in ${options.outdir}`);
}
