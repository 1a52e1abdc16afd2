/** The chain of the bench of scans. */
export const CHAIN_ID = 31_337;
export const TRANSACTIONS = 300;
export const WATCHED = 10_000;
/** The transactions of a block that pay watched addresses. */
export const OURS = 10;

export const addressOf = (index: number): string => `0x${'5'.repeat(20)}${index.toString(16).padStart(20, '0')}`;
export const TOKEN = `0x${'7'.repeat(40)}`;
