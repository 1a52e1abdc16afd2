import { type AccountKey, NEVER, type SendAccount } from '../../model/send.ts';
import type { EngineName } from '../columns.ts';
import { KNOWN } from '../migrations/known.ts';
import { type Conn, statement, written } from '../statement.ts';
import { sendAccounts } from '../tables/sends.ts';

const { caip2, account, kind, dueAt, leaseUntil, owner } = sendAccounts.model;

const get = statement((db, p: AccountKey) =>
  db.selectFrom('send_accounts').select(sendAccounts.all).where('caip2', '=', p.caip2).where('account', '=', p.account),
);
const due = statement((db, p: { caip2: string; now: number; limit: number }) =>
  db
    .selectFrom('send_accounts')
    .select(['caip2', 'account', 'due_at as dueAt'])
    .where('caip2', '=', p.caip2)
    .where('due_at', '<=', p.now)
    .where('lease_until', '<=', p.now)
    .orderBy('due_at')
    .limit(p.limit),
);
const nextDue = statement((db, p: { caip2: string }) =>
  db.selectFrom('send_accounts').select('due_at as dueAt').where('caip2', '=', p.caip2).orderBy('due_at').limit(1),
);
const nextNetwork = statement((db, p: { after: string }) =>
  db.selectFrom('send_accounts').select('caip2').where('caip2', '>', p.after).orderBy('caip2').limit(1),
);

const INSERT = `INSERT INTO send_accounts (caip2, account, kind, messages_taken, message_lane, messages, owner, lease_until, due_at)`;
/** An account that is due already is left as it is, so that nobody waits for its owner. */
const SOONER = `ON CONFLICT (caip2, account) DO UPDATE SET due_at = excluded.due_at WHERE send_accounts.due_at > excluded.due_at`;
const makeDue = {
  sqlite: written('sqlite')(`${INSERT} VALUES (?, ?, ?, 0, '', 0, '', 0, ?) ${SOONER}`, caip2, account, kind, dueAt),
  postgres: written('postgres')(`${INSERT} VALUES ($1, $2, $3, 0, '', 0, '', 0, $4) ${SOONER}`, caip2, account, kind, dueAt),
} satisfies Record<EngineName, unknown>;

const LOCKED = 'ON CONFLICT (caip2, account) DO UPDATE SET messages = send_accounts.messages';
const lock = {
  sqlite: written('sqlite')(`${INSERT} VALUES (?, ?, ?, 0, '', 0, '', 0, ?) ${LOCKED}`, caip2, account, kind, dueAt),
  postgres: written('postgres')(`${INSERT} VALUES ($1, $2, $3, 0, '', 0, '', 0, $4) ${LOCKED}`, caip2, account, kind, dueAt),
} satisfies Record<EngineName, unknown>;

const claim = statement((db, p: AccountKey & { owner: string; now: number; until: number; known: number }) =>
  db
    .updateTable('send_accounts')
    .set({ owner: p.owner, lease_until: p.until, due_at: p.until })
    .where('caip2', '=', p.caip2)
    .where('account', '=', p.account)
    .where('due_at', '<=', p.now)
    .where('lease_until', '<=', p.now)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('migrations').select('version').where('version', '>', p.known))),
    ),
);

const take = statement((db, p: AccountKey & { owner: string; until: number; known: number }) =>
  db
    .updateTable('send_accounts')
    .set({ owner: p.owner, lease_until: p.until, due_at: p.until })
    .where('caip2', '=', p.caip2)
    .where('account', '=', p.account)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('migrations').select('version').where('version', '>', p.known))),
    ),
);

/** While an account has an owner it is due when the lease ends. If it is due before, it was made so meanwhile, and stays so. */
const extended = (until: string) =>
  `UPDATE send_accounts SET due_at = CASE WHEN due_at < lease_until THEN due_at ELSE ${until} END, lease_until = ${until}`;
const HELD = { sqlite: 'caip2 = ? AND account = ? AND owner = ?', postgres: 'caip2 = $2 AND account = $3 AND owner = $4' };
/** A process that is older than the database loses what it holds. */
const CURRENT = `NOT EXISTS (SELECT version FROM migrations WHERE version > ${KNOWN})`;
const hold = {
  sqlite: written('sqlite')(`${extended('?')} WHERE ${HELD.sqlite}`, leaseUntil, leaseUntil, caip2, account, owner),
  postgres: written('postgres')(`${extended('$1')} WHERE ${HELD.postgres} AND ${CURRENT}`, leaseUntil, caip2, account, owner),
} satisfies Record<EngineName, unknown>;

const released = (due: string) =>
  `UPDATE send_accounts SET due_at = CASE WHEN due_at < lease_until THEN due_at ELSE ${due} END, owner = '', lease_until = 0`;
const release = {
  sqlite: written('sqlite')(`${released('?')} WHERE ${HELD.sqlite}`, dueAt, caip2, account, owner),
  postgres: written('postgres')(`${released('$1')} WHERE ${HELD.postgres}`, dueAt, caip2, account, owner),
} satisfies Record<EngineName, unknown>;

