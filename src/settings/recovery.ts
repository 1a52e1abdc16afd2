import type { Environment } from './names.ts';
import { oneOf, whole } from './read.ts';

/** `allowed`: false keeps the operator from recovering root users, also once it is true again. */
export type RecoverySettings = { allowed: boolean; delayMs: number };

const HOUR_MS = 3_600_000;
const LONGEST_HOURS = 30 * 24;

export const recoverySettings = (env: Environment): RecoverySettings => ({
  allowed: oneOf(env, 'OPERATOR_RECOVERY', ['on', 'off'], 'on') === 'on',
  delayMs: whole(env, 'OPERATOR_RECOVERY_DELAY', 24, 1, LONGEST_HOURS) * HOUR_MS,
});

export const shownRecovery = ({ allowed, delayMs }: RecoverySettings) => ({
  OPERATOR_RECOVERY: allowed ? 'on' : 'off',
  OPERATOR_RECOVERY_DELAY: delayMs / HOUR_MS,
});
