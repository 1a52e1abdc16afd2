import { type Conn, statement } from '../../statement.ts';
import { COUNTED, type Counted } from '../../tables/organizations.ts';

type Amounts = Record<Counted, number>;

const none = (): Amounts => Object.fromEntries(COUNTED.map(({ key }) => [key, 0])) as Amounts;

const stored = statement((db, p: { id: string }) =>
  db
    .selectFrom('organizations')
    .select((e) => COUNTED.map(({ key, name }) => e.ref(name).as(key)))
    .where('id', '=', p.id),
);
const add = statement((db, p: Amounts & { id: string }) =>
  db
    .updateTable('organizations')
    .set((e) => Object.fromEntries(COUNTED.map(({ key, name }) => [name, e(name, '+', p[key])])))
    .where('id', '=', p.id),
);

const amountsNow = (conn: Conn, id: string) => stored.first(conn, { id }) as Promise<Amounts | undefined>;

/** An organization's count of a limited resource, read outside of a transaction: it may be higher later. */
export const countedNow = async (conn: Conn, id: string, counted: Counted): Promise<number> =>
  Number((await amountsNow(conn, id))?.[counted] ?? 0);

/** Counts of each organization's limited resources. Counting the rows would take longer the more rows there are. */
export type Counts = {
  /** Every write that adds or removes a counted row calls this. */
  add(org: string, counted: Counted, more: number): void;
  /** The count as this transaction sees it. */
  get(org: string, counted: Counted): Promise<number>;
  /** Drops the changes for an organization that no longer exists. */
  forget(org: string): void;
  /** Writes the counts. Called once, at the end of the transaction. */
  write(): Promise<void>;
};

/** The counts of one transaction. */
export function countsIn(conn: Conn): Counts {
  const changes = new Map<string, Amounts>();
  /** The stored counts. Only `write` changes the row. */
  const before = new Map<string, Promise<Amounts | undefined>>();
  const amountsBefore = (org: string) => {
    const known = before.get(org) ?? amountsNow(conn, org);
    before.set(org, known);
    return known;
  };
  return {
    add(org, counted, more) {
      const amounts = changes.get(org) ?? none();
      amounts[counted] += more;
      changes.set(org, amounts);
    },
    async get(org, counted) {
      // The row of a new organization may be inserted after its users.
      return Number((await amountsBefore(org))?.[counted] ?? 0) + (changes.get(org)?.[counted] ?? 0);
    },
    forget(org) {
      changes.delete(org);
    },
    async write() {
      for (const [id, amounts] of changes) {
        if (Object.values(amounts).every((more) => more === 0)) continue;
        if ((await add.run(conn, { ...amounts, id })) !== 1) throw new Error(`no organization ${id}`);
      }
    },
  };
}
