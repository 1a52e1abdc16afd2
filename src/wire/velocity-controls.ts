import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import type { VelocityControl as Model } from '../model/velocity-control.ts';
import { OPERATORS } from '../model/velocity-spend.ts';
import { CALENDAR_UNITS } from '../model/velocity-window.ts';
import { Id, IdOut, Label, Pagination, Timestamp } from './common.ts';

const PREFIX = 'VELOCITY_CONTROL_AGGREGATION';
const METHODS = ['SUM', 'COUNT'].map((name) => `${PREFIX}_METHOD_${name}`);
const COMPARED = OPERATORS.map((name) => `${PREFIX}_OPERATOR_${name}`);

const oneOf = (names: readonly string[]) =>
  z.enum(names as [string, ...string[]], { error: `must be one of ${names.join(', ')}` });

export const Method = oneOf(METHODS);
export const ComparisonOperator = oneOf(COMPARED);

/** Unknown members are refused: a misspelt limit would not limit. */
const Nothing = z.strictObject({});

const exactlyOne = (of: object): boolean => Object.values(of).filter((member) => member !== undefined).length === 1;

const choice = <S extends z.ZodRawShape>(members: S) =>
  z.strictObject(members).refine(exactlyOne, `must have exactly one of ${Object.keys(members).join(', ')}`);

const Filter = z.strictObject({
  activity: z
    .array(z.strictObject({ activityType: z.string().max(255) }))
    .min(1, 'must name at least one type, or be left out')
    .max(100, 'must name at most 100 types')
    .optional(),
});

const Definition = z.strictObject({
  caip19: z.string().max(255, 'must have at most 255 characters'),
  decimals: z
    .string()
    .refine(
      (text) => /^(?:0|[1-9]\d{0,2})$/.test(text) && Number(text) <= 255,
      'must be a whole number from 0 to 255, as a string',
    ),
});

const DataSource = choice({
  chainAssetTransfer: z
    .strictObject({
      definition: z.array(Definition).min(1, 'must name at least one asset').max(100, 'must name at most 100 assets'),
      filter: Filter.optional(),
      phase: choice({ signature: Nothing.optional(), submission: Nothing.optional() }).optional(),
    })
    .optional(),
  activityExecution: z.strictObject({ filter: Filter.optional() }).optional(),
});

const DAY = 86_400;
const DURATION = `must be a whole number of seconds from 60 to ${366 * DAY} (366 days), as a string`;
const isDuration = (text: string): boolean => /^[1-9]\d{1,7}$/.test(text) && Number(text) >= 60 && Number(text) <= 366 * DAY;

const THRESHOLD = 'must be a decimal number of at most 38 digits, at most 18 of them after the point';

const Aggregation = z.strictObject({
  method: Method,
  operator: ComparisonOperator,
  threshold: z.string().refine((text) => /^\d{1,38}(?:\.\d{1,18})?$/.test(text) && text.replace('.', '').length <= 38, THRESHOLD),
  window: choice({
    rolling: z
      .strictObject({
        duration: z.string().refine(isDuration, DURATION),
      })
      .optional(),
    infinite: Nothing.optional(),
  }),
  groupBy: choice({ organization: Nothing.optional(), user: Nothing.optional(), wallet: Nothing.optional() }),
});

const Ids = z.array(Id).min(1, 'must name at least one, or be left out').max(1000, 'must name at most 1000');

/** Members that the interface lacks. They are in one member, so that no later name of the interface can collide. */
const Additions = z.strictObject({
  enforcement: z.enum(['POLICY', 'ALWAYS'], { error: 'must be POLICY or ALWAYS' }).optional(),
  unreadable: z.enum(['REFUSE', 'COUNT_ONLY_READABLE'], { error: 'must be REFUSE or COUNT_ONLY_READABLE' }).optional(),
  fees: z.boolean().optional(),
  groupBy: z.enum(['signer', 'recipient'], { error: 'must be signer or recipient' }).optional(),
  window: choice({
    transaction: Nothing.optional(),
    calendar: z
      .strictObject({
        unit: z.enum(CALENDAR_UNITS, { error: `must be one of ${CALENDAR_UNITS.join(', ')}` }),
        zone: z.string().min(1, 'must be a zone such as Europe/Berlin').max(64, 'must be a zone such as Europe/Berlin'),
      })
      .optional(),
  }).optional(),
  scope: z
    .strictObject({
      walletIds: Ids.optional(),
      privateKeyIds: Ids.optional(),
      userIds: Ids.optional(),
      userTagIds: Ids.optional(),
    })
    .optional(),
  condition: z.string().max(16_384, 'must have at most 16384 characters').optional(),
  removalDelay: z
    .string()
    .refine(
      (text) => /^(?:0|[1-9]\d{0,6})$/.test(text) && Number(text) <= 30 * DAY,
      'must be a whole number of seconds, at most 2592000 (30 days), as a string',
    )
    .optional(),
});

