import type { BootProof } from '../../../model/app-proof.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { bootProofs } from '../../tables/app-proofs.ts';

const get = statement((db, p: { publicKey: string }) =>
  db.selectFrom('boot_proofs').select(bootProofs.all).where('public_key', '=', p.publicKey),
);
const latest = statement((db, p: { app: string }) =>
  db.selectFrom('boot_proofs').select(bootProofs.all).where('app_name', '=', p.app).orderBy('created_at', 'desc').limit(1),
);
/** A process repeats it if it cannot know whether the first attempt was committed. */
const insert = statement((db, p: BootProof) =>
  db
    .insertInto('boot_proofs')
    .values(values(bootProofs, p))
    .onConflict((c) => c.column('public_key').doNothing()),
);

/** Boot proofs belong to no organization: every user may ask for them. */
export const bootProofReads = (conn: Conn) => ({
  get: (publicKey: string): Promise<BootProof | undefined> => get.first(conn, { publicKey }),
  latest: (app: string): Promise<BootProof | undefined> => latest.first(conn, { app }),
});

export const bootProofWrites = (conn: Conn) => ({
  async insert(proof: BootProof): Promise<void> {
    await insert.run(conn, proof);
  },
});