const releaseAll = statement((db, p: { now: number }) =>
  db.updateTable('send_accounts').set({ owner: '', lease_until: 0, due_at: p.now }).where('owner', '>', ''),
);

type Nonces = Pick<
  SendAccount,
  'nextNonce' | 'knownNonce' | 'knownBlock' | 'messagesTaken' | 'messageLane' | 'messages' | 'waitsFor'
>;
const update = statement((db, p: AccountKey & Nonces) =>
  db
    .updateTable('send_accounts')
    .set({
      next_nonce: p.nextNonce,
      known_nonce: p.knownNonce,
      known_block: p.knownBlock,
      messages_taken: p.messagesTaken,
      message_lane: p.messageLane,
      messages: p.messages,
      waits_for: p.waitsFor,
    })
    .where('caip2', '=', p.caip2)
    .where('account', '=', p.account),
);

type NewAccount = AccountKey & Pick<SendAccount, 'kind'>;

export const sendAccountReads = (conn: Conn) => ({
  async get({ caip2, account }: AccountKey): Promise<SendAccount | undefined> {
    return get.first(conn, { caip2, account });
  },
  /** Accounts of these networks that are due and that nobody holds, those that wait longest first. */
  async due(networks: readonly string[], now: number, limit: number): Promise<AccountKey[]> {
    const found = (await Promise.all(networks.map((caip2) => due.all(conn, { caip2, now, limit })))).flat();
    return found
      .sort((a, b) => a.dueAt - b.dueAt)
      .slice(0, limit)
      .map(({ caip2, account }) => ({ caip2, account }));
  },
  /** When one of these networks' is due next. Undefined: there is none. */
  async nextDue(networks: readonly string[]): Promise<number | undefined> {
    const found = await Promise.all(networks.map((caip2) => nextDue.first(conn, { caip2 })));
    const times = found.flatMap((one) => (one === undefined ? [] : [one.dueAt]));
    return times.length === 0 ? undefined : Math.min(...times);
  },
  /** The networks on which anything was ever sent, served or not. */
  async networks(): Promise<string[]> {
    const all: string[] = [];
    for (let after = ''; ; ) {
      const next = await nextNetwork.first(conn, { after });
      if (next === undefined) return all;
      after = next.caip2;
      all.push(after);
    }
  },
});

export const sendAccountWrites = (conn: Conn) => ({
  /**
   * There is something to do for its owner, from this time on. Makes the account if it is new. On PostgreSQL its row is held until the
   * transaction ends; `in the end`: and no sooner than its last write, so that others of the account hardly wait. What takes rows that an
   * account's owner takes after its own, such as those of sponsored gas, must have the account first.
   */
  async makeDue({ caip2, account, kind }: NewAccount, at: number, _when: 'now' | 'in the end' = 'now'): Promise<void> {
    const { run } = makeDue[conn.engine];
    await run(conn, [caip2, account, kind, at]);
  },
  /** Holds an account's row until the transaction ends, whoever sends for it. Makes the account if it is new. */
  async lock({ caip2, account, kind }: NewAccount): Promise<void> {
    await lock[conn.engine].run(conn, [caip2, account, kind, NEVER]);
  },
  /** Takes an account that is due and that nobody holds. False if it is not so any more, or if this process is older than the database. */
  async claim({ caip2, account }: AccountKey, owner: string, now: number, until: number): Promise<boolean> {
    return (await claim.run(conn, { caip2, account, owner, now, until, known: KNOWN })) === 1;
  },
  /**
   * Takes an account from whoever holds it, who can write nothing of it from then on. It must be there. False if this process is older than
   * the database.
   */
  async take({ caip2, account }: AccountKey, owner: string, until: number): Promise<boolean> {
    return (await take.run(conn, { caip2, account, owner, until, known: KNOWN })) === 1;
  },
  /**
   * Renews the lease, and holds the row until the transaction ends. Every transaction of an owner begins with it: false if another has taken
   * the account meanwhile, or a newer program the database, and then nothing may be written.
   */
  async hold({ caip2, account }: AccountKey, owner: string, until: number): Promise<boolean> {
    const changed =
      conn.engine === 'sqlite'
        ? hold.sqlite.run(conn, [until, until, caip2, account, owner])
        : hold.postgres.run(conn, [until, caip2, account, owner]);
    return (await changed) === 1;
  },
  /** Gives the account back. It is due then, or at once if there is more to do already. */
  async release({ caip2, account }: AccountKey, owner: string, at: number): Promise<void> {
    await release[conn.engine].run(conn, [at, caip2, account, owner]);
  },
  /** For an engine with one process: what an earlier one held is due. */
  async releaseAll(now: number): Promise<void> {
    await releaseAll.run(conn, { now });
  },
  /** The row must be held, or read in this transaction after `makeDue`. */
  async change(seen: SendAccount, change: Partial<Nonces>): Promise<void> {
    await update.run(conn, { ...seen, ...change });
  },
});
