import { UUID } from '../base/ids.ts';
import { unlocked } from '../operator/custody/shares/unlock.ts';
import { unfreezeByOperator } from '../operator/recovery/unfreeze.ts';
import { type Reply, reasonOf, UsageError } from './client.ts';
import { configOf } from './config.ts';
import { type ClientOptions, submit } from './operations.ts';
import { printable } from './printable.ts';
import { shareInput } from './share-input.ts';

type Options = ClientOptions & {
  user?: string | undefined;
  wallet?: string | undefined;
  'private-key'?: string | undefined;
  all: boolean;
  reason?: string | undefined;
  'keep-sends': boolean;
  'dry-run': boolean;
  json: boolean;
};

const idOf = (option: string, text: string | undefined): string | undefined => {
  if (text !== undefined && !UUID.test(text)) throw new UsageError(`${option} must be a UUID, not "${text}"`);
  return text?.toLowerCase();
};

/** The parameters that name what is frozen. */
function namedIn(options: Options, command: string) {
  const named = {
    userId: idOf('--user', options.user),
    walletId: idOf('--wallet', options.wallet),
    privateKeyId: idOf('--private-key', options['private-key']),
    organization: options.all || undefined,
  };
  if (Object.values(named).filter((one) => one !== undefined).length !== 1)
    throw new UsageError(`give one of --user, --wallet, --private-key and --all: see ${command} --help`);
  return named;
}

/** The reply, with a warning while the activity waits: then the wish has no effect yet. */
function withWarning(reply: Reply, isFreeze: boolean): Reply {
  if (reply.status >= 400) return reply;
  const { activity } = JSON.parse(reply.text) as { activity: { id: string; status: string } };
  if (activity.status === 'ACTIVITY_STATUS_COMPLETED') return reply;
  const what = isFreeze ? 'nothing is stopped yet' : 'the freeze has not ended yet';
  const warning = `${what}: activity ${activity.id} waits for others (${activity.status})`;
  return { ...reply, warnings: [...reply.warnings, warning] };
}

/** `countersign freeze` and `unfreeze`: activities. */
export async function freezeCommand(
  operation: 'countersign_freeze' | 'countersign_unfreeze',
  now: number,
  options: Options,
): Promise<Reply> {
  const isFreeze = operation === 'countersign_freeze';
  const command = isFreeze ? 'countersign freeze' : 'countersign unfreeze';
  if (options['dry-run']) throw new UsageError(`--dry-run is for unfreeze --operator: see ${command} --help`);
  if (options['keep-sends'] && !isFreeze) throw new UsageError('--keep-sends is for countersign freeze');
  const named = namedIn(options, command);
  const keeps = options['keep-sends'] ? { keepSends: true } : {};
  const parameters = { ...named, reason: reasonOf(options.reason, command), ...keeps };
  return withWarning(await submit(operation, JSON.stringify(parameters), now, options), isFreeze);
}

/** `countersign unfreeze --operator`: the text to print. */
export async function unfreezeAsOperator(now: number, options: Options): Promise<string> {
  const command = 'countersign unfreeze --operator';
  const organizationId = idOf('--organization', options.organization);
  if (organizationId === undefined) throw new UsageError(`give --organization: see ${command} --help`);
  const wish = { organizationId, named: namedIn(options, command), reason: reasonOf(options.reason, command) };
  const done = await unfreezeByOperator(await unlocked(configOf(), shareInput()), now, wish, options['dry-run']);
  if (options.json) return `${JSON.stringify(done, null, 2)}\n`;
  const { target, id, since, reason, activityId } = done;
  const what = `The freeze of ${target} ${id}, since ${since} ("${printable(reason)}")`;
  return activityId === null ? `${what}, would end. Nothing was changed.\n` : `${what}, has ended by activity ${activityId}.\n`;
}
