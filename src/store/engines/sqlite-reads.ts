import type Database from 'better-sqlite3';

/**
 * Look-ups on one connection in one turn of the event loop. They see one state of the database. A commit of this process is seen at once,
 * because a write ends the turn. One of another connection is seen from the next turn on.
 */
export type TurnOfReads = {
  /** Before each look-up. */
  begin(): void;
  /** Before a write of this process, so that the next look-up sees it. */
  end(): void;
};

/** Otherwise SQLite takes and releases a lock for each look-up. That takes as long as the look-up itself. */
export function turnOfReads(db: Database.Database): TurnOfReads {
  const [begin, commit, rollback] = [db.prepare('BEGIN'), db.prepare('COMMIT'), db.prepare('ROLLBACK')];
  let isOpen = false;
  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    try {
      // A disk failure may have ended it.
      if (db.inTransaction) commit.run();
    } catch {
      // Of a damaged page. Its look-up was told.
      if (db.inTransaction) rollback.run();
    }
  }
  return {
    begin() {
      if (isOpen) return;
      begin.run();
      isOpen = true;
      setImmediate(end);
    },
    end,
  };
}
