import type { SecretTarget } from '../../../model/secret.ts';
import { inLists } from '../../lists.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { secretTargets } from '../../tables/secrets.ts';
import type { Upkeep } from '../upkeep.ts';

const byPublicKeys = dynamic({}, (db, p: { org: string; publicKeys: readonly string[] }) =>
  db
    .selectFrom('secret_targets')
    .select(secretTargets.all)
    .where('organization_id', '=', p.org)
    .where('public_key', 'in', p.publicKeys),
);
const insert = statement((db, p: SecretTarget) => db.insertInto('secret_targets').values(values(secretTargets, p)));
const use = statement((db, p: { org: string; publicKey: string }) =>
  db.deleteFrom('secret_targets').where('organization_id', '=', p.org).where('public_key', '=', p.publicKey),
);
const sweep = statement((db, p: { org: string; now: number }) =>
  db.deleteFrom('secret_targets').where('organization_id', '=', p.org).where('expires_at', '<=', p.now),
);

export const secretTargetReads = (conn: Conn) => ({
  /** The targets with these public keys, in no order. */
  async byPublicKeys(org: string, publicKeys: readonly string[]): Promise<SecretTarget[]> {
    return inLists(publicKeys, (some) => byPublicKeys.all(conn, { org, publicKeys: some }));
  },
});

/** An open target counts as a secret. So an import needs no room of its own. */
export const secretTargetWrites = (conn: Conn, { counts }: Upkeep) => ({
  async insert(target: SecretTarget): Promise<void> {
    await insert.run(conn, target);
    counts.add(target.organizationId, 'secretCount', 1);
  },
  /** Removes the target. False if it was already used, or expired and was removed. */
  async use(org: string, publicKey: string): Promise<boolean> {
    if ((await use.run(conn, { org, publicKey })) === 0) return false;
    counts.add(org, 'secretCount', -1);
    return true;
  },
  /** Removes the organization's expired targets. */
  async sweep(org: string, now: number): Promise<void> {
    counts.add(org, 'secretCount', -(await sweep.run(conn, { org, now })));
  },
});
