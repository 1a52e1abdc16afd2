/**
 * The floor: the least a durable signing service can do for a request, and nothing else. No policies, no organizations, no
 * idempotency, no checks of the body. What a request makes, such as a session, gets a row that later requests could look up. The
 * difference to the service is the price of the service's work; bench/run.ts compares.
 *
 *   node bench/floor.ts --port=P --data-dir=D --public-key=HEX [--database-url=URL] [--create-table]
 *                       [--work=secp256k1] [--answer-bytes=N] [--verify=sync|async] [--writer=main|thread]
 *                       [--keccak=javascript|wasm]
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  type KeyObject,
  randomBytes,
  randomUUID,
  verify,
} from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { postgresStore, sqliteStore, sqliteThreadStore } from './floor-store.ts';
import { hashByWebAssembly, type Parameters, workNamed } from './floor-works.ts';
import { importPublicKey } from './stamp.ts';

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'data-dir': { type: 'string', default: '.' },
    'public-key': { type: 'string', default: '' },
    'database-url': { type: 'string' },
    'create-table': { type: 'boolean', default: false },
    'answer-bytes': { type: 'string', default: '2200' },
    work: { type: 'string', default: 'secp256k1' },
    verify: { type: 'string', default: 'sync' },
    writer: { type: 'string', default: 'main' },
    keccak: { type: 'string', default: 'javascript' },
  },
});

const ROW_BYTES = 2048;
const answerBytes = Number(options['answer-bytes']);
const stampKeys = new Map<string, KeyObject>([[options['public-key'], importPublicKey(options['public-key'])]]);

const url = options['database-url'];
const store =
  url !== undefined
    ? await postgresStore(url, options['create-table'])
    : (options.writer === 'thread' ? sqliteThreadStore : sqliteStore)(options['data-dir']);

if (options.keccak === 'wasm') await hashByWebAssembly();
const work = workNamed(options.work);
/** One signing key, sealed as the service keeps it: opened again for every request. */
const sealing = createSecretKey(randomBytes(32));
const nonce = randomBytes(12);
const context = Buffer.from(randomUUID());
const sealed = (() => {
  const cipher = createCipheriv('aes-256-gcm', sealing, nonce, { authTagLength: 16 });
  cipher.setAAD(context);
  return { bytes: Buffer.concat([cipher.update(work.key), cipher.final()]), tag: cipher.getAuthTag() };
})();

function sealKey(key: Buffer): Buffer {
  const own = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealing, own, { authTagLength: 16 });
  cipher.setAAD(context);
  return Buffer.concat([own, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
}

function openKey(): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', sealing, nonce, { authTagLength: 16 });
  decipher.setAAD(context);
  decipher.setAuthTag(sealed.tag);
  const key = decipher.update(sealed.bytes);
  decipher.final();
  return key;
}

type Verify = (body: Buffer, key: KeyObject, signature: Buffer) => boolean | Promise<boolean>;
const verifyStamp: Verify =
  options.verify === 'async'
    ? (body, key, signature) =>
        new Promise((resolve, reject) => {
          verify('sha256', body, key, signature, (error, valid) => (error ? reject(error) : resolve(valid)));
        })
    : (body, key, signature) => verify('sha256', body, key, signature);

function uuidV7(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

const paddings = new Map<number, string>();
function padding(length: number): string {
  let text = paddings.get(length);
  if (text === undefined) {
    text = 'x'.repeat(Math.max(0, length));
    paddings.set(length, text);
  }
  return text;
}

type Stamp = { publicKey: string; scheme: string; signature: string };
type Body = { type: string; timestampMs: string; organizationId: string; parameters: Parameters };

async function sign(bytes: Buffer, header: string): Promise<string | undefined> {
  const text = bytes.toString('utf8');
  const body = JSON.parse(text) as Body;
  const fingerprint = hash('sha256', bytes, 'hex');
  const stamp = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as Stamp;
  const stampKey = stampKeys.get(stamp.publicKey);
  if (stampKey === undefined) return undefined;
  const valid = verifyStamp(bytes, stampKey, Buffer.from(stamp.signature, 'hex'));
  if (!(typeof valid === 'boolean' ? valid : await valid)) return undefined;

  const made = work.run(body.parameters, openKey, sealKey);
  const result = made instanceof Promise ? await made : made;

  const id = uuidV7();
  const stored = JSON.stringify(result);
  const used = id.length + body.organizationId.length + fingerprint.length + bytes.length + header.length + stored.length;
  const found = work.makes?.(body.parameters, result, { id, organizationId: body.organizationId }) ?? [];
  await store.append([id, body.organizationId, fingerprint, text, header, stored + padding(ROW_BYTES - used)], found);

  const { organizationId, type, parameters } = body;
  const activity = { id, organizationId, status: 'ACTIVITY_STATUS_COMPLETED', type, intent: parameters, result, fingerprint };
  const answer = JSON.stringify({ activity, padding: '' });
  return `${answer.slice(0, -2)}${padding(answerBytes - answer.length)}"}`;
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'GET') {
    reply(response, 200, '{}');
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    sign(bytes, String(request.headers['x-stamp'])).then(
      (answer) =>
        answer === undefined ? reply(response, 401, '{"message":"the stamp does not hold"}') : reply(response, 200, answer),
      (error: unknown) => reply(response, 500, JSON.stringify({ message: String(error) })),
    );
  });
}

const server = createServer(serve);
server.listen(Number(options.port), '127.0.0.1');
process.on('SIGTERM', () => {
  server.closeAllConnections();
  server.close(() => void store.close().then(() => process.exit(0)));
});
