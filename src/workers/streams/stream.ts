import { setTimeout as pause } from 'node:timers/promises';
import { Sleep } from '../../base/sleep.ts';
import { eventId } from './open.ts';
import type { StreamPage, StreamPlace } from './pages.ts';

/** The client's side of a stream. */
export type Sink = {
  /** False: the client has to take what it has first. */
  write(bytes: Buffer | string): boolean;
  /** Resolves when the client has taken everything, or its connection has ended. */
  taken(): Promise<void>;
  end(bytes: string): void;
  /** Ends the connection without more. */
  cut(): void;
  /** Called once, when the connection ends. */
  onClose(closed: () => void): void;
};

/** Why a stream ended. */
export const STREAM_ENDS = ['time', 'revoked', 'stopping', 'slow', 'gone', 'failed'] as const;
export type StreamEnd = (typeof STREAM_ENDS)[number];

/** Proxies end connections on which nothing happens. */
const COMMENT_MS = 15_000;
/** How long a client may take for what it was sent. */
const SLOW_MS = 10_000;

/** Waits between the reads of a page that fail. A database that restarts would otherwise end all streams together. */
const RETRIES_MS = [500, 1_000, 1_500, 1_500, 1_500];

type Parts = {
  sink: Sink;
  page(place: StreamPlace, latest: number): Promise<StreamPage>;
  failed(error: unknown): void;
};

/** `isReset`: the client's last event is too old, or unknown. `isBrief`: its messages have no ids, and it cannot be resumed. */
export type StreamBeginning = StreamPlace & { isReset: boolean; isBrief: boolean };

/** One open stream. It reads a page when its client took the one before, so an unread stream costs a page. */
export class Stream {
  readonly #parts: Parts;
  readonly #sleep = new Sleep();
  readonly #place: StreamPlace;
  readonly #isBrief: boolean;
  /** Of the latest event of the organization. */
  #latest: number;
  /** The client can resume from here. */
  #told: number;
  /** It is time for a sign of life. */
  #isDue = false;
  #isWriting = false;
  #end: StreamEnd | undefined;

  constructor(parts: Parts, { isReset, isBrief, ...place }: StreamBeginning, latest: number) {
    this.#parts = parts;
    this.#isBrief = isBrief;
    this.#place = place;
    this.#latest = latest;
    this.#told = place.sequence;
    parts.sink.onClose(() => this.stop('gone'));
    parts.sink.write(this.#at(isReset ? 'reset' : 'ready'));
  }

  /** Names the event from which the stream can be resumed, if it can. */
  #at(event: 'ready' | 'reset' | 'end', data = '{}'): string {
    this.#told = this.#place.sequence;
    const id = this.#isBrief ? '' : `id: ${eventId(this.#place.organizationId, this.#place.sequence)}\n`;
    return `event: ${event}\n${id}data: ${data}\n\n`;
  }

  stop(why: StreamEnd): void {
    this.#end ??= why;
    // A client that reads slowly would hold the stream.
    if (why === 'revoked' && this.#isWriting) this.#parts.sink.cut();
    this.#sleep.wake();
  }

  /** There are events up to this sequence. */
  reach(sequence: number): void {
    if (sequence <= this.#latest) return;
    this.#latest = sequence;
    this.#sleep.wake();
  }

  /** Runs until the stream ends, and returns why. */
  async run(): Promise<StreamEnd> {
    const { sink, failed } = this.#parts;
    const timer = setInterval(() => {
      this.#isDue = true;
      this.#sleep.wake();
    }, COMMENT_MS).unref();
    try {
      while (this.#end === undefined) {
        this.#sleep.look();
        if (this.#isDue) await this.#live();
        else if (this.#place.sequence < this.#latest) await this.#send();
        else await this.#sleep.rest();
      }
    } catch (error) {
      failed(error);
      this.#end = 'failed';
    } finally {
      clearInterval(timer);
    }
    const why = this.#end!;
    if (why !== 'gone' && why !== 'slow') sink.end(this.#at('end', `{"reason":"${why}"}`));
    return why;
  }

  async #page(): Promise<StreamPage> {
    for (const ms of RETRIES_MS) {
      try {
        return await this.#parts.page(this.#place, this.#latest);
      } catch (error) {
        if (this.#end !== undefined) throw error;
        await pause(ms);
        if (this.#end !== undefined) return undefined;
      }
    }
    return this.#parts.page(this.#place, this.#latest);
  }

  async #send(): Promise<void> {
    const page = await this.#page();
    if (this.#end !== undefined) return;
    // Events that were removed meanwhile cannot be sent: the client reads the list, and goes on from here.
    this.#place.sequence = page?.to ?? this.#latest;
    if (page !== undefined && page.bytes.length > 0) this.#told = page.to;
    await this.#write(page?.bytes ?? this.#at('reset'));
  }

  /** Events of sub-organizations that the stream leaves out move its place too. */
  async #live(): Promise<void> {
    this.#isDue = false;
    await this.#write(this.#told === this.#place.sequence ? ':\n\n' : this.#at('ready'));
  }

  async #write(bytes: Buffer | string): Promise<void> {
    if (bytes.length === 0 || this.#parts.sink.write(bytes)) return;
    const late = setTimeout(() => {
      this.stop('slow');
      this.#parts.sink.cut();
    }, SLOW_MS).unref();
    this.#isWriting = true;
    await this.#parts.sink.taken();
    this.#isWriting = false;
    clearTimeout(late);
  }
}
