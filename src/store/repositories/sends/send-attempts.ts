import type { SendAttempt } from '../../../model/send.ts';
import { inLists } from '../../lists.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { sendAttempts } from '../../tables/sends.ts';

const ofSendFrom = (table: 'send_attempts' | 'archived_send_attempts') =>
  statement((db, p: { org: string; send: string }) =>
    db
      .selectFrom(table as 'send_attempts')
      .select(sendAttempts.all)
      .where('organization_id', '=', p.org)
      .where('send_id', '=', p.send),
  );
const ofSend = ofSendFrom('send_attempts');
const ofArchived = ofSendFrom('archived_send_attempts');
const ofSends = dynamic({}, (db, p: { org: string; sends: readonly string[] }) =>
  db.selectFrom('send_attempts').select(sendAttempts.all).where('organization_id', '=', p.org).where('send_id', 'in', p.sends),
);
const byHash = statement((db, p: { org: string; hash: string; limit: number }) =>
  db
    .selectFrom('send_attempts')
    .select(sendAttempts.all)
    .where('organization_id', '=', p.org)
    .where('hash', '=', p.hash)
    .limit(p.limit),
);
const insert = statement((db, p: SendAttempt) => db.insertInto('send_attempts').values(values(sendAttempts, p)));
const note = statement((db, p: { org: string; send: string; number: number; mayBeSent: boolean; said: string }) =>
  db
    .updateTable('send_attempts')
    .set({ may_be_sent: p.mayBeSent, said: p.said })
    .where('organization_id', '=', p.org)
    .where('send_id', '=', p.send)
    .where('number', '=', p.number),
);
const expire = statement((db, p: { org: string; send: string; number: number; last: number | null }) =>
  db
    .updateTable('send_attempts')
    .set({ last_valid_block_height: p.last })
    .where('organization_id', '=', p.org)
    .where('send_id', '=', p.send)
    .where('number', '=', p.number),
);

const inOrder = (attempts: SendAttempt[]): SendAttempt[] => attempts.sort((a, b) => a.number - b.number);

export const sendAttemptReads = (conn: Conn) => ({
  /** In the order of their numbers: the first was signed first. */
  async ofSend(org: string, sendId: string): Promise<SendAttempt[]> {
    return inOrder(await ofSend.all(conn, { org, send: sendId }));
  },
  /** The attempts of several sends of one organization, by the ids of the sends. */
  async ofSends(org: string, sendIds: readonly string[]): Promise<Map<string, SendAttempt[]>> {
    const found = await inLists(sendIds, (sends) => ofSends.all(conn, { org, sends }));
    return Map.groupBy(inOrder(found), ({ sendId }) => sendId);
  },
  /** The attempts of a send that has ended and may be archived. */
  async ofOver(org: string, sendId: string): Promise<SendAttempt[]> {
    const named = { org, send: sendId };
    const here = await ofSend.all(conn, named);
    return inOrder(here.length > 0 || !conn.archive ? here : await ofArchived.all(conn.archive, named));
  },
  /** Several attempts may match: a raw transaction may have been submitted more than once. */
  async byHash(org: string, hash: string, limit: number): Promise<SendAttempt[]> {
    return byHash.all(conn, { org, hash, limit });
  },
});

export const sendAttemptWrites = (conn: Conn) => ({
  async insert(attempt: SendAttempt): Promise<void> {
    await insert.run(conn, attempt);
  },
  async note(
    { organizationId, sendId, number }: Pick<SendAttempt, 'organizationId' | 'sendId' | 'number'>,
    { mayBeSent, said }: Pick<SendAttempt, 'mayBeSent' | 'said'>,
  ): Promise<void> {
    await note.run(conn, { org: organizationId, send: sendId, number, mayBeSent, said });
  },
  /**
   * Solana: stores the block height after which the transaction cannot be mined, if that was unknown. With null it is unknown
   * after all.
   */
  async expire(
    { organizationId, sendId, number }: Pick<SendAttempt, 'organizationId' | 'sendId' | 'number'>,
    last: number | null,
  ): Promise<void> {
    await expire.run(conn, { org: organizationId, send: sendId, number, last });
  },
});
