import { randomBytes } from 'node:crypto';
import { type EvmIntent, NEVER, type Send, type SendAttempt } from '../../../src/model/send.ts';
import type { Client } from '../client.ts';
import type { Instance } from '../instance.ts';

/** What a test says of a send. */
export type SendFacts = Partial<Omit<Send, 'intent'>> & { intent?: Partial<EvmIntent>; attempts?: Partial<SendAttempt>[] };

type Place = { instance: Instance; client: Client };

export const hexOf = (bytes: number): `0x${string}` => `0x${randomBytes(bytes).toString('hex')}`;

/** A send as stored, pending unless told otherwise. Nothing carries it out: its network has no endpoint. */
export async function newSend({ instance, client }: Place, from: string, facts: SendFacts = {}): Promise<Send> {
  const { store, ids, clock } = instance.engine;
  const { organizationId } = client;
  const { intent, attempts = [{}], ...more } = facts;
  const now = clock.now();
  const account = from.toLowerCase();
  const id = ids.next();
  const hash = hexOf(32);
  const fees = { maxFeePerGas: '2000000000', maxPriorityFeePerGas: '1000000000' };
  const made = {
    organizationId,
    id,
    activityId: ids.next(),
    payerId: organizationId,
    caip2: 'eip155:424242',
    kind: 'evm',
    account,
    fromAddress: account,
    sponsored: false,
    intent: {
      form: 'call',
      signWith: from,
      calls: [{ to: hexOf(20), value: '7', data: '0x' }],
      gas: '21000',
      refused: null,
      fees,
      feesGiven: false,
      nonce: null,
      gasStationNonce: null,
      deadline: null,
      delegate: null,
      station: null,
      signed: null,
      ...intent,
    },
    state: 'sent',
    nonce: 5,
    messageNonce: null,
    ordered: false,
    hash,
    blockNumber: null,
    blockHash: '',
    error: null,
    wish: null,
    spent: '0',
    createdAt: now,
    updatedAt: now,
    dueAt: NEVER,
    version: 1,
    ...more,
  } as Send;
  await store.transaction(async (tx) => {
    await tx.sends.insert(made);
    for (const [i, attempt] of attempts.entries())
      await tx.sendAttempts.insert({
        organizationId,
        sendId: id,
        number: i + 1,
        purpose: 'send',
        nonce: made.nonce,
        signed: Buffer.from('02', 'hex'),
        hash,
        fees,
        mayBeSent: made.state !== 'signed',
        said: '',
        lastValidBlockHeight: null,
        createdAt: now,
        ...attempt,
      } as SendAttempt);
  });
  return made;
}
