import { z } from 'zod';
import { RECORD_FORMAT } from '../../model/shipping.ts';
import { Activity } from '../../wire/activities.ts';
import { IdOut } from '../../wire/common.ts';

export const FORMAT = RECORD_FORMAT;

/** The first line. `organizationId` absent: all organizations of an instance. `shipped`: the file has no last line. */
export const Header = z.object({
  format: z.literal(FORMAT),
  organizationId: IdOut.optional(),
  shipped: z.literal(true).optional(),
});
export type Header = z.output<typeof Header>;

/** One activity, as `list_activities` shows it, and what policies said at its votes. */
export const RecordLine = z.object({
  activity: Activity,
  policyEvaluations: z.array(z.unknown()).optional(),
  proofs: z.array(z.unknown()).optional(),
});

/** The last line: the number of activities, and SHA-256 of all bytes before it, in hex. */
export const End = z.object({ end: z.object({ activities: z.int(), sha256: z.string() }) });

export type RecordLine = z.output<typeof RecordLine>;

export const lineOf = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
