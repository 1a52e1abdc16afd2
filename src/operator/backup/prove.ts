import { snakeCase } from '../../base/names.ts';
import { wipe } from '../../crypto/plain-key.ts';
import type { Envelope } from '../../custody/envelope.ts';
import type { SecretName, TextVault } from '../../custody/types.ts';
import { bodyOf } from '../../engine/activity/sealed.ts';
import { fingerprintOf } from '../../engine/request/context.ts';
import { apiKeyVerifier } from '../../login/stamps/api-key.ts';
import { isSealed } from '../../model/activity.ts';
import { digestText, hexText } from '../../store/compact.ts';
import { type CopiedRow, type CopiedTable, copiedTable } from '../../store/copy/columns.ts';
import type { Snapshot } from '../../store/copy/snapshot.ts';
import { SEALED_PLACES, type SealedPlace } from '../../store/sealed/places.ts';
import { sealedIn } from '../../store/sealed/sealed-format.ts';
import { tables } from '../../store/tables/index.ts';
import type { Progress } from './progress.ts';

/** The activities, from the newest, whose stamps are verified. */
const NEWEST = 1000;

/** What was found in a database: the numbers of what was examined, and a sentence about each fault. */
export type Proof = {
  rows: Record<string, number>;
  secrets: number;
  fingerprints: number;
  stamps: number;
  /** Of the newest activities, those by passkeys and other means, whose stamps need more than the row. */
  otherStamps: number;
  newestActivity: number | null;
  faults: string[];
};

type Row = Record<string, string | number | null>;

const rowOf = ({ columns }: CopiedTable, row: CopiedRow): Row => Object.fromEntries(columns.map(([name], i) => [name, row[i]!]));

const bytesIn = (value: string | number | null | undefined): Buffer => Buffer.from(String(value), 'base64');
const place = (row: Row) => ({ organizationId: String(row.organization_id), id: String(row.id) });

type Parts = { envelope: Envelope; texts: TextVault; proof: Proof };

/** The fault of one thing is enough to know. The text has no content of the row. */
const LISTED = 20;
function fault({ faults }: Proof, text: string): void {
  if (faults.length < LISTED) faults.push(text);
}

/** What a rotation of the master keys seals anew is what must open. */
const PLACES = Map.groupBy(SEALED_PLACES, ({ table }) => table.name);

/** The sealed secret of a place in a row; undefined if the value is in clear. A column of secrets has nothing in clear. */
function sealedOf({ table, column }: SealedPlace, value: string | number): Buffer | undefined {
  const { holds } = table.model[column];
  if (holds === 'sealed') return bytesIn(value);
  return sealedIn(holds, holds === 'text' ? value : bytesIn(value));
}

const opens = (envelope: Envelope, name: SecretName, sealed: Buffer): boolean => {
  try {
    wipe(envelope.open(name, sealed));
    return true;
  } catch {
    return false;
  }
};

function openRow({ envelope, proof }: Parts, table: string, row: Row): void {
  for (const place of PLACES.get(table) ?? []) {
    const value = row[snakeCase(place.column)];
    const sealed = value === null || value === undefined ? undefined : sealedOf(place, value);
    if (sealed === undefined) continue;
    proof.secrets += 1;
    const named = Object.fromEntries([...place.key, ...place.reads].map((name) => [name, String(row[snakeCase(name)])]));
    if (!opens(envelope, place.name(named), sealed))
      fault(proof, `${table}: the secret of ${row.id ?? row.name ?? row.kid} does not open`);
  }
}

function checkActivity({ proof }: Parts, row: Row): void {
  const body = bytesIn(row.body);
  proof.fingerprints += 1;
  if (!isSealed(body) && fingerprintOf(body) !== digestText(bytesIn(row.fingerprint)))
    fault(proof, `the body of activity ${row.id} is not that of its fingerprint`);
}

function examine(parts: Parts, table: string, row: Row): void {
  openRow(parts, table, row);
  if (table === 'activities' || table === 'archived_activities') checkActivity(parts, row);
}

/** The stamps of the newest activities, over their bodies as they were signed. */
async function checkStamps(snapshot: Snapshot, { texts, proof }: Parts): Promise<void> {
  const table = copiedTable(tables.activities);
  const { normalize, verify } = apiKeyVerifier();
  for await (const values of snapshot.rows(table, NEWEST)) {
    const row = rowOf(table, values);
    proof.newestActivity ??= Number(row.created_at);
    const stamp = {
      scheme: String(row.scheme),
      publicKey: hexText(bytesIn(row.public_key)),
      signature: hexText(bytesIn(row.signature)),
    };
    if (normalize(stamp as never) === undefined) {
      proof.otherStamps += 1;
      continue;
    }
    proof.stamps += 1;
    const isValid = await (async () =>
      verify(stamp as never, bodyOf({ texts }, { ...place(row), body: bytesIn(row.body) }), false))().catch(() => false);
    if (!isValid) fault(proof, `the stamp of activity ${row.id} does not verify`);
  }
}

/** Reads all of a database: counts its rows, opens every secret, and verifies bodies and stamps. */
export async function prove(snapshot: Snapshot, envelope: Envelope, texts: TextVault, progress: Progress): Promise<Proof> {
  const proof: Proof = { rows: {}, secrets: 0, fingerprints: 0, stamps: 0, otherStamps: 0, newestActivity: null, faults: [] };
  const parts = { envelope, texts, proof };
  for (const table of Object.values(tables).map(copiedTable)) {
    let count = 0;
    for await (const row of snapshot.rows(table)) {
      count += 1;
      progress.stopped.throwIfAborted();
      progress.row(table.name);
      examine(parts, table.name, rowOf(table, row));
    }
    proof.rows[table.name] = count;
  }
  await checkStamps(snapshot, parts);
  return proof;
}
