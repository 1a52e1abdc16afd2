export type ServerSentEvent = { event: string; id: string; data: string };

/** Bytes of a message that never ends would fill the memory. An activity has a few megabytes at most. */
const LONGEST = 64 * 1024 * 1024;

/** The messages of a stream of server-sent events (HTML, 9.2), without comments. `heard`: called for each piece that arrives. */
export async function* serverSentEvents(body: AsyncIterable<Uint8Array>, heard: () => void): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let id = '';
  let event = '';
  let data: string[] = [];
  for await (const bytes of body) {
    heard();
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop()!;
    if (rest.length + data.reduce((sum, { length }) => sum + length, 0) > LONGEST) throw new Error('a message is too long');
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { event: event || 'message', id, data: data.join('\n') };
        event = '';
        data = [];
        continue;
      }
      const colon = line.indexOf(':');
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (name === 'data') data.push(value);
      else if (name === 'event') event = value;
      else if (name === 'id') id = value;
    }
  }
}
