/** The payloads of events. Only the body is signed, so only the body says what an event is. */

export type Activity = { id: string; organizationId: string; type: string; status: string };

type Told<Type extends string, Message> = {
  type: Type;
  organizationId: string;
  parentOrganizationId: string;
  msg: Message;
};

export type SendStatus = Told<
  'transaction:status',
  {
    sendTransactionStatusId: string;
    activityId: string;
    status: 'BROADCASTING' | 'INCLUDED' | 'FAILED';
    caip2: string;
    idempotencyKey: string;
    timestamp: number;
    txHash?: string;
    error?: unknown;
  }
>;

export type Balance = Told<
  'balances:confirmed' | 'balances:finalized',
  {
    operation: 'deposit' | 'withdraw';
    caip2: string;
    txHash: string;
    address: string;
    idempotencyKey: string;
    asset: { symbol: string; name: string; decimals: number; caip19: string; amount: string };
    block: { number: number; hash: string; timestamp: string };
  }
>;

export type Test = Told<'countersign:test', { endpointId: string; activityId: string; timestamp: number }>;

export type NearlyFull = Told<
  'countersign:velocity-nearly-full',
  {
    velocityControlId: string;
    identifier: string;
    bucket: string;
    activityId: string;
    idempotencyKey: string;
    counted: string;
    left: string;
    threshold: string;
    timestamp: number;
  }
>;

/** A later version of the service may have more types. */
export type Payload = Activity | SendStatus | Balance | NearlyFull | Test;

/** A line for people. Your own work goes in its place: a change in your database, a message, a job. */
export function described(payload: Payload): string {
  if (!('msg' in payload)) return `activity ${payload.id} of ${payload.organizationId}: ${payload.type} is ${payload.status}`;
  if (payload.type === 'transaction:status') {
    const { sendTransactionStatusId, caip2, status, txHash } = payload.msg;
    return `send ${sendTransactionStatusId} on ${caip2}: ${status}${txHash === undefined ? '' : ` ${txHash}`}`;
  }
  if (payload.type === 'countersign:test') return `test of endpoint ${payload.msg.endpointId}`;
  if (payload.type === 'countersign:velocity-nearly-full') {
    const { identifier, counted, threshold } = payload.msg;
    return `limit ${identifier}: ${counted} of ${threshold} are counted`;
  }
  if (payload.type === 'balances:confirmed' || payload.type === 'balances:finalized') {
    const { operation, address, asset, block } = payload.msg;
    return `${operation} of ${asset.amount} ${asset.symbol} at ${address}: ${payload.type}, block ${block.number}`;
  }
  // A newer service may send it. It is no fault, and holds up no later event.
  return `an event of another type: ${(payload as { type: unknown }).type}`;
}
