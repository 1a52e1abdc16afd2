import { type Network, parseCaip2, solanaNetwork } from '../model/caip2.ts';
import { CHAIN_SETTING, type Environment } from './names.ts';
import { ConfigError, secret } from './read.ts';

/** The RPC endpoints of a network, the preferred one first. Their URLs may hold secrets. */
export type ChainSettings = {
  network: Network;
  urls: readonly string[];
  /** The name of the setting with these endpoints. */
  from: string;
};

const MOST_ENDPOINTS = 16;
const MOST_NETWORKS = 500;
const LONGEST_URL = 2048;

/** Never quotes the text, because it contains keys of hosted nodes. */
function urlsOf(name: string, text: string): string[] {
  const urls = text.split(',').map((one) => one.trim());
  if (urls.length > MOST_ENDPOINTS) throw new ConfigError(`${name} must have at most ${MOST_ENDPOINTS} URLs`);
  for (const [i, one] of urls.entries()) {
    const url = one.length <= LONGEST_URL ? URL.parse(one) : null;
    if (url === null || !/^https?:$/.test(url.protocol) || url.hash !== '')
      throw new ConfigError(
        `${name} must be URLs of JSON-RPC endpoints that start with http:// or https://, separated by commas: entry ${i + 1} is not`,
      );
  }
  if (new Set(urls).size < urls.length) throw new ConfigError(`${name} has the same URL twice`);
  return urls;
}

function networkOf(name: string): Network {
  if (name === 'RPC_URL_SOLANA_MAINNET') return solanaNetwork('mainnet');
  if (name === 'RPC_URL_SOLANA_DEVNET') return solanaNetwork('devnet');
  const network = parseCaip2(`eip155:${name.slice('RPC_URL_EIP155_'.length)}`);
  if (network === undefined) throw new ConfigError(`${name}: its end must be a chain id, such as 1 in RPC_URL_EIP155_1`);
  return network;
}

/** The name of a network's setting. */
const chainSetting = (network: Network): string =>
  `RPC_URL_${network.kind === 'solana' ? `SOLANA_${network.cluster.toUpperCase()}` : `EIP155_${network.chainId}`}`;

/**
 * Entries such as `eip155:1=https://…,https://…` or `RPC_URL_EIP155_1=…`, separated by spaces or line breaks. Lines that start with #
 * are ignored.
 */
function entriesOf(text: string): ChainSettings[] {
  const entries = text
    .split('\n')
    .filter((line) => !line.trim().startsWith('#'))
    .flatMap((line) => line.replace(/\s*,\s*/g, ',').split(/\s+/))
    .filter((entry) => entry !== '');
  return entries.map((entry, i) => {
    const equals = entry.indexOf('=');
    const name = entry.slice(0, Math.max(equals, 0));
    const network = CHAIN_SETTING.test(name) ? networkOf(name) : parseCaip2(name);
    if (network === undefined)
      throw new ConfigError(
        `RPC_URLS must be entries such as eip155:1=https://node.example.com,https://other.example.com: entry ${i + 1} is not`,
      );
    return { network, urls: urlsOf(`RPC_URLS: ${network.caip2}`, entry.slice(equals + 1)), from: 'RPC_URLS' };
  });
}

/** The networks to serve, and their endpoints. Throws ConfigError, without a URL in its text. */
export function chains(env: Environment): ChainSettings[] {
  const named = Object.entries(env)
    .filter(([name, text]) => CHAIN_SETTING.test(name) && text)
    .map(([name, text]) => ({ network: networkOf(name), urls: urlsOf(name, text as string), from: name }));
  const all = [...named, ...entriesOf(secret(env, 'RPC_URLS') ?? '')];
  if (all.length > MOST_NETWORKS) throw new ConfigError(`at most ${MOST_NETWORKS} networks can have RPC URLs`);
  const seen = new Set<string>();
  for (const { network } of all) {
    if (seen.has(network.caip2))
      throw new ConfigError(
        `${network.caip2} has RPC URLs twice: keep one of ${chainSetting(network)} and its entries in RPC_URLS`,
      );
    seen.add(network.caip2);
  }
  return all.sort((a, b) => (a.network.caip2 < b.network.caip2 ? -1 : 1));
}

/** Returns hosts only, because user names, passwords, paths and queries may be secret. */
const hostsOf = (urls: readonly string[]) => urls.map((url) => new URL(url).host).join(',');

export function shownChains(settings: readonly ChainSettings[]): Record<string, string> {
  const named = settings.filter(({ from }) => from !== 'RPC_URLS');
  const listed = settings.filter(({ from }) => from === 'RPC_URLS');
  return {
    RPC_URL_SOLANA_MAINNET: '(unset)',
    RPC_URL_SOLANA_DEVNET: '(unset)',
    ...Object.fromEntries(named.map(({ from, urls }) => [from, hostsOf(urls)])),
    RPC_URLS: listed.map(({ network, urls }) => `${network.caip2}=${hostsOf(urls)}`).join(' ') || '(unset)',
  };
}