/** The longest identifier has 63 characters. */
const Identifier = z
  .string()
  .regex(/^[a-z][a-zA-Z0-9_]{0,62}$/, 'must begin with a lower-case letter, and have at most 63 letters, digits and underscores');

export const NewVelocityControl = z.strictObject({
  name: Label,
  identifier: Identifier,
  dataSource: DataSource,
  aggregation: Aggregation,
  countersign: Additions.optional(),
});

export type NewVelocityControl = z.output<typeof NewVelocityControl>;

const filterOut = z.object({ activity: z.array(z.object({ activityType: z.string() })).optional() });
const nothing = z.object({});

export const VelocityControl = z.object({
  velocityControlId: IdOut,
  organizationId: IdOut,
  name: z.string(),
  identifier: z.string(),
  dataSource: z.object({
    chainAssetTransfer: z
      .object({
        definition: z.array(z.object({ caip19: z.string(), decimals: z.string() })),
        filter: filterOut.optional(),
        phase: z.object({ signature: nothing.optional(), submission: nothing.optional() }).optional(),
      })
      .optional(),
    activityExecution: z.object({ filter: filterOut.optional() }).optional(),
  }),
  aggregation: z.object({
    method: Method,
    operator: ComparisonOperator,
    threshold: z.string(),
    window: z.object({ rolling: z.object({ duration: z.string() }).optional(), infinite: nothing.optional() }),
    groupBy: z.object({ organization: nothing.optional(), user: nothing.optional(), wallet: nothing.optional() }),
  }),
  /** What the interface has no members for. `removesAt`: when its deletion takes effect. `fullSince`: from when on its windows count as full. */
  countersign: z.record(z.string(), z.unknown()).optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export function viewVelocityControl(control: Model): z.output<typeof VelocityControl> {
  const { id, organizationId, name, identifier, dataSource, aggregation, countersign, removesAt, fullSince } = control;
  const { createdAt, updatedAt } = control;
  const additions = {
    ...countersign,
    ...(removesAt !== null && { removesAt: wireTimestamp(removesAt) }),
    ...(fullSince !== null && { fullSince: wireTimestamp(fullSince) }),
  };
  return {
    velocityControlId: id,
    organizationId,
    name,
    identifier,
    dataSource: dataSource as z.output<typeof VelocityControl>['dataSource'],
    aggregation: aggregation as z.output<typeof VelocityControl>['aggregation'],
    ...((countersign !== null || fullSince !== null) && { countersign: additions }),
    createdAt: wireTimestamp(createdAt),
    updatedAt: wireTimestamp(updatedAt),
  };
}

/** The name of a counter: '' for that of the organization, or an id. A public key or a recipient may follow. */
const Bucket = z.string().max(300, 'must have at most 300 characters');

export const BucketName = Bucket.optional();

export const BucketPages = z.object({ limit: Pagination.shape.limit, after: BucketName });

export const VelocityBucket = z.object({
  bucket: z.string(),
  counted: z.string(),
  reserved: z.string().optional(),
  left: z.string().optional(),
  roomAt: Timestamp.optional(),
});

/** Names a control, an activity and a bucket. */
export const EntryId = z
  .string()
  .min(1, 'must be an entryId of list_velocity_entries')
  .max(400, 'must be an entryId of list_velocity_entries');

/** An amount in a block is `SPENT`, also while that may be reorganized. */
export const EntryState = z.enum(['RESERVED', 'SPENT', 'RELEASED']);

export const VelocityEntry = z.object({
  entryId: z.string(),
  activityId: IdOut,
  bucket: z.string(),
  amount: z.string(),
  count: z.string(),
  state: EntryState,
  createdAt: Timestamp,
});
