import { z } from 'zod';
import { findFacts } from '../../domain/audit/facts-found.ts';
import { oneSubject } from '../../domain/audit/subject.ts';
import { query } from '../../engine/query/declare.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import { AuditRow, activityFilters, filterOf, subjectsOf, viewFact } from '../../wire/audit.ts';
import { Id, Pagination, pageOf } from '../../wire/common.ts';

/** The users of a page whose credentials are shown. A sub-organization must not read those of its parent. */
async function shownTo(caller: Organization, asked: Organization, read: Reader, userIds: readonly string[]) {
  const all = new Set(userIds);
  if (asked.parentId === null || caller.id !== asked.id) return all;
  for (const id of all) if ((await read.users.get(asked.id, id)) === undefined) all.delete(id);
  return all;
}

/** The public interface has no list of facts. */
export const listAudit = query({
  name: 'list_audit',
  summary:
    'Facts of activities, newest first, archived ones included, a little behind the activities. With `next` there may be more: give it as `after`',
  params: z.strictObject({ organizationId: Id, ...activityFilters, paginationOptions: Pagination.optional() }),
  result: z.object({ facts: z.array(AuditRow), next: z.string().optional() }),
  readsDeleted: true,
  errors: ['REQUEST_INVALID'],
  async run({ organization, caller, read }, params) {
    const asked = { subject: oneSubject(subjectsOf(params)), filter: filterOf(params) };
    const { facts, next } = await findFacts(read, organization.id, asked, pageOf(params.paginationOptions));
    const shown = await shownTo(
      caller.organization,
      organization,
      read,
      facts.map(({ userId }) => userId),
    );
    const rows = facts.map((fact) => viewFact(fact, shown.has(fact.userId)));
    return { facts: rows, ...(next === undefined ? {} : { next }) };
  },
});
