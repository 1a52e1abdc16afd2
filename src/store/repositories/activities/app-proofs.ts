import type { AppProofs } from '../../../model/app-proof.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { appProofs } from '../../tables/app-proofs.ts';

const ofActivity = statement((db, p: { org: string; activity: string }) =>
  db.selectFrom('app_proofs').select(appProofs.all).where('organization_id', '=', p.org).where('activity_id', '=', p.activity),
);
const insert = statement((db, p: AppProofs) => db.insertInto('app_proofs').values(values(appProofs, p)));

export const appProofReads = (conn: Conn) => ({
  ofActivity: (org: string, activity: string): Promise<AppProofs | undefined> => ofActivity.first(conn, { org, activity }),
});

export const appProofWrites = (conn: Conn) => ({
  async insert(proofs: AppProofs): Promise<void> {
    await insert.run(conn, proofs);
  },
});
