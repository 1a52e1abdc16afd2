import type { Purpose, Signer } from '../../model/keys.ts';
import type { Schema } from '../schema.ts';
import { type Conn, statement } from '../statement.ts';

type Row = Schema['signers'];

const toSigner = (row: Row): Signer => ({
  organizationId: row.organization_id,
  parentId: row.parent_id,
  address: row.address,
  format: row.format,
  keyId: row.key_id,
  walletId: row.wallet_id,
  curve: row.curve,
  disabled: row.disabled === 1,
  position: row.position,
});

/** By key, and the addresses of a key as they were asked for; those of older databases, which did not keep that, by format. */
const inOrder = (rows: Row[]): Signer[] =>
  rows.sort((a, b) => compared(a.key_id, b.key_id) || a.position - b.position || compared(a.format, b.format)).map(toSigner);

const compared = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

const find = statement((db, p: { org: string; address: string }) =>
  db.selectFrom('signers').selectAll().where('organization_id', '=', p.org).where('address', '=', p.address),
);
/** One round trip for the signers of several requests, each with its sealed key: nothing where there is none. */
const POSTGRES_SIGNERS = `
SELECT q.n::int AS n, s.*, x.sealed, x.purpose
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS q(org, wanted, n)
JOIN signers s ON s.organization_id = q.org AND s.address = q.wanted
JOIN secrets x ON x.organization_id = q.org AND x.id = s.key_id AND x.purpose IN ('account-key', 'private-key')
ORDER BY q.n, s.disabled, s.key_id`;

export type SignerKey = { organizationId: string; address: string };

export async function signersOnPostgres(conn: Conn, asked: readonly SignerKey[]): Promise<(SealedSigner | undefined)[]> {
  const rows = (await conn.all(POSTGRES_SIGNERS, [
    asked.map((one) => one.organizationId),
    asked.map((one) => one.address),
  ])) as (Row & { n: number; sealed: Buffer; purpose: Purpose })[];
  const found = new Array<SealedSigner | undefined>(asked.length).fill(undefined);
  for (const row of rows) found[row.n - 1] ??= { signer: toSigner(row), purpose: row.purpose, sealed: row.sealed };
  return found;
}

const ofKeys = statement((db, p: { org: string }) =>
  db
    .selectFrom('signers')
    .selectAll()
    .where('organization_id', '=', p.org)
    .where('wallet_id', 'is', null)
    .where('format', '<>', '')
    .orderBy('key_id'),
);
const ofKey = statement((db, p: { org: string; key: string }) =>
  db.selectFrom('signers').selectAll().where('organization_id', '=', p.org).where('key_id', '=', p.key).where('format', '<>', ''),
);
const insert = statement((db, p: Row) =>
  db
    .insertInto('signers')
    .values({
      organization_id: p.organization_id,
      parent_id: p.parent_id,
      address: p.address,
      format: p.format,
      key_id: p.key_id,
      wallet_id: p.wallet_id,
      curve: p.curve,
      disabled: p.disabled,
      position: p.position,
    })
    .onConflict((c) => c.doNothing()),
);
const insertSecret = statement((db, p: Schema['secrets']) =>
  db.insertInto('secrets').values({ organization_id: p.organization_id, id: p.id, purpose: p.purpose, sealed: p.sealed }),
);
const removeSigners = statement((db, p: { org: string; key: string }) =>
  db.deleteFrom('signers').where('organization_id', '=', p.org).where('key_id', '=', p.key),
);
const removeSecrets = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('secrets').where('organization_id', '=', p.org).where('id', '=', p.id),
);
const disable = statement((db, p: { org: string; key: string }) =>
  db.updateTable('signers').set({ disabled: 1 }).where('organization_id', '=', p.org).where('key_id', '=', p.key),
);
const secret = statement((db, p: { org: string; id: string; purpose: string }) =>
  db
    .selectFrom('secrets')
    .select('sealed')
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id)
    .where('purpose', '=', p.purpose),
);

/** A signer with its sealed key, read together. */
export type SealedSigner = { signer: Signer; purpose: Purpose; sealed: Buffer };

export const signerReads = (conn: Conn) => ({
  /** What an address or private key id names here. Where two keys share an address, the older one that is not disabled. */
  async find(org: string, address: string): Promise<SealedSigner | undefined> {
    if (conn.engine === 'postgres') {
      return (await signersOnPostgres(conn, [{ organizationId: org, address }]))[0];
    }
    // Sorted here, where there is one row nearly always: ORDER BY makes this look-up four times as slow on SQLite.
    const [row] = (await find.all(conn, { org, address })).sort(
      (a, b) => a.disabled - b.disabled || compared(a.key_id, b.key_id),
    );
    if (row === undefined) return undefined;
    const purpose: Purpose = row.wallet_id === null ? 'private-key' : 'account-key';
    const sealed = (await secret.first(conn, { org, id: row.key_id, purpose }))?.sealed as Buffer | undefined;
    return sealed && { signer: toSigner(row), purpose, sealed };
  },
  /** The addresses of one key. */
  async ofKey(org: string, key: string): Promise<Signer[]> {
    return inOrder(await ofKey.all(conn, { org, key }));
  },
  /** The addresses of all standalone private keys, in the order of their ids. */
  async ofPrivateKeys(org: string): Promise<Signer[]> {
    return inOrder(await ofKeys.all(conn, { org }));
  },
  async sealedSecret(org: string, id: string, purpose: Purpose): Promise<Buffer | undefined> {
    return (await secret.first(conn, { org, id, purpose }))?.sealed as Buffer | undefined;
  },
});

export const signerWrites = (conn: Conn) => ({
  async insert(s: Signer): Promise<void> {
    await insert.run(conn, {
      organization_id: s.organizationId,
      parent_id: s.parentId,
      address: s.address,
      format: s.format,
      key_id: s.keyId,
      wallet_id: s.walletId,
      curve: s.curve,
      disabled: s.disabled ? 1 : 0,
      position: s.position,
    });
  },
  async insertSecret(org: string, id: string, purpose: Purpose, sealed: Buffer): Promise<void> {
    await insertSecret.run(conn, { organization_id: org, id, purpose, sealed });
  },
  /** Every address of the key, and what is sealed under its id. */
  async destroy(org: string, key: string): Promise<void> {
    await removeSigners.run(conn, { org, key });
    await removeSecrets.run(conn, { org, id: key });
  },
  async disable(org: string, key: string): Promise<void> {
    await disable.run(conn, { org, key });
  },
});
