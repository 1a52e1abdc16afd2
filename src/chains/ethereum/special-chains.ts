import { ANY, type Reading, type Transfer } from '../shared/transfers.ts';

/** Tempo and its testnet have no native coin: fees are paid in a token. */
export const FEES_IN_TOKENS: ReadonlySet<string> = new Set(['4217', '42431']);

/** A native coin that is a token too, one balance under two names. `units`: how many of the coin's smallest units one of the token's is. */
type Twin = { readonly token: string; readonly units: bigint };

const ARC: Twin = { token: `0x36${'0'.repeat(38)}`, units: 10n ** 12n };
/** The precompile of Moonbeam, Moonriver and Moonbase Alpha. */
const MOONBEAM: Twin = { token: `0x${'0'.repeat(37)}802`, units: 1n };
const METIS: Twin = { token: '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000', units: 1n };
const CELO: Twin = { token: '0x471ece3750da237f93b8e339c536989b8978a438', units: 1n };

const TWINS: ReadonlyMap<string, Twin> = new Map([
  ['5042', ARC],
  ['5042002', ARC],
  ['42220', CELO],
  ['1284', MOONBEAM],
  ['1285', MOONBEAM],
  ['1287', MOONBEAM],
  ['1088', METIS],
]);

/** Whether a contract is the native coin of some chain. */
export const isTwin = (address: string): boolean => [...TWINS.values()].some(({ token }) => token === address);

/** The same amount under its other name, on each chain that the asset may be on. */
export function twinsOf(transfer: Transfer): Transfer[] {
  const { asset, amount } = transfer;
  if (asset.chain !== ANY && !TWINS.has(asset.chain)) return [];
  return [...TWINS].flatMap(([chain, { token, units }]): Transfer[] => {
    if (asset.chain !== chain && asset.chain !== ANY) return [];
    if (asset.standard === 'native')
      return [{ ...transfer, asset: { ...asset, chain, standard: 'erc20', token }, amount: (amount + units - 1n) / units }];
    if (asset.token !== token) return [];
    return [{ ...transfer, asset: { ...asset, chain, standard: 'native', token: '' }, amount: amount * units }];
  });
}

/** A reading whose transfers are there under both names. */
export const withTwins = (reading: Reading): Reading => ({
  ...reading,
  transfers: reading.transfers.flatMap((each) => [each, ...twinsOf(each)]),
});
