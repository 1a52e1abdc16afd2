import type { Purpose, Signer } from '../../../model/keys.ts';
import { list, sought } from '../../columns.ts';
import { inLists } from '../../lists.ts';
import { type Conn, dynamic, statement, written } from '../../statement.ts';
import { type ModelOf, readerOf, selection, values } from '../../table.ts';
import { secrets, signers } from '../../tables/signers.ts';

const organizationIds = list(sought(signers.model.organizationId));
const addresses = list(signers.model.address);

/** By key, then in the requested order of addresses. By format if an older database did not store that order. */
const inOrder = (found: Signer[]): Signer[] =>
  found.sort((a, b) => compared(a.keyId, b.keyId) || a.position - b.position || compared(a.format, b.format));

const compared = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** Whether a freeze covers the signer: one of its organization, of its wallet or of its private key. */
const IS_FROZEN =
  'EXISTS (SELECT 1 FROM freezes f WHERE f.organization_id = s.organization_id AND f.id IN (s.organization_id, coalesce(s.wallet_id, s.key_id)))';

const SQLITE_SIGNER = `SELECT ${selection('s', signers)}, ${IS_FROZEN} AS frozen FROM signers s WHERE s.organization_id = ? AND s.address = ?`;
const find = written<{ frozen: number }>('sqlite')(SQLITE_SIGNER, sought(signers.model.organizationId), signers.model.address);
const signerOf = readerOf('sqlite', 's', signers);

/** One round trip for the signers of several requests, each with its sealed key. A request without a signer has no row. */
const POSTGRES_SIGNERS = `
SELECT q.n::int AS n, ${selection('s', signers)}, ${selection('x', secrets)},
  (${IS_FROZEN})::int AS frozen
FROM unnest($1::${organizationIds.postgres.type}, $2::${addresses.postgres.type}) WITH ORDINALITY AS q(org, wanted, n)
JOIN signers s ON s.organization_id = q.org AND s.address = q.wanted
JOIN secrets x ON x.organization_id = q.org AND x.id = s.key_id AND x.purpose IN ('account-key', 'private-key')
ORDER BY q.n, s.disabled, s.key_id`;

const findSeveral = written<{ n: number; frozen: number }>('postgres')(POSTGRES_SIGNERS, organizationIds, addresses);
const signerIn = readerOf('postgres', 's', signers);
const secretIn = readerOf('postgres', 'x', secrets);

export type SignerKey = { organizationId: string; address: string };

export async function signersOnPostgres(conn: Conn, asked: readonly SignerKey[]): Promise<(SealedSigner | undefined)[]> {
  const rows = await findSeveral.all(conn, [asked.map((one) => one.organizationId), asked.map((one) => one.address)]);
  const found = new Array<SealedSigner | undefined>(asked.length).fill(undefined);
  for (const row of rows) {
    const { purpose, sealed } = secretIn(row);
    found[row.n - 1] ??= { signer: signerIn(row), purpose, sealed, isFrozen: row.frozen === 1 };
  }
  return found;
}

const ofKeys = dynamic({}, (db, p: { org: string; keys: readonly string[] }) =>
  db
    .selectFrom('signers')
    .select(signers.all)
    .where('organization_id', '=', p.org)
    .where('key_id', 'in', p.keys)
    .where('format', '<>', ''),
);
const ofKey = statement((db, p: { org: string; key: string }) =>
  db
    .selectFrom('signers')
    .select(signers.all)
    .where('organization_id', '=', p.org)
    .where('key_id', '=', p.key)
    .where('format', '<>', ''),
);
const insert = statement((db, p: Signer) =>
  db
    .insertInto('signers')
    .values(values(signers, p))
    .onConflict((c) => c.doNothing()),
);
const insertSecret = statement((db, p: ModelOf<typeof secrets>) => db.insertInto('secrets').values(values(secrets, p)));
const removeSigners = statement((db, p: { org: string; key: string }) =>
  db.deleteFrom('signers').where('organization_id', '=', p.org).where('key_id', '=', p.key),
);
const removeSecrets = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('secrets').where('organization_id', '=', p.org).where('id', '=', p.id),
);
const disable = statement((db, p: { org: string; key: string }) =>
  db.updateTable('signers').set({ disabled: true }).where('organization_id', '=', p.org).where('key_id', '=', p.key),
);
const secret = statement((db, p: { org: string; id: string; purpose: Purpose }) =>
  db
    .selectFrom('secrets')
    .select('sealed')
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id)
    .where('purpose', '=', p.purpose),
);
const sealedOf = dynamic({}, (db, p: { org: string; ids: readonly string[]; purpose: Purpose }) =>
  db
    .selectFrom('secrets')
    .select(['id', 'sealed'])
    .where('organization_id', '=', p.org)
    .where('id', 'in', p.ids)
    .where('purpose', '=', p.purpose),
);

