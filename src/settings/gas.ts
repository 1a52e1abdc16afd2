import { UUID } from '../base/ids.ts';
import { parseCaip2 } from '../model/caip2.ts';
import { formatPrice, parsePrice } from '../model/gas.ts';
import type { Environment } from './names.ts';
import { ConfigError, isWebUrl, secret, whole } from './read.ts';

/** Prices of the coins that pay for sponsored sends. `usdE18`: USD × 10^18 for one coin. */
export type GasPriceSettings = {
  /** Prices by the network's canonical name. */
  fixed: ReadonlyMap<string, bigint>;
  /** The URL for prices that are not fixed. It may contain a secret. */
  url: string | undefined;
  /** The maximum age of a price. Older prices are not used. */
  maxAgeMs: number;
};

export type GasSettings = {
  /** Top-level organizations that the paymaster pays for, if they enable it. Undefined: all. */
  organizations: ReadonlySet<string> | undefined;
  prices: GasPriceSettings;
  /** If the paymaster has less left on a network, the log has a warning. In micro-USD. */
  lowMicroUsd: number;
  /** The maximum rent that one transaction may give its signers on Solana. The signers may later collect it for themselves. */
  rentLamports: bigint;
};

const SHAPE = 'such as eip155:1=3000.50,solana:mainnet=150: a network, and USD for one coin';

function fixed(text: string): Map<string, bigint> {
  const prices = new Map<string, bigint>();
  for (const entry of text.split(',').map((one) => one.trim())) {
    if (entry === '') continue;
    const [name = '', price = ''] = entry.split('=');
    const caip2 = parseCaip2(name.trim())?.caip2;
    const usdE18 = parsePrice(price.trim());
    if (caip2 === undefined || usdE18 === undefined)
      throw new ConfigError(`GAS_PRICES_USD must be entries ${SHAPE}; "${entry}" is not`);
    if (prices.has(caip2)) throw new ConfigError(`GAS_PRICES_USD has ${caip2} twice`);
    prices.set(caip2, usdE18);
  }
  return prices;
}

/** Never quotes the text, because it may contain a key. */
function urlOf(env: Environment): string | undefined {
  const url = secret(env, 'GAS_PRICES_URL');
  if (url === undefined) return undefined;
  const parsed = isWebUrl(url) ? new URL(url) : undefined;
  if (parsed === undefined || url.length > 2048)
    throw new ConfigError('GAS_PRICES_URL must be a URL that starts with http:// or https://');
  if (parsed.username !== '' || parsed.password !== '')
    throw new ConfigError('GAS_PRICES_URL must have no user name and no password: put a key into its path or query');
  return url;
}

/** If anyone may create top-level organizations, none of them may spend the operator's coins unless the operator allows it. */
function organizations(env: Environment): ReadonlySet<string> | undefined {
  const text = env.GAS_SPONSORED_ORGANIZATIONS?.trim() ?? '';
  if (text === 'all' || (text === '' && env.ALLOW_CREATE_ORGANIZATION !== '1')) return undefined;
  const ids = text.split(',').map((one) => one.trim().toLowerCase());
  const named = ids.filter((id) => id !== '');
  const wrong = named.find((id) => !UUID.test(id));
  if (wrong !== undefined)
    throw new ConfigError(
      `GAS_SPONSORED_ORGANIZATIONS must be "all", or ids of top-level organizations separated by commas; "${wrong}" is not`,
    );
  return new Set(named);
}

export const gasSettings = (env: Environment): GasSettings => ({
  organizations: organizations(env),
  prices: {
    fixed: fixed(env.GAS_PRICES_USD ?? ''),
    url: urlOf(env),
    maxAgeMs: whole(env, 'GAS_PRICES_MAX_AGE_SECONDS', 600, 10, 86_400) * 1000,
  },
  lowMicroUsd: whole(env, 'GAS_LOW_BALANCE_USD', 10, 0, 1_000_000) * 1_000_000,
  rentLamports: BigInt(whole(env, 'GAS_RENT_LAMPORTS', 0, 0, 1_000_000_000)),
});

export const shownGas = ({ organizations, prices, lowMicroUsd, rentLamports }: GasSettings): Record<string, unknown> => ({
  GAS_SPONSORED_ORGANIZATIONS: organizations === undefined ? 'all' : [...organizations].join(',') || '(none)',
  GAS_PRICES_USD: [...prices.fixed].map(([caip2, price]) => `${caip2}=${formatPrice(price)}`).join(',') || '(unset)',
  GAS_PRICES_URL: prices.url === undefined ? '(unset)' : new URL(prices.url).host,
  GAS_PRICES_MAX_AGE_SECONDS: prices.maxAgeMs / 1000,
  GAS_LOW_BALANCE_USD: lowMicroUsd / 1_000_000,
  GAS_RENT_LAMPORTS: Number(rentLamports),
});
