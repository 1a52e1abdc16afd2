import { z } from 'zod';
import { releaseEntry } from '../../domain/velocity/release.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Reason } from '../../wire/sends.ts';
import { EntryId } from '../../wire/velocity-controls.ts';

/** The public interface cannot give anything back. */
export const countersignReleaseVelocity = activity({
  kind: 'COUNTERSIGN_RELEASE_VELOCITY',
  resource: 'VELOCITY_CONTROL',
  action: 'UPDATE',
  summary: 'Give back what a limit over time has counted for a send that is in no block',
  params: v1(z.object({ entryId: EntryId, reason: Reason })),
  policyParams: { entry_id: [STRING, ({ entryId }) => entryId], reason: [STRING, ({ reason }) => reason] },
  result: { key: 'countersignReleaseVelocityResult', shape: z.object({ entryId: z.string() }) },
  errors: [releaseEntry],
  async execute({ ctx, intent: { entryId } }) {
    await releaseEntry(ctx, entryId);
    return { entryId };
  },
});
