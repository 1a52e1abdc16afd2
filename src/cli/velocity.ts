import { withReader } from '../operator/offline-store.ts';
import { type Compared, compareCounters } from '../operator/velocity-check.ts';
import { reasonOf, UsageError } from './client.ts';
import { configOf } from './config.ts';
import { query, submit } from './operations.ts';
import { printable } from './printable.ts';
import { replayCommand } from './velocity-replay.ts';
import { type Told, timeOf, type VelocityOptions, type WireTime } from './velocity-shared.ts';

type Control = {
  velocityControlId: string;
  identifier: string;
  aggregation: { operator: string; threshold: string; window: { rolling?: { duration: string } }; groupBy: object };
  countersign?: {
    removesAt?: WireTime;
    fullSince?: WireTime;
    enforcement?: string;
    groupBy?: string;
    window?: { transaction?: object; calendar?: { unit: string; zone: string } };
  };
};
type Bucket = { bucket: string; counted: string; reserved?: string; left?: string; roomAt?: WireTime };
type Entry = { entryId: string; activityId: string; amount: string; count: string; state: string; createdAt: WireTime };

const SEE = 'see countersign velocity --help';
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function windowOf({ aggregation: { window }, countersign }: Control): string {
  const { transaction, calendar } = countersign?.window ?? {};
  if (transaction !== undefined) return 'each activity';
  if (calendar !== undefined) return `each ${calendar.unit} of ${calendar.zone}`;
  return window.rolling === undefined ? 'for ever' : `in ${window.rolling.duration} s`;
}

function controlLine(control: Control): string {
  const { velocityControlId, identifier, aggregation, countersign } = control;
  const operator = aggregation.operator.replace('VELOCITY_CONTROL_AGGREGATION_OPERATOR_', '');
  const groups = [...Object.keys(aggregation.groupBy), ...(countersign?.groupBy === undefined ? [] : [countersign.groupBy])];
  const what = `${operator} ${aggregation.threshold}  ${windowOf(control)}  by ${groups.join(' and ')}`;
  const { enforcement = 'POLICY', removesAt, fullSince } = countersign ?? {};
  const full = fullSince === undefined ? '' : `  full since ${timeOf(fullSince)}`;
  const removal = removesAt === undefined ? '' : `  removed at ${timeOf(removesAt)}`;
  return `${velocityControlId}  ${identifier}  ${what}  ${enforcement}${full}${removal}`;
}

function bucketLine({ bucket, counted, reserved = '0', left, roomAt }: Bucket): string {
  const open = reserved === '0' ? '' : `  ${reserved} of it reserved`;
  const room = roomAt === undefined ? '' : `  more at ${timeOf(roomAt)}`;
  return `${bucket === '' ? 'organization' : bucket}  ${counted} counted${open}${left === undefined ? '' : `  ${left} left`}${room}`;
}

const MANY: Readonly<Record<string, string>> = { 0: 'only a fee', 1: 'one transfer or activity' };

const entryLine = ({ entryId, amount, count, state, createdAt }: Entry): string =>
  `${entryId}  ${timeOf(createdAt)}  ${amount}  ${MANY[count] ?? `${count} transfers`}  ${state.toLowerCase()}`;

type Listing<T> = {
  name: string;
  key: string;
  line(one: T): string;
  none: string;
  next(answer: Record<string, unknown>): unknown;
};

async function printPage<T>(of: Listing<T>, parameters: object, options: VelocityOptions): Promise<Told> {
  const { limit = '50', after } = options;
  const paginationOptions = { limit, ...(after === undefined ? {} : { after }) };
  const reply = await query(of.name, JSON.stringify({ ...parameters, paginationOptions }), options);
  if (reply.status >= 400) return { reply };
  const answer = JSON.parse(reply.text) as Record<string, unknown>;
  if (options.json) return { text: json(answer), code: 0 };
  const lines = (answer[of.key] as T[]).map((one) => `${printable(of.line(one))}\n`);
  const next = of.next(answer);
  const more = next === undefined ? '' : `There may be more: --after ${JSON.stringify(next)}\n`;
  return { text: lines.join('') + more || `${of.none}\n`, code: 0 };
}

const CONTROLS: Listing<Control> = {
  name: 'list_velocity_controls',
  key: 'velocityControls',
  line: controlLine,
  none: 'There are no velocity controls.',
  next: ({ pageInfo }) => {
    const { hasNextPage, endCursor } = pageInfo as { hasNextPage: boolean; endCursor?: string };
    return hasNextPage ? endCursor : undefined;
  },
};
const BUCKETS: Listing<Bucket> = {
  name: 'list_velocity_buckets',
  key: 'velocityBuckets',
  line: bucketLine,
  none: 'Nothing is counted.',
  next: ({ next }) => next,
};
const ENTRIES: Listing<Entry> = {
  name: 'list_velocity_entries',
  key: 'velocityEntries',
  line: entryLine,
  none: 'Nothing is counted in this bucket.',
  next: ({ next }) => next,
};

function checkedText({ counters, entries, differing }: Compared): string {
  const lines = differing.map(
    ({ organizationId, identifier, bucket, ...sums }) =>
      `${organizationId}  ${identifier}  ${bucket === '' ? 'organization' : bucket}: ${sums.counted} counted, ${sums.entries} in its entries\n`,
  );
  const all = `${counters} ${counters === 1 ? 'counter' : 'counters'} and ${entries} ${entries === 1 ? 'entry' : 'entries'}`;
  return `${lines.join('')}${all}: ${differing.length === 0 ? 'they agree' : `${differing.length} differ`}.\n`;
}

async function check(options: VelocityOptions): Promise<Told> {
  const told = await withReader(configOf(), 'the counters cannot be read', (read) => compareCounters(read, Date.now));
  const { isAll: _, ...compared } = told;
  return { text: options.json ? json(compared) : checkedText(told), code: told.differing.length === 0 ? 0 : 1 };
}

async function release(entryId: string | undefined, now: number, options: VelocityOptions): Promise<Told> {
  if (entryId === undefined) throw new UsageError(`name an entry: countersign velocity release ENTRY_ID --reason TEXT`);
  const parameters = { entryId, reason: reasonOf(options.reason, 'countersign velocity release') };
  return { reply: await submit('countersign_release_velocity', JSON.stringify(parameters), now, options) };
}

const MOST: Readonly<Record<string, number>> = { list: 0, show: 1, entries: 2, release: 1, replay: 1, check: 0 };

/** `countersign velocity …` */
export async function velocityCommand(
  [action = '', ...operands]: readonly string[],
  now: number,
  options: VelocityOptions,
): Promise<Told> {
  if (!Object.hasOwn(MOST, action)) throw new UsageError(`there is no "velocity ${action}": ${SEE}`);
  const surplus = operands[MOST[action]!];
  if (surplus !== undefined) throw new UsageError(`countersign velocity ${action} takes no "${surplus}": ${SEE}`);
  if (action === 'check') return check(options);
  if (action === 'release') return release(operands[0], now, options);
  if (action === 'list') return printPage(CONTROLS, {}, options);
  const [first, bucket] = operands;
  if (action === 'replay') {
    if (first === undefined) throw new UsageError('name the draft: countersign velocity replay FILE');
    return replayCommand(first, options);
  }
  const velocityControlId = first;
  if (velocityControlId === undefined) throw new UsageError(`name a control: countersign velocity ${action} CONTROL_ID`);
  if (action === 'show') return printPage(BUCKETS, { velocityControlId }, options);
  return printPage(ENTRIES, { velocityControlId, ...(bucket !== undefined && { bucket }) }, options);
}
