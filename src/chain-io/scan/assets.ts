import type { Asset } from '../../model/asset.ts';
import type { ScannedAsset } from '../../model/scan.ts';

/** The native coin of a chain, if it has one, and the configured tokens by contract or mint. */
export type Assets = { native: ScannedAsset | undefined; tokens: ReadonlyMap<string, ScannedAsset> };

const plain = ({ caip19, symbol, name, decimals }: Asset): ScannedAsset => ({ caip19, symbol, name, decimals });

export function assetsOf(assets: readonly Asset[]): Assets {
  const native = assets.find(({ token }) => token === undefined);
  const tokens = assets.flatMap((asset) => (asset.token === undefined ? [] : [[asset.token, plain(asset)] as const]));
  return { native: native && plain(native), tokens: new Map(tokens) };
}
