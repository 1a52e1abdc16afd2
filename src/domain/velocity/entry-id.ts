import type { EntryState, VelocityEntry } from '../../model/velocity-control.ts';

/** What names an entry: its control, its activity, and its bucket. */
export type EntryName = Pick<VelocityEntry, 'controlId' | 'activityId' | 'bucket'>;

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const NAME = new RegExp(`^(${UUID})/(${UUID})/(.{0,300})$`);

export const entryIdOf = ({ controlId, activityId, bucket }: EntryName): string => `${controlId}/${activityId}/${bucket}`;

/** Undefined: no entry has such an id. */
export function readEntryId(text: string): EntryName | undefined {
  const [, controlId, activityId, bucket] = NAME.exec(text) ?? [];
  if (controlId === undefined || activityId === undefined || bucket === undefined) return undefined;
  return { controlId, activityId, bucket };
}

/** The state as clients see it: what is in a block is spent. */
export function shownState(state: EntryState): 'RESERVED' | 'SPENT' | 'RELEASED' {
  if (state === 'reserved') return 'RESERVED';
  return state === 'released' ? 'RELEASED' : 'SPENT';
}
