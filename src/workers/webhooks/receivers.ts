import { type Batched, batched } from '../../base/batches.ts';
import { Busy } from '../../base/errors.ts';
import type { Receiver } from '../../model/webhook.ts';
import type { Reader } from '../../store/types.ts';

export type Receivers = Batched<Pick<Receiver, 'organizationId' | 'id'>, Receiver | undefined>;

const BATCHES = { most: 64, atOnce: 4, maybeOfOne: (error: unknown) => !(error instanceof Busy) };

/** Reads endpoints that begin together at once. */
export const receiversOf = ({ webhookEndpoints }: Pick<Reader, 'webhookEndpoints'>): Receivers =>
  batched(async (keys) => {
    const found = new Map((await webhookEndpoints.receivers(keys)).map((receiver) => [receiver.id, receiver]));
    return keys.map(({ id }) => found.get(id));
  }, BATCHES);
