/** Events on disk: each is kept once, before it is answered, and handled after that. */
import { DatabaseSync } from 'node:sqlite';

/** The service sends nothing that is older (37 days). */
const KEPT_MS = 40 * 86_400_000;

export type Stored = { id: string; body: string };

export type Inbox = {
  /** False if the event is there already. It is on disk when this returns. */
  add(id: string, body: Uint8Array): boolean;
  /** The oldest event that was not handled. */
  next(): Stored | undefined;
  handled(id: string): void;
  close(): void;
};

export function inboxAt(path: string, now: () => number = Date.now): Inbox {
  const db = new DatabaseSync(path);
  // Each commit waits for the disk: SQLite's default, which this example needs.
  db.exec(`PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS events (n INTEGER PRIMARY KEY, id TEXT UNIQUE, body TEXT, arrived INTEGER, handled INTEGER);
    CREATE INDEX IF NOT EXISTS unhandled ON events (n) WHERE handled IS NULL;
    CREATE INDEX IF NOT EXISTS by_arrival ON events (arrived) WHERE handled IS NOT NULL;`);
  const add = db.prepare('INSERT INTO events (id, body, arrived) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING');
  const next = db.prepare('SELECT id, body FROM events WHERE handled IS NULL ORDER BY n LIMIT 1');
  // The id is kept, so that a repetition is known. The body is not needed any more.
  const handled = db.prepare("UPDATE events SET handled = ?, body = '' WHERE id = ?");
  const sweep = db.prepare('DELETE FROM events WHERE handled IS NOT NULL AND arrived < ?');
  return {
    add: (id, body) => add.run(id, Buffer.from(body).toString(), now()).changes === 1,
    next: () => next.get() as Stored | undefined,
    handled(id) {
      handled.run(now(), id);
      sweep.run(now() - KEPT_MS);
    },
    close: () => db.close(),
  };
}
