import { type Analysed, analyse, type CompiledPolicy } from '../decide/compile.ts';
import type { NamedPolicy } from '../decide/policy-index.ts';
import type { Environment } from '../language/environment.ts';
import type { Profile } from './profiles.ts';
import { type Reach, reachOf } from './reach.ts';
import type { PolicyWarning } from './warning.ts';

/** A policy of a set that is checked together. `analysed`: its condition; undefined if that is empty. */
export type Known = { readonly id: string; readonly policy: CompiledPolicy; readonly analysed: Analysed | undefined };

export type NamedWarning = { readonly id: string; readonly warning: PolicyWarning };

export const analysedOf = (policies: readonly NamedPolicy[], environment: Environment): Known[] =>
  policies.map(({ id, policy }) => ({
    id,
    policy,
    analysed: analyse(policy.source.condition, 'condition', environment, []),
  }));

/** Whether a policy applies to at least the same people and times as another. */
export function asOftenAs({ source }: CompiledPolicy, other: CompiledPolicy): boolean {
  const all = (text: string): boolean => ['', 'true'].includes(text.trim());
  return (['consensus', 'time'] as const).every((part) => all(source[part]) || source[part].trim() === other.source[part].trim());
}

/** Whether two policies concern different keys, for example two wallets. */
export function areApart({ policy: one }: Known, { policy: other }: Known): boolean {
  return one.pins.some(({ keyword, name, keys }) => {
    return keyword !== 'activity' && other.pins.some((pin) => pin.name === name && ![...keys].some((key) => pin.keys.has(key)));
  });
}

/** The profiles with what the condition of a policy pins. Known facts about the activity override it. */
export function narrowed(profiles: readonly Profile[], { policy }: Known): Profile[] {
  const pinned = new Map(policy.pins.map(({ keyword, field, keys }) => [`${keyword}.${field}`, keys]));
  return profiles.map((profile) => ({ ...profile, known: new Map([...pinned, ...profile.known]) }));
}

export function reachIn(environment: Environment, profiles: readonly Profile[], analysed: Analysed | undefined): Reach {
  if (analysed === undefined) return { t: (1n << BigInt(profiles.length)) - 1n, f: 0n };
  return reachOf({ facts: analysed.facts, environment, profiles }, analysed.expr);
}

/** One bit per profile: those in which a policy may hold, and no closing policy surely does. */
export function leftOpen(
  environment: Environment,
  profiles: readonly Profile[],
  policy: Known,
  closing: readonly Known[],
): bigint {
  let left = reachIn(environment, profiles, policy.analysed).t;
  for (const close of closing) {
    if (left === 0n || areApart(close, policy)) continue;
    const { t, f } = reachIn(environment, profiles, close.analysed);
    left &= ~(t & ~f);
  }
  return left;
}
