import { UUID } from '../base/ids.ts';
import { clearQuota, type ShownQuota, setQuota, showQuotas } from '../operator/quotas.ts';
import { UsageError } from './client.ts';
import { configOf } from './config.ts';
import { printable } from './printable.ts';

type Options = {
  organization?: string | undefined;
  signatures?: string | undefined;
  per?: string | undefined;
  limit?: string | undefined;
  after?: string | undefined;
  'dry-run': boolean;
  json: boolean;
};

const SEE = 'see countersign quota --help';
const MOST = 1_000_000_000_000;

function wholeOf(text: string | undefined, option: string, min: number, max: number): number {
  const value = Number(text);
  if (text === undefined || !/^\d+$/.test(text) || value < min || value > max)
    throw new UsageError(`${option} must be a whole number from ${min} to ${max}: ${SEE}`);
  return value;
}

function idOf(text: string | undefined, option: string): string | undefined {
  if (text !== undefined && !UUID.test(text)) throw new UsageError(`${option} must be the id of an organization, not "${text}"`);
  return text?.toLowerCase();
}

function organizationOf({ organization }: Options): string {
  const id = idOf(organization, '--organization');
  if (id === undefined) throw new UsageError(`name the organization with --organization: ${SEE}`);
  return id;
}

const line = ({ organizationId, organizationName, signaturesPerMonth, used, endsAt }: ShownQuota): string =>
  `${organizationId}  ${used} of ${signaturesPerMonth} signatures until ${endsAt}  ${printable(organizationName)}\n`;

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const was = (before: number | null): string => (before === null ? 'It had none' : `It was ${before}`);

async function set(now: number, options: Options): Promise<string> {
  const signatures = wholeOf(options.signatures, '--signatures', 0, MOST);
  if (options.per !== 'month') throw new UsageError(`the quota needs --per month: ${SEE}`);
  const wish = { organization: organizationOf(options), signatures, dryRun: options['dry-run'] };
  const done = await setQuota(configOf(), now, wish);
  if (options.json) return asJson(done);
  return `The quota ${done.changed ? 'is set' : 'would be set. Nothing was changed'}. ${was(done.before)}.\n${line(done.quota)}`;
}

async function show(now: number, options: Options): Promise<string> {
  const limit = wholeOf(options.limit ?? '50', '--limit', 1, 1000);
  const organization = idOf(options.organization, '--organization');
  const quotas = await showQuotas(configOf(), now, { organization, limit, after: idOf(options.after, '--after') });
  const next = organization === undefined && quotas.length === limit ? quotas.at(-1)!.organizationId : null;
  if (options.json) return asJson({ quotas, next });
  if (quotas.length === 0) return 'There is no quota.\n';
  return `${quotas.map(line).join('')}${next === null ? '' : `There may be more: --after ${next}\n`}`;
}

async function clear(options: Options): Promise<string> {
  const done = await clearQuota(configOf(), { organization: organizationOf(options), dryRun: options['dry-run'] });
  if (options.json) return asJson(done);
  if (done.before === null) return 'The organization has no quota. Nothing was changed.\n';
  return `The quota ${done.changed ? 'is removed' : 'would be removed. Nothing was changed'}. ${was(done.before)}.\n`;
}

/** `countersign quota …`: the text to print. */
export async function quotaCommand([action]: readonly string[], now: number, options: Options): Promise<string> {
  if (action === 'set') return set(now, options);
  if (action === 'show') return show(now, options);
  if (action === 'clear') return clear(options);
  throw new UsageError(`there is no "quota ${action}": ${SEE}`);
}
