import { Socket } from 'node:net';
import pg from 'pg';
import { Busy } from '../../base/errors.ts';
import { endsSession } from './postgres-conditions.ts';

const INT8 = 20;

/** In milliseconds. A router that forgot the connection, or a machine that is gone, is noticed after this and ten seconds more. */
const KEEP_ALIVE_MS = 10_000;
/** How long the other side may take to end a connection that both can do without. */
const ENDING_MS = 1_000;

const types = new pg.TypeOverrides();
types.setTypeParser(INT8, (text: string) => Number(text));

export class Silent extends Busy {
  constructor() {
    super('the database did not answer in time');
  }
}

/** One connection to one server. Whatever is asked of it ends: without an answer in time, it is of no use any more. */
export class Connection {
  /** In milliseconds: how long the server may take for an answer. */
  answerMs: number;
  /** Why it is of no use any more. */
  broken: Error | undefined;
  onBroken: () => void = () => {};
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
    return this.#within(this.answerMs, () => this.#client.query(query));
  }

  /** At once, whatever is under way, which ends with this error. */
  destroy(error: Error): void {
    this.#break(error);
    this.#socket.destroy(error);
  }

  /** When nothing is under way. */
  end(): void {
    this.broken ??= new Error('the connection is closed');
    const timer = setTimeout(() => this.#socket.destroy(), ENDING_MS);
    timer.unref();
    void this.#client.end().then(() => clearTimeout(timer));
  }
}
