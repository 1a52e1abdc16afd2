import { z } from 'zod';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Fingerprint } from '../../wire/activities.ts';

export const rejectActivity = activity({
  kind: 'REJECT_ACTIVITY',
  resource: '',
  action: '',
  submitters: { from: 'parent' },
  summary: 'Reject a waiting activity, named by its fingerprint; the answer is that activity',
  votes: 'VOTE_SELECTION_REJECTED',
  params: v1(z.object({ fingerprint: Fingerprint })),
  result: { key: 'rejectActivityResult', shape: z.object({}) },
  errors: ['NOT_FOUND', 'REQUEST_NOT_AUTHORIZED'],
  async execute() {
    throw new Error('a vote is recorded by the engine');
  },
});
