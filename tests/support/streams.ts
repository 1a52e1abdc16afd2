import assert from 'node:assert/strict';
import type { Client } from './client.ts';
import { waitFor } from './wait.ts';

export type Message = { event: string; id: string; data: string };

export type OpenStream = {
  headers: Headers;
  /** All that came so far. */
  messages: Message[];
  /** The ids of the activities that came so far, in order. */
  activities(): string[];
  /** The id to go on from. */
  lastId(): string;
  isOpen(): boolean;
  /** Waits for a message of this kind. */
  message(event: string): Promise<Message>;
  close(): void;
};

export const STREAM = '/public/v1/stream/activities';

export async function ticketOf(client: Client, parameters: object = {}): Promise<string> {
  const { status, body, text } = await client.query('create_stream_ticket', parameters);
  assert.equal(status, 200, text);
  return body.ticket;
}

function messageOf(block: string): Message {
  const message: Message = { event: 'message', id: '', data: '' };
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === 'data') message.data += value;
    else if (name === 'event' || name === 'id') message[name] = value!;
  }
  return message;
}

/** Reads a stream as it arrives. `beside`: further headers. */
export async function readStream(url: string, beside: Record<string, string>): Promise<OpenStream> {
  const control = new AbortController();
  const response = await fetch(url, { headers: beside, signal: control.signal });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const messages: Message[] = [];
  let isOpen = true;
  const read = async () => {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of response.body!) {
      const blocks = (rest + decoder.decode(bytes as Uint8Array, { stream: true })).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) if (!block.startsWith(':')) messages.push(messageOf(block));
    }
  };
  read()
    .catch(() => {})
    .finally(() => {
      isOpen = false;
    });
  return {
    headers: response.headers,
    messages,
    activities: () => messages.filter(({ event }) => event === 'activity').map(({ data }) => JSON.parse(data).id),
    lastId: () => messages.findLast(({ id }) => id !== '')!.id,
    isOpen: () => isOpen,
    async message(event) {
      await waitFor(`event: ${event}`, () => messages.some((one) => one.event === event));
      return messages.find((one) => one.event === event)!;
    },
    close: () => control.abort(),
  };
}

/** Opens a stream with a new ticket, and waits until it has begun. */
export async function openStream(
  url: string,
  client: Client,
  { lastId, ...parameters }: { lastId?: string; subOrganizations?: boolean; brief?: boolean } = {},
) {
  const authorization = `Bearer ${await ticketOf(client, parameters)}`;
  const stream = await readStream(url + STREAM, { authorization, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) });
  await waitFor('the beginning', () => stream.messages.length > 0);
  return stream;
}
