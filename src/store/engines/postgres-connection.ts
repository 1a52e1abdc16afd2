import { Socket } from 'node:net';
import pg from 'pg';
import { Busy } from '../../base/errors.ts';
import { endsSession, Unconfirmed } from './postgres-conditions.ts';

const INT8 = 20;

/** In milliseconds. If a router drops the connection or a machine fails, this side notices after this time and ten seconds more. */
const KEEP_ALIVE_MS = 10_000;
/** How long the server may take to close a connection that is no longer needed. */
const ENDING_MS = 1_000;

const types = new pg.TypeOverrides();
types.setTypeParser(INT8, (text: string) => Number(text));

export class Silent extends Busy {
  constructor() {
    super('the database did not answer in time');
  }
}

/** One connection to one server. Every call ends: if no answer arrives in time, the connection becomes unusable. */
export class Connection {
  /** How long the server may take to answer, in milliseconds. */
  answerMs: number;
  /** Why the connection is unusable. */
  broken: Error | undefined;
  onBroken: () => void = () => {};
  #isUnconfirmed = false;
  readonly #socket = new Socket();
  readonly #client: pg.Client;

  constructor(url: string, answerMs: number) {
    this.answerMs = answerMs;
    this.#client = new pg.Client({
      connectionString: url,
      types,
      stream: () => this.#socket,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      application_name: 'countersign',
    });
    this.#client.on('error', (error) => this.#break(error));
    // PostgreSQL reports success, with a warning, if the wait for a standby was cancelled.
    this.#client.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') this.#isUnconfirmed = true;
    });
  }

  #break(error: Error): void {
    if (this.broken !== undefined) return;
    this.broken = error;
    this.onBroken();
  }

  async #within<T>(ms: number, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.destroy(new Silent()), ms);
    try {
      return await work();
    } catch (error) {
      const why = this.broken ?? error;
      if (endsSession(error)) this.destroy(error as Error);
      throw why;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Connects, and runs the first statements. */
  open(first: string, ms: number): Promise<pg.QueryResult> {
    return this.#within(ms, async () => {
      await this.#client.connect();
      return this.#client.query(first);
    });
  }

  query(query: string | pg.QueryConfig): Promise<pg.QueryResult> {
    return this.#within(this.answerMs, async () => {
      this.#isUnconfirmed = false;
      const result = await this.#client.query(query);
      if (this.#isUnconfirmed) throw new Unconfirmed();
      return result;
    });
  }

  /** Closes the connection immediately. A statement in progress fails with this error. */
  destroy(error: Error): void {
    this.#break(error);
    this.#socket.destroy(error);
  }

  /** Call this when no statement is in progress. */
  end(): void {
    this.broken ??= new Error('the connection is closed');
    const timer = setTimeout(() => this.#socket.destroy(), ENDING_MS);
    timer.unref();
    void this.#client.end().then(() => clearTimeout(timer));
  }
}
