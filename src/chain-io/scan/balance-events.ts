import { hash } from 'node:crypto';
import { uuidOf } from '../../base/ids.ts';
import { listenersOf } from '../../domain/webhooks/listeners.ts';
import type { ScannedAsset, ScannedTransaction } from '../../model/scan.ts';
import { listens } from '../../model/webhook.ts';
import type { NewWebhookEvent } from '../../model/webhook-event.ts';
import type { Writer } from '../../store/types.ts';

const KINDS = {
  confirmed: { eventType: 'BALANCE_CONFIRMED_UPDATES', type: 'balances:confirmed' },
  finalized: { eventType: 'BALANCE_FINALIZED_UPDATES', type: 'balances:finalized' },
} as const;

type Kind = keyof typeof KINDS;
type Sum = { operation: 'deposit' | 'withdraw'; asset: ScannedAsset; amount: bigint };

/** One for each operation and asset of the transaction. */
function sumsOf({ transfers }: ScannedTransaction): Sum[] {
  const sums = new Map<string, Sum>();
  for (const { direction, asset, amount } of transfers) {
    const operation = direction === 'IN' ? 'deposit' : 'withdraw';
    const name = `${operation} ${asset.caip19}`;
    sums.set(name, { operation, asset, amount: (sums.get(name)?.amount ?? 0n) + BigInt(amount) });
  }
  return [...sums.values()];
}

/** Seconds, as RFC 3339 has them. */
const timestampOf = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

type Of = { transaction: ScannedTransaction; parentId: string | null; kind: Kind; now: number };

/** The same transaction in another block has another key. */
function eventOf({ transaction, parentId, kind, now }: Of, { operation, asset, amount }: Sum): NewWebhookEvent {
  const { organizationId, caip2, address, transactionHash: txHash, blockNumber, blockHash, blockTime } = transaction;
  const { eventType, type } = KINDS[kind];
  const named = [organizationId, caip2, address, txHash, operation, asset.caip19, blockNumber, blockHash];
  const idempotencyKey = `${hash('sha256', JSON.stringify(named), 'hex')}:${type}`;
  const { symbol, name, decimals, caip19 } = asset;
  const msg = {
    operation,
    caip2,
    txHash,
    address,
    idempotencyKey,
    asset: { symbol, name, decimals, caip19, amount: String(amount) },
    block: { number: blockNumber, hash: blockHash, timestamp: timestampOf(blockTime) },
  };
  return {
    organizationId,
    // A block that fell out may come back.
    id: uuidOf(now, hash('sha256', `${idempotencyKey} ${now}`, 'hex')),
    parentId,
    eventType,
    subject: `${caip2} ${address} ${caip19}`,
    filters: {},
    body: Buffer.from(JSON.stringify({ type, organizationId, parentOrganizationId: parentId ?? organizationId, msg })),
    createdAt: now,
  };
}

/** Records events beside the row of a transaction, if endpoints of the top-level organization listen. */
async function tell(tx: Writer, given: Of): Promise<void> {
  const { transaction, parentId, kind } = given;
  if (transaction.transfers.length === 0) return;
  const listeners = await listenersOf(tx, parentId ?? transaction.organizationId);
  if (!listens(listeners, KINDS[kind].eventType)) return;
  for (const sum of sumsOf(transaction)) await tx.webhookEvents.insert(eventOf(given, sum));
}

/**
 * Writes the row of a transaction that was seen in a block, with its events. A row that exists changes nothing. The organization may
 * have been deleted since the account was found: nothing would remove its row.
 */
export async function addSeen(tx: Writer, transaction: ScannedTransaction, parentId: string | null, now: number): Promise<void> {
  if ((await tx.organizations.get(transaction.organizationId)) === undefined) return;
  if (await tx.scannedTransactions.insert(transaction)) await tell(tx, { transaction, parentId, kind: 'confirmed', now });
}

/** Transactions that one write finalizes. */
const AT_ONCE = 500;

/** Finalizes transactions, with their events. */
export async function finalizeAll(tx: Writer, transactions: readonly ScannedTransaction[], now: number): Promise<void> {
  for (const transaction of transactions) {
    if (!(await tx.scannedTransactions.finalize(transaction))) continue;
    const organization = await tx.organizations.get(transaction.organizationId);
    if (organization === undefined) continue;
    await tell(tx, { transaction, parentId: organization.parentId, kind: 'finalized', now });
  }
}

/** Finalizes transactions of blocks up to a number, with their events. Returns whether there may be more. */
export async function finalizeUpTo(tx: Writer, caip2: string, number: number, now: number): Promise<boolean> {
  const found = await tx.scan.notFinal(caip2, { from: 0, upTo: number }, AT_ONCE);
  await finalizeAll(tx, found, now);
  return found.length === AT_ONCE;
}
