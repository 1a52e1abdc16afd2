import type { Trace } from '../engine/ports.ts';

/** The client's side of an answer that goes on. */
export type StreamSink = {
  write(bytes: Buffer | string): boolean;
  taken(): Promise<void>;
  end(bytes: string): void;
  cut(): void;
  onClose(closed: () => void): void;
};

export type StreamRequest = { ticket: string | undefined; lastEventId: string | undefined; address: string | undefined };

/** Uses the ticket of a request up. `begin`: for when the answer's head was sent. */
export type OpenStream = (request: StreamRequest, trace: Trace) => Promise<{ begin(sink: StreamSink): void }>;
