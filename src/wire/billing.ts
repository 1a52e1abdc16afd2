import { z } from 'zod';
import { UUID } from '../base/ids.ts';

/** A card number, in any digits, which may be in groups. */
const CARD = /(?:\p{Nd}[^\p{L}\p{N}]{0,3}){11}\p{Nd}/u;

/** Card data is never accepted, also not in a field for something else. Of random UUIDs, every thirtieth looks like a card number. */
const noCard = (text: string): boolean => UUID.test(text) || !CARD.test(text);
const NO_CARD = 'must not have a card number: card data belongs to the payment processor alone';

const plain = (most: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(most, `must have at most ${most} characters`)
    .regex(/^\P{Cc}*$/u, 'must not have control characters')
    .refine(noCard, NO_CARD);

/** What a body with other members is told, for `exactly`. */
export const onlyMembers = (type: string, ...members: readonly string[]): string =>
  `must be ACTIVITY_TYPE_${type}: card data is never accepted. The body has only type, timestampMs, organizationId and parameters, and these have only ${members.join(', ')}`;

/** The payment processor's own name of a payment method, which its page made. */
export const PaymentMethodId = plain(256);

export const CardHolderName = plain(255);

/** `emailOf` checks it too. */
export const BillingEmail = plain(254);

export const ProductId = plain(256);

/** A day in UTC. */
export const UsageDay = z.iso.date('must be a day such as 2026-01-31');

export const UsageCounts = z.object({
  signatures: z.int(),
  sends: z.int(),
  messages: z.int(),
  activities: z.object({ completed: z.int(), failed: z.int(), rejected: z.int() }),
});
