import { type Reply, reasonOf, UsageError } from './client.ts';
import { type ClientOptions, query, submit } from './operations.ts';
import { type Send, sendText } from './sends-text.ts';

export type WishOptions = {
  reason?: string | undefined;
  'max-fee'?: string | undefined;
  'max-priority-fee'?: string | undefined;
  'dry-run': boolean;
  wait: boolean;
};

type Found = { send: Send } | { reply: Reply };
type Look = () => Promise<Found>;
type Told = { text: string; code: number } | { reply: Reply };

const EVERY_MS = 500;

/** The send, once it is in a block or failed. */
export async function followed(look: Look): Promise<Found> {
  for (;;) {
    const found = await look();
    if ('reply' in found || found.send.txStatus === 'INCLUDED' || found.send.txStatus === 'FAILED') return found;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

function feeOf(text: string | undefined, name: string): string | undefined {
  if (text !== undefined && !/^\d{1,78}$/.test(text))
    throw new UsageError(`${name} must be a whole number of wei for each gas, not "${text}"`);
  return text;
}

function parametersOf(action: 'cancel' | 'speed-up', id: string, options: WishOptions): object {
  const given = {
    maxFeePerGas: feeOf(options['max-fee'], '--max-fee'),
    maxPriorityFeePerGas: feeOf(options['max-priority-fee'], '--max-priority-fee'),
  };
  if (action === 'cancel' && (given.maxFeePerGas ?? given.maxPriorityFeePerGas) !== undefined)
    throw new UsageError('sends cancel takes no fees: it pays the fees that it needs, within the limits of the operator');
  return { sendTransactionStatusId: id, reason: reasonOf(options.reason, `countersign sends ${action} SEND_ID`), ...given };
}

type Simulated = { outcome: string; rootQuorumMet: boolean; reason?: string };

const OPERATIONS = { cancel: 'countersign_cancel_send', 'speed-up': 'countersign_speed_up_send' } as const;

/** Why the service would refuse it, whatever policies decide. */
function refusalOf({ txStatus, wish }: Send): string | undefined {
  if (txStatus === 'FAILED') return 'it has failed';
  if (txStatus === 'INCLUDED') return 'its transaction is already mined';
  return wish?.what === 'cancel' ? `activity ${wish.activityId} already cancels it` : undefined;
}

/** The service's expected answer, with the send as it is. Nothing is written. */
async function dryRun(action: 'cancel' | 'speed-up', parameters: object, look: Look, options: Options): Promise<Told> {
  const found = await look();
  if ('reply' in found) return found;
  const refusal = refusalOf(found.send);
  if (refusal !== undefined) {
    const text = `${sendText(found.send)}It would be refused: ${refusal}. Nothing was changed.\n`;
    return { text: options.json ? `${JSON.stringify({ send: found.send, refusal }, null, 2)}\n` : text, code: 1 };
  }
  const type = `ACTIVITY_TYPE_${OPERATIONS[action].toUpperCase()}`;
  const reply = await query('simulate_activity', JSON.stringify({ type, parameters }), options);
  if (reply.status >= 400) return { reply };
  const decision = JSON.parse(reply.text) as Simulated;
  if (options.json) return { text: `${JSON.stringify({ send: found.send, decision }, null, 2)}\n`, code: 0 };
  const { outcome, rootQuorumMet, reason } = decision;
  const why = rootQuorumMet ? 'the root quorum' : outcome;
  const would = `The request to ${action} would be decided by ${why}${reason === undefined ? '' : `: ${reason}`}. Nothing was changed.\n`;
  return { text: sendText(found.send) + would, code: 0 };
}

type Options = ClientOptions & WishOptions & { json: boolean };
type Context = { look: Look; now: () => number; options: Options };

/** `countersign sends cancel` and `speed-up`. */
export async function wish(action: 'cancel' | 'speed-up', id: string, { look, now, options }: Context): Promise<Told> {
  const parameters = parametersOf(action, id, options);
  if (options['dry-run']) return dryRun(action, parameters, look, options);
  const reply = await submit(OPERATIONS[action], JSON.stringify(parameters), now(), options);
  if (reply.status >= 400) return { reply };
  const { activity } = JSON.parse(reply.text) as { activity: { id: string; status: string } };
  if (activity.status !== 'ACTIVITY_STATUS_COMPLETED') {
    const text = `Activity ${activity.id} waits for approvals (${activity.status}). Nothing was changed yet.\n`;
    return { text: options.json ? `${JSON.stringify({ activity }, null, 2)}\n` : text, code: 0 };
  }
  const found = options.wait ? await followed(look) : await look();
  if ('reply' in found) return found;
  const { send } = found;
  const missed = options.wait && send.txStatus !== (action === 'cancel' ? 'FAILED' : 'INCLUDED');
  const text = options.json ? `${JSON.stringify({ activityId: activity.id, send }, null, 2)}\n` : sendText(send);
  return { text, code: missed ? 1 : 0 };
}
