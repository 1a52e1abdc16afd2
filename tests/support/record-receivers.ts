import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createServer as createTls } from 'node:tls';
import { certificate, key } from '../outbound/certificate.ts';

/** A line that a receiver took. */
export type Taken = { id: string; activity: { id: string; organizationId: string; status: string; votes: unknown[] } };

/** `taken`: the lines in the order of their arrival. `down` closes all connections, and `up` listens on the same port again. */
export type RecordReceiver = {
  port: number;
  taken: Taken[];
  down(): Promise<void>;
  up(): Promise<void>;
  /** From now on it takes connections, and neither reads nor answers. */
  hang(): void;
};

async function listening(server: Server, sockets: Set<Socket>): Promise<Pick<RecordReceiver, 'port' | 'down' | 'up'>> {
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    up: () => listen(port),
    async down() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

const HEADER = /^<(\d+)>1 (\S+) (\S+) countersign - record - ([\s\S]*)$/;

/** Frames of RFC 6587, each an RFC 5424 message. Gives those that are whole, and the rest. */
function framesIn(bytes: Buffer): { lines: Taken[]; rest: Buffer } {
  const lines: Taken[] = [];
  for (let rest = bytes; ; ) {
    const [whole = '', length = '0'] = /^(\d{1,8}) /.exec(rest.toString('latin1', 0, 9)) ?? [];
    const end = whole.length + Number(length);
    if (whole === '' || rest.length < end) return { lines, rest };
    const message = HEADER.exec(rest.toString('utf8', whole.length, end));
    if (message === null || message[1] !== '110' || Number.isNaN(Date.parse(message[2]!))) throw new Error('no syslog message');
    lines.push(JSON.parse(message[4]!));
    rest = rest.subarray(end);
  }
}

/** A syslog server that parses as it reads. It takes a line when it is whole. */
export async function startSyslog({ tls = false } = {}): Promise<RecordReceiver> {
  const taken: Taken[] = [];
  const sockets = new Set<Socket>();
  let isHanging = false;
  const onSocket = (socket: Socket) => {
    if (isHanging) return void socket.pause();
    let rest: Buffer = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (part) => {
      const found = framesIn(Buffer.concat([rest, part]));
      rest = found.rest;
      taken.push(...found.lines);
    });
  };
  const options = { cert: certificate, key, allowHalfOpen: false };
  const server = tls ? createTls(options, onSocket) : createServer({ allowHalfOpen: false }, onSocket);
  return {
    taken,
    ...(await listening(server, sockets)),
    hang() {
      isHanging = true;
    },
  };
}

type Exported = { resourceLogs: { scopeLogs: { logRecords: { body: { stringValue: string }; attributes: Attribute[] }[] }[] }[] };
type Attribute = { key: string; value: { stringValue: string } };

/** A log receiver of OpenTelemetry. `refuse`: the answer to a request, in place of taking it. */
export async function startOtlp() {
  const taken: Taken[] = [];
  let isHanging = false;
  let refuse: (() => { status: number; body: string } | undefined) | undefined;
  const headers: Record<string, unknown>[] = [];
  const server = createHttp(async (request, response) => {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined || isHanging) return;
    headers.push({ ...request.headers, url: request.url });
    const refused = refuse?.();
    if (refused !== undefined) return void response.writeHead(refused.status).end(refused.body);
    const { resourceLogs } = JSON.parse(body.toString()) as Exported;
    for (const { body, attributes } of resourceLogs.flatMap((one) => one.scopeLogs.flatMap(({ logRecords }) => logRecords))) {
      const line = JSON.parse(body.stringValue) as Taken;
      if (attributes.find((one) => one.key === 'log.record.uid')?.value.stringValue !== line.id) throw new Error('another id');
      taken.push(line);
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}');
  });
  const listens = await listening(server, new Set<Socket>());
  return {
    ...{ taken, headers, ...listens },
    hang() {
      isHanging = true;
    },
    refuse(by: typeof refuse) {
      refuse = by;
    },
  };
}
