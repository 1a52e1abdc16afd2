import type { StreamEvent, StreamInterest } from '../../model/stream.ts';
import type { WaitingEvent } from '../../model/webhook-event.ts';
import type { Writer } from '../../store/types.ts';

const isStreamed = ({ eventType }: WaitingEvent): boolean => eventType === 'ACTIVITY_UPDATES';

/** An event is for the streams and endpoints of its organization and of the parent. */
export const organizationsOf = ({ organizationId, parentId }: WaitingEvent): string[] =>
  parentId === null ? [organizationId] : [organizationId, parentId];

/**
 * Gives events their places in streams, in the transaction of the fan-out. That has a lease, so places become visible in their order.
 * `delivered`: the positions of events that have deliveries. Returns those that streams want.
 */
export async function placeInStreams(
  tx: Writer,
  events: readonly WaitingEvent[],
  delivered: ReadonlySet<number>,
  now: number,
): Promise<StreamEvent[]> {
  const found = events.filter(isStreamed);
  const interests = await tx.streams.interests([...new Set(found.flatMap(organizationsOf))]);
  const latest = new Map(interests.map(({ organizationId, sequence }: StreamInterest) => [organizationId, sequence]));
  const placed: StreamEvent[] = [];
  for (const event of found)
    for (const organizationId of organizationsOf(event)) {
      const before = latest.get(organizationId);
      if (before === undefined) continue;
      latest.set(organizationId, before + 1);
      const { position, organizationId: sourceId } = event;
      const isDelivered = delivered.has(position);
      placed.push({ organizationId, sequence: before + 1, position, sourceId, isDelivered, createdAt: now });
    }
  if (placed.length > 0) await tx.streams.append(placed);
  return placed;
}
