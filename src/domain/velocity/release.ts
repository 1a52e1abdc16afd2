import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import { readEntryId } from './entry-id.ts';

const FIELD = 'parameters.entryId';

/** Gives a reserved entry back, whatever becomes of its send. A spent one stays: it has left, or others hold its signature. */
export async function releaseEntry({ organization, store }: ExecuteContext<'none'>, entryId: string): Promise<void> {
  const name = readEntryId(entryId);
  const entry = name && (await store.velocityCounters.entry(organization.id, name));
  if (entry === undefined) throw new ApiError('NOT_FOUND', `entry not found: ${FIELD} names none`);
  if (entry.state === 'released') throw invalid(FIELD, 'names an entry that was released already');
  if (entry.state !== 'reserved')
    throw invalid(FIELD, 'names an entry that is spent: it is in a block, or others hold its signature');
  await store.velocityCounters.release(entry);
}
releaseEntry.errors = errorsOf('REQUEST_INVALID', 'NOT_FOUND');
