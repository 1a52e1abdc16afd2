import { UUID } from '../base/ids.ts';
import { unlocked } from '../operator/custody/shares/unlock.ts';
import { allowRecovery, cancelRecovery, type ListedRecovery, listRecoveries } from '../operator/recovery/manage.ts';
import { type Recovery, recoverRoot, type ShownPolicy } from '../operator/recovery/recover.ts';
import { reasonOf, UsageError } from './client.ts';
import { configOf } from './config.ts';
import { printable } from './printable.ts';
import { shareInput } from './share-input.ts';

type Options = {
  organization?: string | undefined;
  user?: string | undefined;
  'public-key'?: string | undefined;
  reason?: string | undefined;
  'remove-mfa-policy': string[];
  'dry-run': boolean;
  json: boolean;
};

const COMMAND = 'countersign recover-root';
const NOTHING = 'Nothing was changed';

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function idOf(text: string | undefined, option: string): string {
  if (text === undefined) throw new UsageError(`give ${option}: see ${COMMAND} --help`);
  if (!UUID.test(text)) throw new UsageError(`${option} must be a UUID, not "${text}"`);
  return text.toLowerCase();
}

const policies = (all: readonly ShownPolicy[]): string =>
  all.map(({ mfaPolicyId, name }) => `  ${mfaPolicyId}  ${printable(name)}\n`).join('');

function text(done: Recovery): string {
  const { userId, userName, organizationId, organizationName, removedMfaPolicies: removed, bindingMfaPolicies: binding } = done;
  const whose = `user ${userId} ("${printable(userName)}") of organization ${organizationId} ("${printable(organizationName)}")`;
  return [
    done.changed
      ? `The recovery of ${whose} is pending, as activity ${done.activityId}.\n`
      : `The recovery of ${whose} would be pending. ${NOTHING}.\n`,
    `The service tells the root users, and adds the key ${done.delayHours} hours later: not before ${done.notBefore}.\n`,
    'A request that any root user of the organization stamps until then ends it.\n',
    removed.length === 0 ? '' : `These MFA policies of the user are removed with it:\n${policies(removed)}`,
    binding.length === 0
      ? 'No other MFA policy binds the user.\n'
      : `These MFA policies still bind the user:\n${policies(binding)}`,
  ].join('');
}

async function begin(now: number, options: Options): Promise<string> {
  const wish = {
    organizationId: idOf(options.organization, '--organization'),
    userId: idOf(options.user, '--user'),
    publicKey: options['public-key'] ?? '',
    removeMfaPolicyIds: options['remove-mfa-policy'].map((id) => idOf(id, '--remove-mfa-policy')),
    reason: reasonOf(options.reason, COMMAND),
  };
  if (wish.publicKey === '') throw new UsageError(`give --public-key: see ${COMMAND} --help`);
  const done = await recoverRoot(await unlocked(configOf(), shareInput()), now, wish, options['dry-run']);
  return options.json ? asJson(done) : text(done);
}

function line({ organizationId, organizationName, userId, takesEffectAt, cancelled }: ListedRecovery): string {
  const state =
    cancelled === null ? (takesEffectAt ?? 'begins when the service has told the root users') : 'cancelled; the service ends it';
  return `${organizationId}  user ${userId}  ${state}  ${printable(organizationName)}\n`;
}

async function list({ json }: Options): Promise<string> {
  const recoveries = await listRecoveries(configOf());
  if (json) return asJson({ recoveries });
  return recoveries.length === 0 ? 'No recovery is pending.\n' : recoveries.map(line).join('');
}

async function cancel(now: number, options: Options): Promise<string> {
  const organizationId = idOf(options.organization, '--organization');
  const reason = reasonOf(options.reason, `${COMMAND} cancel`);
  const done = await cancelRecovery(configOf(), now, { organizationId, reason, dryRun: options['dry-run'] });
  if (options.json) return asJson(done);
  return `The recovery ${done.changed ? 'is cancelled: the service ends it' : `would be cancelled. ${NOTHING}`}.\n${line(done)}`;
}

async function allow(now: number, options: Options): Promise<string> {
  const reason = reasonOf(options.reason, `${COMMAND} allow`);
  const dryRun = options['dry-run'];
  const { changed } = await allowRecovery(await unlocked(configOf(), shareInput()), now, reason, dryRun);
  if (options.json) return asJson({ changed: changed && !dryRun });
  if (!changed) return `Recovery by the operator is on. ${NOTHING}.\n`;
  return dryRun ? `Recovery by the operator would be switched on. ${NOTHING}.\n` : 'Recovery by the operator is on.\n';
}

/** `countersign recover-root …`: the text to print. */
export async function recoverRootCommand([action]: readonly string[], now: number, options: Options): Promise<string> {
  if (action === undefined) return begin(now, options);
  if (action === 'list') return list(options);
  if (action === 'cancel') return cancel(now, options);
  if (action === 'allow') return allow(now, options);
  throw new UsageError(`there is no "recover-root ${action}": see ${COMMAND} --help`);
}
