import { z } from 'zod';
import { activePolicies } from '../../engine/decision/active-policies.ts';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import type { Policy } from '../../model/policy.ts';
import { Id, IdOut } from '../../wire/common.ts';

const Status = z.object({
  organizationId: IdOut,
  policyId: IdOut,
  active: z.boolean(),
  timeExpr: z.string().optional(),
  error: z.string().optional(),
});

/** Policies of the first read: their expressions are compiled for the answer. */
const AT_FIRST = 20;

export const getActivePolicies = query({
  name: 'get_active_policies',
  summary: 'Whether the time of each policy includes the present; policies without a time are always active',
  params: z.object({ organizationId: Id }),
  result: z.object({ statuses: z.array(Status), evaluatedAtMs: z.string() }),
  errors: [],
  async run({ organization, read, policies: compiler, now }) {
    // Later slices tell of the same moment.
    const activeness = activePolicies(compiler, now);
    async function show(some: readonly Policy[]): Promise<z.output<typeof Status>[]> {
      const statuses: z.output<typeof Status>[] = [];
      for (const policy of some) {
        const { organizationId, id: policyId, time } = policy;
        statuses.push({ organizationId, policyId, ...(time !== '' && { timeExpr: time }), ...(await activeness(policy)) });
      }
      return statuses;
    }
    const source = { name: 'statuses', page: read.policies.page.bind(null, organization.id), show, rows: AT_FIRST } as const;
    return { ...listing(source, undefined), fields: { evaluatedAtMs: String(now) } };
  },
});
