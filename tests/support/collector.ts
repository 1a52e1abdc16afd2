/** A collector of traces that speaks OTLP over HTTP. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

type Field = { number: number; bytes: Buffer; value: bigint };

/** The fields of a protobuf message, in order. */
function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const key = Number(varint());
    const [number, wire] = [key >> 3, key & 7];
    if (wire === 0) fields.push({ number, value: varint(), bytes: Buffer.alloc(0) });
    else {
      const length = wire === 1 ? 8 : wire === 5 ? 4 : Number(varint());
      fields.push({ number, value: 0n, bytes: message.subarray(at, at + length) });
      at += length;
    }
  }
  return fields;
}

const all = (message: Buffer, number: number): Field[] => fieldsOf(message).filter((field) => field.number === number);
const bytesOf = (message: Buffer, number: number): Buffer => all(message, number)[0]?.bytes ?? Buffer.alloc(0);
const hexOf = (message: Buffer, number: number) => bytesOf(message, number).toString('hex');

function attributesOf(message: Buffer, number: number): Record<string, string | number> {
  return Object.fromEntries(
    all(message, number).map(({ bytes }) => {
      const [value] = fieldsOf(bytesOf(bytes, 2));
      return [bytesOf(bytes, 1).toString(), value!.number === 1 ? value!.bytes.toString() : Number(value!.value)];
    }),
  );
}

export type SeenSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentId: string;
  kind: number;
  attributes: Record<string, string | number>;
  /** Ids of spans elsewhere. */
  links: string[];
  isError: boolean;
  resource: Record<string, string | number>;
};

const spanOf = (span: Buffer, resource: SeenSpan['resource']): SeenSpan => ({
  name: bytesOf(span, 5).toString(),
  traceId: hexOf(span, 1),
  spanId: hexOf(span, 2),
  parentId: hexOf(span, 4),
  kind: Number(all(span, 6)[0]?.value),
  attributes: attributesOf(span, 9),
  links: all(span, 13).map(({ bytes }) => hexOf(bytes, 2)),
  isError: Number(all(bytesOf(span, 15), 3)[0]?.value ?? 0n) === 2,
  resource,
});

const spansOf = (request: Buffer): SeenSpan[] =>
  all(request, 1).flatMap(({ bytes }) => {
    const resource = attributesOf(bytesOf(bytes, 1), 1);
    return all(bytes, 2).flatMap((scope) => all(scope.bytes, 2).map((span) => spanOf(span.bytes, resource)));
  });

export type Collector = { url: string; spans: SeenSpan[]; bodies: Buffer[]; asked(): number; close(): Promise<void> };

/** `answers`: whether it does, or keeps each request waiting. */
export async function startCollector(answers = true): Promise<Collector> {
  const [spans, bodies]: [SeenSpan[], Buffer[]] = [[], []];
  let asked = 0;
  const server = createServer(async (request, response) => {
    asked++;
    const body = await buffer(request);
    if (!answers) return;
    bodies.push(body);
    if (request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf')
      spans.push(...spansOf(body));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    asked: () => asked,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
