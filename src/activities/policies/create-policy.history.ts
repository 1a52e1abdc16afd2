import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { Label } from '../../wire/common.ts';
import { Effect, NewPolicy, Notes, type PolicyParams, Selector, SelectorV2 } from '../../wire/policies.ts';

const P1 = z.strictObject({ policyName: Label, selectors: z.array(Selector).max(100), effect: Effect, notes: Notes.optional() });
const P2 = z.strictObject({
  policyName: Label,
  selectors: z.array(SelectorV2).max(100),
  effect: Effect,
  notes: Notes.optional(),
});

/** The newest shape, plus the selectors of the first two versions. */
export type Intent = PolicyParams & { selectors?: { subject: string; operator: string; targets: string[] }[] };

export const params = v1(P1)
  .to(2, P2, (p) => ({
    ...p,
    selectors: p.selectors.map(({ target, ...rest }) => ({ ...rest, targets: target === undefined ? [] : [target] })),
  }))
  // V3 dropped selectors: they are translated into a condition and a consensus when the policy is stored.
  .toBreak(3, NewPolicy, ({ policyName, effect, notes = '', selectors }): Intent => {
    const complete = selectors.map(({ subject = '', operator = '', targets = [] }) => ({ subject, operator, targets }));
    return { policyName, effect, notes, selectors: complete };
  });
