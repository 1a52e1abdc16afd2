import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import { type Removal, removeDue } from '../domain/velocity/removal.ts';
import type { CheckContext } from '../engine/context.ts';
import { REMOVAL_TOPIC } from '../model/velocity-control.ts';
import type { Store } from '../store/types.ts';
import type { Topic } from './outbox.ts';

/** The topic of velocity controls whose removal has a delay. */
export function removalTopic({ store, clock, ids, ...ctx }: CheckContext & { store: Store; clock: Clock; ids: Ids }): Topic {
  return {
    secrets: () => [],
    async send({ organizationId, activityId, payload }) {
      const removal = payload as Removal;
      await store.transaction(async (tx) => {
        // Until this ends, no new policy reads the control.
        if ((await tx.organizations.hold(organizationId)) === undefined) return;
        const now = clock.now();
        const again = await removeDue({ ...ctx, store: tx, organization: { id: organizationId }, now }, removal);
        if (again === undefined) return;
        const message = { id: ids.next(), organizationId, activityId, topic: REMOVAL_TOPIC, payload: JSON.stringify(payload) };
        await tx.outbox.insert({ ...message, createdAt: again });
      });
      return { response: '' };
    },
  };
}