/** A signer with its sealed key, read together. */
export type SealedSigner = {
  signer: Signer;
  purpose: Purpose;
  sealed: Buffer;
  /** The organization, the wallet or the private key is frozen. */
  isFrozen: boolean;
};

const walletKeys = statement((db, p: { org: string; address: string; format: string }) =>
  db
    .selectFrom('signers')
    .select('key_id')
    .where('organization_id', '=', p.org)
    .where('address', '=', p.address)
    .where('format', '=', p.format)
    .where('wallet_id', 'is not', null)
    .limit(1),
);

export const signerReads = (conn: Conn) => ({
  /** Whether a wallet account has the address in this format. */
  async isOfWallet(org: string, address: string, format: string): Promise<boolean> {
    return (await walletKeys.first(conn, { org, address, format })) !== undefined;
  },
  /** Finds a signer by address or private key id. If keys share an address, enabled keys come first, then older ones. */
  async find(org: string, address: string): Promise<SealedSigner | undefined> {
    if (conn.engine === 'postgres') {
      return (await signersOnPostgres(conn, [{ organizationId: org, address }]))[0];
    }
    // Sorted here, because there is nearly always one row. ORDER BY makes this look-up four times as slow on SQLite.
    const [found] = (await find.all(conn, [org, address]))
      .map((row) => ({ signer: signerOf(row), isFrozen: row.frozen === 1 }))
      .sort(({ signer: a }, { signer: b }) => Number(a.disabled) - Number(b.disabled) || compared(a.keyId, b.keyId));
    if (found === undefined) return undefined;
    const { signer, isFrozen } = found;
    const purpose: Purpose = signer.walletId === null ? 'private-key' : 'account-key';
    const sealed = (await secret.first(conn, { org, id: signer.keyId, purpose }))?.sealed;
    return sealed && { signer, purpose, sealed, isFrozen };
  },
  /** The addresses of one key. */
  async ofKey(org: string, key: string): Promise<Signer[]> {
    return inOrder(await ofKey.all(conn, { org, key }));
  },
  /** The addresses of each of these keys. */
  async ofKeys(org: string, keys: readonly string[]): Promise<Map<string, Signer[]>> {
    const found = await inLists(keys, (some) => ofKeys.all(conn, { org, keys: some }));
    return Map.groupBy(inOrder(found), ({ keyId }) => keyId);
  },
  async sealedSecret(org: string, id: string, purpose: Purpose): Promise<Buffer | undefined> {
    return (await secret.first(conn, { org, id, purpose }))?.sealed;
  },
  /** The same of each of these ids, by id. */
  async sealedSecrets(org: string, ids: readonly string[], purpose: Purpose): Promise<Map<string, Buffer>> {
    const found = await inLists(ids, (some) => sealedOf.all(conn, { org, ids: some, purpose }));
    return new Map(found.map(({ id, sealed }) => [id, sealed]));
  },
});

export const signerWrites = (conn: Conn) => ({
  async insert(s: Signer): Promise<void> {
    await insert.run(conn, s);
  },
  async insertSecret(org: string, id: string, purpose: Purpose, sealed: Buffer): Promise<void> {
    await insertSecret.run(conn, { organizationId: org, id, purpose, sealed });
  },
  /** Removes every address of the key, and the secrets sealed under its id. */
  async destroy(org: string, key: string): Promise<void> {
    await removeSigners.run(conn, { org, key });
    await removeSecrets.run(conn, { org, id: key });
  },
  async disable(org: string, key: string): Promise<void> {
    await disable.run(conn, { org, key });
  },
});
