import type { Environment } from './names.ts';
import { whole } from './read.ts';

/** The operator's bounds for sends on EVM chains. */
export type SendSettings = {
  /** The maximum fee of a replacement for a unit of gas, as a percentage of the judged fee. */
  feeLimitPercent: number;
  /** Number of blocks after which a transaction counts as final, on chains that do not report finality. */
  finalityBlocks: number;
};

export const sendSettings = (env: Environment): SendSettings => ({
  feeLimitPercent: whole(env, 'SEND_FEE_LIMIT_PERCENT', 300, 100, 100_000),
  finalityBlocks: whole(env, 'SEND_FINALITY_BLOCKS', 64, 1, 1_000_000),
});

export const shownSends = ({ feeLimitPercent, finalityBlocks }: SendSettings): Record<string, number> => ({
  SEND_FEE_LIMIT_PERCENT: feeLimitPercent,
  SEND_FINALITY_BLOCKS: finalityBlocks,
});
