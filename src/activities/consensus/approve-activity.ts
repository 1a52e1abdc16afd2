import { z } from 'zod';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Fingerprint } from '../../wire/activities.ts';

export const approveActivity = activity({
  kind: 'APPROVE_ACTIVITY',
  resource: '',
  action: '',
  submitters: { from: 'parent' },
  summary: 'Approve a waiting activity, named by its fingerprint; the answer is that activity',
  votes: 'VOTE_SELECTION_APPROVED',
  params: v1(z.object({ fingerprint: Fingerprint })),
  result: { key: 'approveActivityResult', shape: z.object({}) },
  errors: ['NOT_FOUND', 'REQUEST_NOT_AUTHORIZED'],
  async execute() {
    throw new Error('a vote is recorded by the engine');
  },
});
