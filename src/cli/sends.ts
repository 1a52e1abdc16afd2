import { UUID } from '../base/ids.ts';
import { type Reply, UsageError } from './client.ts';
import { type ClientOptions, query } from './operations.ts';
import { type Send, sendLine, sendText } from './sends-text.ts';
import { followed, type WishOptions, wish } from './sends-wishes.ts';

export type SendsOptions = ClientOptions &
  WishOptions & {
    state?: string | undefined;
    caip2?: string | undefined;
    from?: string | undefined;
    activity?: string | undefined;
    sponsored?: boolean | undefined;
    limit?: string | undefined;
    after?: string | undefined;
    json: boolean;
  };

/** The text to print, or the service's refusal. */
export type Told = { text: string; code: number } | { reply: Reply };

const SEE = 'see countersign sends --help';
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function idOf(given: string | undefined, action: string): string {
  if (given === undefined) throw new UsageError(`name a send: countersign sends ${action} SEND_ID`);
  if (!UUID.test(given)) throw new UsageError(`SEND_ID must be a sendTransactionStatusId, not "${given}"`);
  return given.toLowerCase();
}

const STATUSES = ['INITIALIZED', 'BROADCASTING', 'INCLUDED', 'FAILED'];

function statusesOf(given: string): string[] {
  const statuses = given.split(',').map((one) => one.trim().toUpperCase());
  const wrong = statuses.find((one) => !STATUSES.includes(one));
  if (wrong !== undefined) throw new UsageError(`--state must be of ${STATUSES.join(', ')}, not "${wrong}"`);
  return statuses;
}

async function list(options: SendsOptions): Promise<Told> {
  const { state, caip2, from, activity, sponsored, limit = '50', after } = options;
  const filters = {
    ...(state === undefined ? {} : { filterByStatus: statusesOf(state) }),
    ...(caip2 === undefined ? {} : { filterByCaip2: caip2 }),
    ...(from === undefined ? {} : { filterByFrom: from }),
    ...(activity === undefined ? {} : { filterByActivityId: activity }),
    ...(sponsored === undefined ? {} : { filterBySponsored: sponsored }),
    paginationOptions: { limit, ...(after === undefined ? {} : { after }) },
  };
  const reply = await query('list_sends', JSON.stringify(filters), options);
  if (reply.status >= 400) return { reply };
  const { sends, next } = JSON.parse(reply.text) as { sends: Send[]; next?: string };
  if (options.json) return { text: json({ sends, next: next ?? null }), code: 0 };
  const lines = sends.map(sendLine).join('');
  const more = next === undefined ? '' : `There may be more: --after ${next}\n`;
  return { text: lines + more || 'There are no such sends.\n', code: 0 };
}

/** The send, or the service's refusal. */
async function find(id: string, options: ClientOptions): Promise<{ send: Send } | { reply: Reply }> {
  const reply = await query('list_sends', JSON.stringify({ sendTransactionStatusId: id }), options);
  if (reply.status >= 400) return { reply };
  const [send] = (JSON.parse(reply.text) as { sends: Send[] }).sends;
  return send === undefined
    ? { reply: { ...reply, status: 404, text: JSON.stringify({ message: `send not found: ${id}` }) } }
    : { send };
}

/** `countersign sends …` */
export async function sendsCommand(
  [action, operand]: readonly string[],
  now: () => number,
  options: SendsOptions,
): Promise<Told> {
  if (action === 'list') {
    if (operand !== undefined) throw new UsageError(`countersign sends list takes no "${operand}": ${SEE}`);
    return list(options);
  }
  if (action !== 'show' && action !== 'cancel' && action !== 'speed-up')
    throw new UsageError(`there is no "sends ${action ?? ''}": ${SEE}`);
  const id = idOf(operand, action);
  const look = () => find(id, options);
  if (action !== 'show') return wish(action, id, { look, now, options });
  const found = options.wait ? await followed(look) : await look();
  if ('reply' in found) return found;
  return { text: options.json ? json(found.send) : sendText(found.send), code: 0 };
}
