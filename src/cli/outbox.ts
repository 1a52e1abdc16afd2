import { UUID } from '../base/ids.ts';
import { listOutbox, type OutboxState, retryOutbox, type ShownMessage } from '../operator/outbox.ts';
import { UsageError } from './client.ts';
import { configOf } from './config.ts';

type Options = {
  state?: string | undefined;
  limit?: string | undefined;
  after?: string | undefined;
  all: boolean;
  'dry-run': boolean;
  json: boolean;
};

const SEE = 'see countersign outbox --help';
const STATES: readonly OutboxState[] = ['dead', 'ready', 'expired'];

function stateOf(text = 'dead'): OutboxState {
  const state = STATES.find((one) => one === text);
  if (state === undefined) throw new UsageError(`--state must be one of ${STATES.join(', ')}, not "${text}"`);
  return state;
}

function limitOf(text = '50'): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > 1000)
    throw new UsageError(`--limit must be a whole number from 1 to 1000, not "${text}"`);
  return limit;
}

function idOf(text: string | undefined, name: string): string | undefined {
  if (text !== undefined && !UUID.test(text)) throw new UsageError(`${name} must be the id of a message, not "${text}"`);
  return text?.toLowerCase();
}

const line = ({ messageId, createdAt, topic, attempts, activityId, lastError }: ShownMessage): string =>
  `${messageId}  ${createdAt}  ${topic}  tried ${attempts === 1 ? 'once' : `${attempts} times`}  activity ${activityId}  ${lastError}\n`;

const counted = (count: number): string => `${count} message${count === 1 ? '' : 's'}`;

async function list(operand: string | undefined, options: Options): Promise<string> {
  if (operand !== undefined) throw new UsageError(`countersign outbox list takes no "${operand}": ${SEE}`);
  const [state, limit] = [stateOf(options.state), limitOf(options.limit)];
  const messages = await listOutbox(configOf(), { state, limit, after: idOf(options.after, '--after') });
  const next = messages.length === limit ? messages.at(-1)!.messageId : null;
  if (options.json) return `${JSON.stringify({ state, messages, next }, null, 2)}\n`;
  if (messages.length === 0) return `There are no ${state} messages${options.after === undefined ? '' : ' after that one'}.\n`;
  return `${messages.map(line).join('')}${next === null ? '' : `There may be more: --after ${next}\n`}`;
}

async function retry(operand: string | undefined, now: number, options: Options): Promise<string> {
  if ((operand === undefined) !== options.all) throw new UsageError(`name one message, or use --all: ${SEE}`);
  const dryRun = options['dry-run'];
  const done = await retryOutbox(configOf(), now, { id: idOf(operand, 'MESSAGE_ID'), dryRun });
  if (options.json) return `${JSON.stringify(done, null, 2)}\n`;
  if (done.messages.length === 0) return 'There is no dead message to send again.\n';
  return `${counted(done.messages.length)} ${dryRun ? 'would be sent again. Nothing was changed' : 'will be sent again'}.\n${done.messages.map(line).join('')}`;
}

/** `countersign outbox …`: the text to print. */
export async function outboxCommand([action, operand]: readonly string[], now: number, options: Options): Promise<string> {
  if (action === 'list') return list(operand, options);
  if (action === 'retry') return retry(operand, now, options);
  throw new UsageError(`there is no "outbox ${action}": ${SEE}`);
}
