import { readFileSync, statSync } from 'node:fs';
import { base58 } from '@scure/base';
import { isObject, parseJson } from '../base/json.ts';
import { type Asset, parseCaip19 } from '../model/asset.ts';
import { COIN_DECIMALS } from '../model/gas.ts';
import type { Environment } from './names.ts';
import { ConfigError, isWebUrl } from './read.ts';

/** The assets that the file of TOKENS names, by the network's canonical name. */
export type TokenSettings = { readonly file: string | undefined; readonly on: ReadonlyMap<string, readonly Asset[]> };

/** Each has a place in a request to a node. */
const MOST_ON_A_CHAIN = 500;
const BYTES = 16 << 20;
const SHAPE = { depth: 4, keys: 2_000_000 };
const LONGEST = { symbol: 32, name: 128, logoUrl: 2048 };
const MOST_DECIMALS = 36;
const MEMBERS = ['caip19', 'symbol', 'name', 'decimals', 'stable', 'logoUrl'];

/** Control and format characters, which can make a name look like another. */
const HIDDEN = /\p{C}/u;

type Entry = { asset: Asset; caip2: string } | { problem: string };

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= most && !HIDDEN.test(value);

function isMint(text: string): boolean {
  try {
    return base58.decode(text).length === 32;
  } catch {
    return false;
  }
}

function problemOf({ symbol, name, decimals, stable, logoUrl, ...more }: Record<string, unknown>): string | undefined {
  const unknown = Object.keys(more).find((key) => !MEMBERS.includes(key));
  if (unknown !== undefined) return `${JSON.stringify(unknown.slice(0, 40))} is no member: an entry has ${MEMBERS.join(', ')}`;
  if (!isText(symbol, LONGEST.symbol)) return `symbol must be a text of 1 to ${LONGEST.symbol} visible characters`;
  if (!isText(name, LONGEST.name)) return `name must be a text of 1 to ${LONGEST.name} visible characters`;
  if (!Number.isInteger(decimals) || (decimals as number) < 0 || (decimals as number) > MOST_DECIMALS)
    return `decimals must be a whole number from 0 to ${MOST_DECIMALS}`;
  if (stable !== undefined && typeof stable !== 'boolean') return 'stable must be true or false, or absent';
  if (logoUrl !== undefined && !(isText(logoUrl, LONGEST.logoUrl) && logoUrl.startsWith('https://') && isWebUrl(logoUrl)))
    return `logoUrl must be a URL of at most ${LONGEST.logoUrl} characters that starts with https://, or absent`;
  return undefined;
}

function entryOf(given: unknown): Entry {
  if (!isObject(given)) return { problem: `must be an object with ${MEMBERS.join(', ')}` };
  const named = typeof given.caip19 === 'string' ? parseCaip19(given.caip19) : undefined;
  if (named === undefined || (named.network.kind === 'solana' && named.token !== undefined && !isMint(named.token)))
    return {
      problem:
        'caip19 must be eip155:N/erc20:CONTRACT, solana:…/token:MINT, or for the native coin of a chain eip155:N/slip44:TYPE',
    };
  const problem = problemOf(given);
  if (problem !== undefined) return { problem };
  const { network, caip19, token } = named;
  const { symbol, name, decimals, stable = false, logoUrl } = given as Omit<Asset, 'stable'> & { stable?: boolean };
  if (token === undefined && decimals !== COIN_DECIMALS[network.kind])
    return { problem: `decimals must be ${COIN_DECIMALS[network.kind]} for the native coin of ${network.caip2}` };
  return { caip2: network.caip2, asset: { caip19, symbol, name, decimals, stable, logoUrl, token } };
}

function listIn(file: string): unknown[] {
  let bytes: Buffer;
  try {
    const { size } = statSync(file);
    if (size > BYTES) throw new Error(`it has ${size} bytes, and at most ${BYTES} are read`);
    bytes = readFileSync(file);
  } catch (cause) {
    throw new ConfigError(`TOKENS names ${file}, which cannot be read: ${(cause as Error).message}`);
  }
  const read = parseJson(bytes, SHAPE);
  if ('error' in read) throw new ConfigError(`TOKENS: ${file} must be JSON: ${read.error}`);
  if (!Array.isArray(read.value)) throw new ConfigError(`TOKENS: ${file} must be a JSON array of assets`);
  return read.value;
}

/** Reads the file. Throws ConfigError with the file, the entry and what to correct. */
export function tokenSettings(env: Environment): TokenSettings {
  const file = env.TOKENS || undefined;
  const on = new Map<string, Asset[]>();
  if (file === undefined) return { file, on };
  for (const [i, given] of listIn(file).entries()) {
    const refuse = (why: string) => new ConfigError(`TOKENS: ${file}, entry ${i + 1}: ${why}`);
    const entry = entryOf(given);
    if ('problem' in entry) throw refuse(entry.problem);
    const { caip2, asset } = entry;
    const others = on.get(caip2) ?? [];
    if (others.length >= MOST_ON_A_CHAIN) throw refuse(`${caip2} has more than ${MOST_ON_A_CHAIN} entries: remove some`);
    const twin = others.find(({ token }) => token === asset.token);
    if (twin !== undefined)
      throw refuse(
        asset.token === undefined ? `${caip2} has its native coin twice: keep one` : `${asset.caip19} is there twice: keep one`,
      );
    on.set(caip2, [...others, asset]);
  }
  return { file, on };
}

export const shownTokens = ({ file }: TokenSettings): Record<string, string> => ({
  TOKENS: file ?? '(unset: native coins only)',
});
