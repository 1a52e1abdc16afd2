import type { Environment } from './names.ts';
import { whole } from './read.ts';

/** Bounds of the operator for what is sent on EVM chains. */
export type SendSettings = {
  /** What a replacement pays at most for a unit of gas, in per cent of what was judged. */
  feeLimitPercent: number;
  /** Blocks after which a transaction is taken to stay, on chains that do not say so. */
  finalityBlocks: number;
};

export const sendSettings = (env: Environment): SendSettings => ({
  feeLimitPercent: whole(env, 'SEND_FEE_LIMIT_PERCENT', 300, 100, 100_000),
  finalityBlocks: whole(env, 'SEND_FINALITY_BLOCKS', 64, 1, 1_000_000),
});

/** For display. */
export const shownSends = ({ feeLimitPercent, finalityBlocks }: SendSettings): Record<string, number> => ({
  SEND_FEE_LIMIT_PERCENT: feeLimitPercent,
  SEND_FINALITY_BLOCKS: finalityBlocks,
});
