/** Builds the page into a folder that any web server can serve: `node build.ts`. With `--serve`, serves it on this machine. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, context } from 'esbuild';

const HERE = import.meta.dirname;

/** All that the kit is told. */
export type Settings = {
  apiBaseUrl: string;
  authProxyUrl: string;
  authProxyConfigId: string;
  organizationId: string;
  exportIframeUrl: string;
  importIframeUrl: string;
};

/** The organization is that of the proxy's configuration, so the service is asked for it. Throws what to put right. */
export async function settingsOf({ API_URL, AUTH_PROXY_URL, CONFIG_ID, FRAMES_URL }: NodeJS.ProcessEnv): Promise<Settings> {
  if (!CONFIG_ID) throw new Error('set CONFIG_ID to the configId that update_auth_proxy_config answered');
  const apiBaseUrl = (API_URL || 'http://localhost:8080').replace(/\/+$/, '');
  const authProxyUrl = (AUTH_PROXY_URL || apiBaseUrl).replace(/\/+$/, '');
  const framesUrl = (FRAMES_URL || apiBaseUrl).replace(/\/+$/, '');
  const answer = await fetch(`${authProxyUrl}/v1/wallet_kit_config`, {
    method: 'POST',
    headers: { 'X-Auth-Proxy-Config-ID': CONFIG_ID },
  });
  const { organizationId, message } = (await answer.json()) as { organizationId: string; message?: string };
  if (!answer.ok) throw new Error(`${authProxyUrl} answered ${answer.status}: ${message}`);
  return {
    apiBaseUrl,
    authProxyUrl,
    authProxyConfigId: CONFIG_ID,
    organizationId,
    exportIframeUrl: `${framesUrl}/frames/export`,
    importIframeUrl: `${framesUrl}/frames/import`,
  };
}

const optionsOf = (settings: Settings, outdir: string): BuildOptions => ({
  absWorkingDir: HERE,
  entryPoints: ['src/page.tsx'],
  outdir,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  // What the kit's packages take from Node.js.
  define: { SETTINGS: JSON.stringify(settings), global: 'globalThis', 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
});

export async function buildPage(settings: Settings, outdir: string): Promise<void> {
  mkdirSync(outdir, { recursive: true });
  copyFileSync(join(HERE, 'page.html'), join(outdir, 'index.html'));
  await build(optionsOf(settings, outdir));
}

if (import.meta.main) {
  const outdir = process.env.OUTDIR || join(HERE, 'dist');
  const settings = await settingsOf(process.env);
  await buildPage(settings, outdir);
  console.log(`The page is in ${outdir}`);
  if (process.argv[2] === '--serve') {
    const serving = await context(optionsOf(settings, outdir));
    const { port } = await serving.serve({ servedir: outdir, host: 'localhost', port: Number(process.env.APP_PORT || 5174) });
    console.log(`The page is at http://localhost:${port}`);
  }
}
