export type Level = 'ok' | 'warning' | 'problem';

/** One result of a check. `mend`: what the operator can do. It is absent if there is nothing to do. */
export type Finding = { check: string; level: Level; text: string; mend?: string };

/** The findings of one check, in plain sentences without their check's name. */
export type Found = Omit<Finding, 'check'>;

export const ok = (text: string): Found => ({ level: 'ok', text });
export const warning = (text: string, mend: string): Found => ({ level: 'warning', text, mend });
export const problem = (text: string, mend: string): Found => ({ level: 'problem', text, mend });

/** `one key`, `2 keys`. */
export const counted = (count: number, noun: string): string => `${count === 1 ? 'one' : count} ${noun}${count === 1 ? '' : 's'}`;
