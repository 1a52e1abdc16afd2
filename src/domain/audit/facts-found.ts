import type { AuditFact, Subject } from '../../model/audit-fact.ts';
import type { ActivityFilter, Page, Reader } from '../../store/types.ts';

/** `next`: the last row that was examined. Undefined: there are no more. */
export type FactsFound = { facts: AuditFact[]; next: string | undefined };

/** Rows that one page examines: rare ones among many come in several pages. */
const MOST_EXAMINED = 2000;
const AT_ONCE = 100;

const matches = ({ status, type }: AuditFact, { statuses, types }: ActivityFilter): boolean =>
  (statuses?.includes(status) ?? true) && (types?.includes(type) ?? true);

/** An index of the subject's activities has their status and type. Of all activities, the rows are examined. */
const rows = (read: Reader, org: string, subject: Subject | undefined, filter: ActivityFilter, page: Page) =>
  subject === undefined ? read.auditFacts.page(org, filter, page) : read.auditFacts.ofSubject(org, subject, filter, page);

/** The facts of activities, newest first, archived ones included. With only `before`, those in front of that id. */
export async function findFacts(
  read: Reader,
  org: string,
  { subject, filter }: { subject: Subject | undefined; filter: ActivityFilter },
  { limit, before, after }: Page,
): Promise<FactsFound> {
  const backwards = before !== undefined && after === undefined;
  const facts: AuditFact[] = [];
  let edge = backwards ? before : after;
  for (let examined = 0; examined < MOST_EXAMINED; ) {
    const at = backwards ? { before: edge } : { before, after: edge };
    const some = await rows(read, org, subject, filter, { limit: AT_ONCE, ...at });
    for (const fact of backwards ? some.toReversed() : some) {
      edge = fact.activityId;
      if (!matches(fact, filter)) continue;
      if (backwards) facts.unshift(fact);
      else facts.push(fact);
      if (facts.length === limit) return { facts, next: facts.at(-1)!.activityId };
    }
    examined += some.length;
    if (some.length < AT_ONCE) return { facts, next: backwards ? facts.at(-1)?.activityId : undefined };
  }
  return { facts, next: backwards ? facts.at(-1)?.activityId : edge };
}
