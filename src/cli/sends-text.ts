import { printable } from './printable.ts';

type Time = { seconds: string; nanos: string };
type Fees = { maxFeePerGas?: string; maxPriorityFeePerGas?: string };

/** A row of `list_sends`. */
export type Send = {
  sendTransactionStatusId: string;
  activityId: string;
  txStatus: string;
  final: boolean;
  caip2: string;
  from: string;
  account: string;
  sponsored: boolean;
  nonce?: string;
  hash?: string;
  attempts: ({ number: number; purpose: string; hash: string; createdAt: Time } & Fees)[];
  waitsFor?: string;
  block?: { number: string; hash: string };
  error?: { message: string; eth?: { revertChain: { address: string; displayMessage: string }[] }; solana?: { logs: string[] } };
  wish?: { what: string; activityId: string; reason: string } & Fees;
  createdAt: Time;
  updatedAt: Time;
};

const timeOf = ({ seconds, nanos }: Time): string =>
  new Date(Number(seconds) * 1000 + Math.floor(Number(nanos) / 1e6)).toISOString();

const told = (lines: readonly string[]): string => `${lines.map(printable).join('\n')}\n`;

const feesOf = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees): string =>
  maxFeePerGas === undefined ? '' : `  at most ${maxFeePerGas} wei for each gas, ${maxPriorityFeePerGas ?? '0'} of it a tip`;

/** One line for a list. */
export function sendLine({ sendTransactionStatusId, createdAt, txStatus, caip2, from, hash, error, sponsored }: Send): string {
  const status = error !== undefined && txStatus === 'INCLUDED' ? 'INCLUDED with an error' : txStatus;
  const parts = [sendTransactionStatusId, timeOf(createdAt), status, caip2, from + (sponsored ? ' (sponsored)' : '')];
  return told([[...parts, ...(hash === undefined ? [] : [hash]), ...(error === undefined ? [] : [error.message])].join('  ')]);
}

/** Everything about one send. */
export function sendText(send: Send): string {
  const { error, wish, block, attempts } = send;
  const lines = [
    `${send.sendTransactionStatusId}: ${send.txStatus}${send.final ? ', final' : ''}`,
    `  ${send.caip2}, from ${send.from}${send.account === send.from ? '' : `, paid by ${send.account}`}`,
    `  activity ${send.activityId}`,
    `  asked for ${timeOf(send.createdAt)}, changed ${timeOf(send.updatedAt)}`,
  ];
  if (send.nonce !== undefined) lines.push(`  nonce ${send.nonce}`);
  if (send.hash !== undefined) lines.push(`  transaction ${send.hash}`);
  if (block !== undefined) lines.push(`  in block ${block.number} (${block.hash})`);
  if (send.waitsFor !== undefined) lines.push(`  ${send.waitsFor}`);
  if (attempts.length > 0) lines.push('  signed:');
  for (const one of attempts)
    lines.push(`    ${one.number}. ${timeOf(one.createdAt)}  to ${one.purpose}  ${one.hash}${feesOf(one)}`);
  if (error !== undefined) lines.push(`  ${error.message}`);
  for (const { address, displayMessage } of error?.eth?.revertChain ?? []) lines.push(`    ${address}: ${displayMessage}`);
  for (const line of error?.solana?.logs ?? []) lines.push(`    ${line}`);
  if (wish !== undefined) lines.push(`  asked to ${wish.what} by activity ${wish.activityId}: ${wish.reason}${feesOf(wish)}`);
  if (wish?.what === 'cancel' && send.txStatus === 'BROADCASTING') {
    const end = send.caip2.startsWith('solana:') ? 'its blockhash has expired' : 'its replacement is in a final block';
    lines.push(`  it becomes FAILED once ${end}, or INCLUDED if it is mined first`);
  }
  return told(lines);
}
