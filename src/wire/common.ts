import { z } from 'zod';
import { type ErrorCode, textOf } from '../base/errors.ts';
import { UUID } from '../base/ids.ts';

/** The error of a `refine` that has its own error code; `validate` throws that code. */
export const refusal = (code: ErrorCode, message: string = textOf(code)) => ({ message, params: { code } });

/** A UUID; compared in lower case. */
export const idOr = (refusal: string) =>
  z
    .string()
    .regex(UUID, refusal)
    .transform((id) => id.toLowerCase());

export const Id = idOr('must be a UUID');

/** An id in answers, which need no transformation. */
export const IdOut = z.string();

/** A name that people read: no control characters. */
export const labelOr = (missing?: string) =>
  z
    .string(missing)
    .min(1, 'must not be empty')
    .max(255, 'must have at most 255 characters')
    .regex(/^\P{Cc}*$/u, 'must not have control characters');

export const Label = labelOr();

export const Timestamp = z.object({ seconds: z.string(), nanos: z.string() });

const absent = (text: string): string | undefined => (text === '' ? undefined : text);

/** The attribute that a list is filtered by. '' counts as absent too. */
export const filterTypeOf = <const F extends readonly string[]>(filters: F) =>
  z
    .enum([...filters, ''] as [...F, ''], { error: `must be one of ${filters.join(', ')}` })
    .transform((given) => (given === '' ? undefined : (given as F[number])))
    .optional();

/** `contactsOf` checks addresses. Stored bodies have texts that older programs accepted as addresses. */
export const EmailText = z.string().refine((text) => text.length <= 254, refusal('INVALID_EMAIL'));

/** Checked by `contactsOf` too. */
export const PhoneText = z.string().max(64, 'must be a phone number in E.164 form, such as +14155550100');

/** '' counts as absent: clients send it for an empty field. */
export const Email = EmailText.transform(absent);

export const PhoneNumber = PhoneText.transform(absent);

/** Seconds as a positive decimal string. */
export const ExpirationSeconds = z
  .string()
  .regex(/^[1-9]\d{0,9}$/, 'invalid api key expiration: must be a positive whole number of seconds, as a string');

export const Milliseconds = z.string().regex(/^\d{1,15}$/, 'must be milliseconds since the epoch, as a string');

export const Pagination = z.object({
  limit: z
    .string()
    .regex(/^([1-9]\d?|100)$/, 'must be a whole number from 1 to 100, as a string')
    .optional(),
  before: Id.optional(),
  after: Id.optional(),
});

export type Pagination = z.output<typeof Pagination>;

const DEFAULT_LIMIT = 10;

export function pageOf(options: Pagination | undefined): {
  limit: number;
  before?: string | undefined;
  after?: string | undefined;
} {
  return { limit: Number(options?.limit ?? DEFAULT_LIMIT), before: options?.before, after: options?.after };
}
