import { type AccountKey, NEVER, type SendAccount } from '../../../model/send.ts';
import type { EngineName } from '../../columns.ts';
import { KNOWN } from '../../migrations/known.ts';
import { type Conn, statement, written } from '../../statement.ts';
import { sendAccounts } from '../../tables/sends.ts';

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

const INSERT = `INSERT INTO send_accounts (caip2, account, kind, messages_taken, message_lane, messages, waits_for, owner, lease_until, due_at)`;
/** Does not touch an account that is due already, so that no transaction waits for its owner. */
const SOONER = `ON CONFLICT (caip2, account) DO UPDATE SET due_at = excluded.due_at WHERE send_accounts.due_at > excluded.due_at`;
const makeDue = {
  sqlite: written('sqlite')(`${INSERT} VALUES (?, ?, ?, 0, '', 0, '', '', 0, ?) ${SOONER}`, caip2, account, kind, dueAt),
  postgres: written('postgres')(`${INSERT} VALUES ($1, $2, $3, 0, '', 0, '', '', 0, $4) ${SOONER}`, caip2, account, kind, dueAt),
} satisfies Record<EngineName, unknown>;

const LOCKED = 'ON CONFLICT (caip2, account) DO UPDATE SET messages = send_accounts.messages';
const lock = {
  sqlite: written('sqlite')(`${INSERT} VALUES (?, ?, ?, 0, '', 0, '', '', 0, ?) ${LOCKED}`, caip2, account, kind, dueAt),
  postgres: written('postgres')(`${INSERT} VALUES ($1, $2, $3, 0, '', 0, '', '', 0, $4) ${LOCKED}`, caip2, account, kind, dueAt),
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

/** While an account has an owner, it is due when the lease ends. An earlier due time was set meanwhile, and stays. */
const extended = (until: string) =>
  `UPDATE send_accounts SET due_at = CASE WHEN due_at < lease_until THEN due_at ELSE ${until} END, lease_until = ${until}`;
const HELD = { sqlite: 'caip2 = ? AND account = ? AND owner = ?', postgres: 'caip2 = $2 AND account = $3 AND owner = $4' };
/** A process that is older than the database's schema loses its leases. */
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
  /** Accounts of these networks that are due and have no owner. The accounts that have waited longest come first. */
  async due(networks: readonly string[], now: number, limit: number): Promise<AccountKey[]> {
    const found = (await Promise.all(networks.map((caip2) => due.all(conn, { caip2, now, limit })))).flat();
    return found
      .sort((a, b) => a.dueAt - b.dueAt)
      .slice(0, limit)
      .map(({ caip2, account }) => ({ caip2, account }));
  },
  /** When the next account of these networks is due. Undefined: there is none. */
  async nextDue(networks: readonly string[]): Promise<number | undefined> {
    const found = await Promise.all(networks.map((caip2) => nextDue.first(conn, { caip2 })));
    const times = found.flatMap((one) => (one === undefined ? [] : [one.dueAt]));
    return times.length === 0 ? undefined : Math.min(...times);
  },
  /** All networks with a send, whether they are served or not. */
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
   * Makes the account due at this time, because its owner has work. Creates the account if it is new. On PostgreSQL its row is locked
   * until the transaction ends. With `in the end` the row is written last in the transaction, so that other transactions of the account
   * hardly wait. An owner locks its account's row first, and then other rows, such as those of sponsored gas. A transaction that locks
   * such rows must lock the account before them.
   */
  async makeDue({ caip2, account, kind }: NewAccount, at: number, _when: 'now' | 'in the end' = 'now'): Promise<void> {
    const { run } = makeDue[conn.engine];
    await run(conn, [caip2, account, kind, at]);
  },
  /** Locks an account's row until the transaction ends, regardless of its owner. Creates the account if it is new. */
  async lock({ caip2, account, kind }: NewAccount): Promise<void> {
    await lock[conn.engine].run(conn, [caip2, account, kind, NEVER]);
  },
  /** Claims an account that is due and has no owner. False if it is no longer so, or if this process is older than the database's schema. */
  async claim({ caip2, account }: AccountKey, owner: string, now: number, until: number): Promise<boolean> {
    return (await claim.run(conn, { caip2, account, owner, now, until, known: KNOWN })) === 1;
  },
  /**
   * Takes an account from its owner, which cannot write to it from then on. The account must exist. False if this process is older than
   * the database's schema.
   */
  async take({ caip2, account }: AccountKey, owner: string, until: number): Promise<boolean> {
    return (await take.run(conn, { caip2, account, owner, until, known: KNOWN })) === 1;
  },
  /**
   * Renews the lease, and locks the row until the transaction ends. Every transaction of an owner begins with it. False if another
   * process has taken the account meanwhile, or a newer program has migrated the database. Then nothing may be written.
   */
  async hold({ caip2, account }: AccountKey, owner: string, until: number): Promise<boolean> {
    const changed =
      conn.engine === 'sqlite'
        ? hold.sqlite.run(conn, [until, until, caip2, account, owner])
        : hold.postgres.run(conn, [until, caip2, account, owner]);
    return (await changed) === 1;
  },
  /** Releases the account. It is due at this time, or immediately if there is more work already. */
  async release({ caip2, account }: AccountKey, owner: string, at: number): Promise<void> {
    await release[conn.engine].run(conn, [at, caip2, account, owner]);
  },
  /** For an engine with one process: accounts of an earlier process become due. */
  async releaseAll(now: number): Promise<void> {
    await releaseAll.run(conn, { now });
  },
  /** The row must be locked, or read in this transaction after `makeDue`. */
  async change(seen: SendAccount, change: Partial<Nonces>): Promise<void> {
    await update.run(conn, { ...seen, ...change });
  },
});
