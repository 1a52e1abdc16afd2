import { setImmediate } from 'node:timers/promises';
import type { Policy } from '../../model/policy.ts';
import { openClock, shareBudget, takesPart } from '../../policy/index.ts';
import type { PolicyCompiler } from '../policy-compiler.ts';

export type Activeness = { active: boolean; error?: string };

const UNREADABLE: Activeness = {
  active: false,
  error: 'time: this version cannot read the expression: a DENY denies everything, and an ALLOW never applies',
};

/** Tells of policies whether they are active at one moment. All of them together have the steps of one decision. */
export function activePolicies(compiler: PolicyCompiler, now: number): (policy: Policy) => Promise<Activeness> {
  const clock = openClock(now);
  shareBudget([clock]);
  return async ({ effect, time }) => {
    if (time === '') return { active: true };
    // Other requests go first: an expression may be long.
    await setImmediate();
    const policy = compiler.compile({ effect, time });
    return policy === undefined ? UNREADABLE : takesPart(policy, clock);
  };
}
