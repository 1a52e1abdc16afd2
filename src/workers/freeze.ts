import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { lookUpSigner } from '../domain/keys/signers.ts';
import type { Freeze } from '../model/freeze.ts';
import type { Send } from '../model/send.ts';
import type { SolanaIntent } from '../model/solana-intent.ts';
import type { SealedSigner, Store, Writer } from '../store/types.ts';
import type { Topic } from './outbox.ts';

const AT_ONCE = 100;
/** Those that can be cancelled. */
const STATES = ['queued', 'signed', 'sent'] as const;

type Cancelled = { id: string; activityId: string; reason: string; signer: SealedSigner | undefined };

type Parts = {
  store: Store;
  clock: Clock;
  /** Throws ApiError if the send has ended, or cannot be cancelled. */
  cancelSend(ctx: { store: Writer; organization: { id: string }; now: number }, send: Cancelled): Promise<void>;
};

/** Cancels the send if the freeze covers its key, and if it can be cancelled. */
async function cancel(
  { store, clock, cancelSend }: Parts,
  { organizationId, id, activityId, reason }: Freeze,
  send: Send,
): Promise<void> {
  const addresses = send.kind === 'solana' ? (send.intent as SolanaIntent).signWiths : [send.fromAddress];
  const signers = await Promise.all(addresses.map((address) => lookUpSigner(store.read, organizationId, address)));
  const [signer] = signers;
  if (id !== organizationId && !signers.some((one) => (one?.signer.walletId ?? one?.signer.keyId) === id)) return;
  const organization = { id: organizationId };
  try {
    await store.transaction((tx) =>
      cancelSend({ store: tx, organization, now: clock.now() }, { id: send.id, activityId, reason, signer }),
    );
  } catch (error) {
    // It has ended meanwhile, or cannot be cancelled.
    if (!(error instanceof ApiError)) throw error;
  }
}

/** The topic of freezes: their open sends are cancelled where they can be. Each attempt begins anew. */
export function freezeTopic(parts: Parts): Topic {
  const { read } = parts.store;
  return {
    secrets: () => [],
    async send({ organizationId, activityId, payload }) {
      const freeze = await read.freezes.get(organizationId, (payload as { id: string }).id);
      // Another freeze of the same key has a message of its own, or keeps its sends.
      if (freeze?.activityId !== activityId) return { response: '' };
      for (const state of STATES)
        for (let after: string | undefined; ; ) {
          const sends = await read.sends.page(organizationId, { state }, { limit: AT_ONCE, after });
          for (const send of sends) if (send.wish?.what !== 'cancel') await cancel(parts, freeze, send);
          if (sends.length < AT_ONCE) break;
          after = sends.at(-1)!.id;
        }
      return { response: '' };
    },
  };
}
