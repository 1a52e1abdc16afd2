import { flag, id, int } from '../columns.ts';
import { table } from '../table.ts';

export const streamInterests = table('stream_interests', { organizationId: id(), sequence: int(), since: int(), until: int() });

export const streamEvents = table('stream_events', {
  organizationId: id(),
  sequence: int(),
  position: int(),
  sourceId: id(),
  isDelivered: flag(),
  createdAt: int(),
});
