import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { StaticPage } from '../http/pages.ts';
import { KEYS_PATH, type OwnIssuer } from '../login/tokens/own-issuer.ts';

function startPage({ metrics, messages }: Config, page: string): string {
  // With METRICS_PORT this port has no /metrics to link to.
  const shown = metrics === undefined ? page : page.replace(/^.*href="\/metrics".*\n/m, '');
  return messages.devOutbox ? shown : shown.replace(/^.*href="\/dev\/outbox".*\n/m, '');
}

/** The fixed pages: the console, the documents, and the service's public keys. */
export function pages(config: Config, { discovery, keys }: OwnIssuer, publicKeys: string): StaticPage[] {
  const document = (name: string) => readFileSync(new URL(`../../openapi/${name}.json`, import.meta.url), 'utf8');
  const read = (name: string) => readFileSync(new URL(`../../console/public/${name}`, import.meta.url), 'utf8');
  const page = (path: string, type: string, text: string) => ({ path, type: `${type}; charset=utf-8`, text: () => text });
  return [
    // The console has this path, unless it is off.
    ...(config.console.isOn ? [] : [page('/', 'text/html', startPage(config, read('index.html')))]),
    page('/accept-invitation', 'text/html', read('accept-invitation.html')),
    page('/console/style.css', 'text/css', read('style.css')),
    ...['status.js', 'accept-invitation.js'].map((name) => page(`/console/${name}`, 'text/javascript', read(name))),
    { path: '/openapi.json', type: 'application/json', text: () => document('public-api') },
    { path: '/auth-proxy.openapi.json', type: 'application/json', text: () => document('auth-proxy') },
    { path: '/.well-known/openid-configuration', type: 'application/json', text: () => JSON.stringify(discovery) },
    { path: KEYS_PATH, type: 'application/json', text: () => JSON.stringify(keys) },
    { path: '/public/v1/discovery/keys', type: 'application/json', text: () => publicKeys },
  ];
}
