import { base58 } from '@scure/base';
import { twinsOf } from '../../chains/ethereum/special-chains.ts';
import { fromBase58check } from '../../chains/shared/base58check.ts';
import { type Asset, ONCE } from '../../chains/shared/transfers.ts';
import { parseCaip19 } from '../../model/asset.ts';

/** The forms of CAIP-19 names that can be counted. */
export const FORMS = [
  'eip155:8453/slip44:60',
  'eip155:8453/erc20:0x…',
  'solana:mainnet/slip44:501',
  'solana:mainnet/token:…',
  'bip122:000000000019d6689c085ae165831e93/slip44:0',
  'tron:0x2b6653dc/slip44:195',
  'tron:0x2b6653dc/trc20:T…',
] as const;

const BITCOIN = /^bip122:([0-9a-f]{32})\/slip44:[01]$/;
const TRON = /^tron:(0x[0-9a-f]{8})\/(?:slip44:195|trc20:(T[1-9A-HJ-NP-Za-km-z]{33}))$/;

/** Digits of the native coins after the point. */
const DECIMALS = { eip155: 18, solana: 9, bip122: 8, tron: 6 } as const;

function isMint(text: string): boolean {
  try {
    return base58.decode(text).length === 32;
  } catch {
    return false;
  }
}

function isTronAddress(text: string): boolean {
  try {
    const bytes = fromBase58check(text);
    return bytes.length === 21 && bytes[0] === 0x41;
  } catch {
    return false;
  }
}

/** The asset that transfers are compared with. Undefined: none that can be counted. */
export function controlledAsset(caip19: string): Asset | undefined {
  const [, bitcoin] = BITCOIN.exec(caip19) ?? [];
  if (bitcoin !== undefined) return { namespace: 'bip122', chain: bitcoin, standard: 'native', token: '' };
  const [, tron, contract] = TRON.exec(caip19) ?? [];
  if (tron !== undefined) {
    if (contract === undefined) return { namespace: 'tron', chain: tron, standard: 'native', token: '' };
    return isTronAddress(contract) ? { namespace: 'tron', chain: tron, standard: 'trc20', token: contract } : undefined;
  }
  const parsed = parseCaip19(caip19);
  if (parsed === undefined) return undefined;
  const { network, token } = parsed;
  const chain = network.kind === 'eip155' ? String(network.chainId) : network.caip2.slice('solana:'.length);
  if (token === undefined) return { namespace: network.kind, chain, standard: 'native', token: '' };
  if (network.kind === 'eip155') return { namespace: 'eip155', chain, standard: 'erc20', token };
  return isMint(token) ? { namespace: 'solana', chain, standard: 'token', token } : undefined;
}

const nameOf = ({ namespace, chain, standard, token }: Asset): string => [namespace, chain, standard, token].join(' ');

/** All names of an asset: the native coin of a chain may be a token too. */
export function namesOf(asset: Asset): string[] {
  const transfer = { asset, kind: 'transfer', from: '', recipient: undefined, amount: 1n, ...ONCE } as const;
  return [asset, ...(asset.namespace === 'eip155' ? twinsOf(transfer).map((twin) => twin.asset) : [])].map(nameOf);
}

/** The digits of a native coin. Undefined: a token's own, which the service does not know. */
export const decimalsOf = ({ namespace, standard }: Asset): number | undefined =>
  standard === 'native' ? DECIMALS[namespace] : undefined;
