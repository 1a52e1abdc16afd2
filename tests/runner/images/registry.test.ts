import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { parseAllowed } from '../../../src/outbound/allowed.ts';
import { guardedDownloads } from '../../../src/outbound/guard.ts';
import { extractExecutable } from '../../../src/runner/images/executable.ts';
import { parseReference } from '../../../src/runner/images/reference.ts';
import { type Registry, registryOf } from '../../../src/runner/images/registry.ts';

const OCI = 'application/vnd.oci.image';
const APP = Buffer.concat([Buffer.from('\x7fELF'), randomBytes(70_000)]);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

type Entry = { path: string; content?: Buffer; type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link'; linkpath?: string };

function tarOf(...entries: Entry[]): Buffer {
  const blocks = entries.flatMap(({ path, content = Buffer.alloc(0), type = 'File', linkpath }) => {
    const header = new Header({ path, type, size: content.length, mode: 0o755, ...(linkpath ? { linkpath } : {}) });
    const block = Buffer.alloc(512);
    header.encode(block, 0);
    return [block, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** A registry on this machine, with one repository. */
const blobs = new Map<string, Buffer>();
let special: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
const asked: { path: string; authorization: string | undefined }[] = [];
const servers: Server[] = [];
async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let host: string;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-images-'));
  host = await listen((request, response) => {
    asked.push({ path: request.url!, authorization: request.headers.authorization });
    if (special?.(request, response)) return;
    const found = blobs.get(request.url!.split('/').at(-1)!);
    response.statusCode = found ? 200 : 404;
    response.end(found);
  });
});
beforeEach(() => {
  special = undefined;
  blobs.clear();
  asked.length = 0;
});
after(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

const put = (bytes: Buffer): string => {
  const digest = `sha256:${sha256(bytes)}`;
  blobs.set(digest, bytes);
  return digest;
};
/** An index, an image for linux/amd64, and layers, the lowest first. */
function publish(...layers: (Buffer | object)[]): string {
  const described = layers.map((layer) => {
    if (!Buffer.isBuffer(layer)) return layer;
    const bytes = gzipSync(layer);
    return { mediaType: `${OCI}.layer.v1.tar+gzip`, digest: put(bytes), size: bytes.length };
  });
  const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: `${OCI}.manifest.v1+json`, layers: described }));
  const platform = { os: 'linux', architecture: 'amd64' };
  const other = { digest: `sha256:${'0'.repeat(64)}`, platform: { os: 'linux', architecture: 'arm64' } };
  const index = Buffer.from(JSON.stringify({ manifests: [other, { digest: put(manifest), platform }] }));
  blobs.set('latest', index);
  return put(index);
}

const open = (allow = host, bounds = {}) =>
  registryOf(
    guardedDownloads({ allowed: parseAllowed(allow), bounds: { bytes: 1e9, ...bounds } }),
    parseReference(`${host}/team/app`)!,
    {
      payer: 'payer',
    },
  );
let files = 0;
const extract = async (path = '/bin/app', budget?: { left: number }) => {
  const registry = open();
  const target = join(folder, String(++files));
  try {
    const executable = await extractExecutable(registry, await registry.image(), path, target, budget);
    return { ...executable, file: readFileSync(target) };
  } catch (error) {
    assert.ok(!existsSync(target), 'no file is left');
    throw error;
  }
};
const refuses = (work: Promise<unknown>, message: RegExp) => assert.rejects(work, { name: 'OutboundError', message });

test('names are read as container tools write them', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const of = (text: string) => Object.values(parseReference(text) ?? {});
  assert.deepEqual(of('alpine'), ['https://registry-1.docker.io', 'library/alpine', 'latest']);
  assert.deepEqual(of('ghcr.io/a/b:1.2'), ['https://ghcr.io', 'a/b', '1.2']);
  assert.deepEqual(of(`localhost:5000/b:x@${digest}`), ['http://localhost:5000', 'b', digest]);
  assert.deepEqual(of('example.com:8443/b'), ['https://example.com:8443', 'b', 'latest']);
  const wrong = [
    '',
    'A',
    'a b',
    'a/../b',
    'https://ghcr.io/a',
    'u:p@ghcr.io/a',
    'a@sha256:00',
    'a:b:c',
    '../a',
    'ghcr.io//a',
    'a?b',
    'a#b',
  ];
  for (const text of [...wrong, `a@${digest}@${digest}`, 'a'.repeat(513)]) assert.equal(parseReference(text), undefined, text);
});

test('an image is resolved, and its executable is extracted from the topmost layer that has it', async () => {
  const digest = publish(
    tarOf({ path: 'bin', type: 'Directory' }, { path: 'bin/app', content: Buffer.from('older') }),
    tarOf({ path: './bin/app', content: Buffer.from('first') }, { path: './bin/app', content: APP }),
    tarOf({ path: 'etc/other', content: randomBytes(10) }),
  );
  assert.equal((await open().image()).digest, digest);
  const { file, ...executable } = await extract();
  assert.deepEqual(executable, { digest: sha256(APP), bytes: APP.length });
  assert.ok(file.equals(APP));
  const blobsAsked = asked.filter(({ path }) => path.includes('/blobs/'));
  assert.equal(blobsAsked.length, 2, 'the lowest layer is not fetched');
});

test('whiteouts hide what is in layers below, and nothing in their own', async () => {
  const lower = tarOf({ path: 'bin/app', content: APP });
  for (const path of ['bin/.wh.app', '.wh.bin', 'bin/.wh..wh..opq', '.wh..wh..opq']) {
    publish(lower, tarOf({ path }));
    await refuses(extract(), /^\/bin\/app is not in it$/);
    publish(lower, tarOf({ path }, { path: 'bin/app', content: Buffer.from('own') }));
    assert.equal((await extract()).file.toString(), 'own');
  }
  publish(lower, tarOf({ path: 'bin/.wh.application' }, { path: 'etc/.wh..wh..opq' }));
  assert.ok((await extract()).file.equals(APP));
});

test('links and paths that lead elsewhere are refused', async () => {
  const real = tarOf({ path: 'real', content: APP });
  publish(real, tarOf({ path: 'bin/app', type: 'SymbolicLink', linkpath: '/real' }));
  await refuses(extract(), /is a link or a folder, not a file/);
  publish(real, tarOf({ path: 'bin/app', type: 'Link', linkpath: 'real' }));
  await refuses(extract(), /is a link or a folder, not a file/);
  publish(real, tarOf({ path: 'bin', type: 'SymbolicLink', linkpath: '/' }));
  await refuses(extract('/bin/real'), /\/bin in it is a link or a file/);
  publish(tarOf({ path: '../bin/app', content: APP }));
  await refuses(extract(), /has "\.\."/);
  publish(real);
  for (const path of ['real', '/../real', '/', '/x/../real']) await refuses(extract(path), /path/);
});

test('other bytes than the manifest says, too many of them, and archives that cannot be read are refused', async () => {
  const layer = gzipSync(tarOf({ path: 'bin/app', content: APP }));
  const described = { mediaType: `${OCI}.layer.v1.tar+gzip`, digest: put(layer), size: layer.length };
  publish(described);
  const changed = Buffer.from(layer);
  changed[changed.length - 9]! ^= 1;
  for (const [bytes, message] of [
    [changed, /other bytes|no archive/],
    [layer.subarray(0, -1), /other bytes|no archive/],
    [Buffer.concat([layer, Buffer.alloc(1)]), /more bytes than its manifest/],
  ] as const) {
    publish(described);
    blobs.set(described.digest, bytes);
    await refuses(extract(), message);
  }
  publish(tarOf({ path: 'bin/app', content: APP }));
  await refuses(extract('/bin/app', { left: 50_000 }), /unpack to more bytes/);
  publish(gzipSync(tarOf({ path: 'bin/app', content: APP })));
  await refuses(extract(), /compressed twice/);
  publish(randomBytes(2048));
  await refuses(extract(), /no archive/);
  publish({ ...described, size: 512 * 1024 * 1024 + 1 });
  await refuses(open().image(), /more than 536870912 bytes/);
  publish(...Array.from({ length: 129 }, () => described));
  await refuses(open().image(), /1 to 128 layers/);
  publish({ ...described, mediaType: 'application/zip' });
  await refuses(open().image(), /neither a tar archive/);
  publish(described);
  const wrong = [...blobs].find(([, bytes]) => bytes.toString().includes('"layers"'))![0];
  blobs.set(wrong, Buffer.from('{}'));
  await refuses(open().image(), /another manifest/);
});

test('bytes after the end of an archive cost no memory and little time', async () => {
  publish(Buffer.concat([tarOf({ path: 'bin/app', content: APP }), Buffer.alloc(32 * 1024 * 1024)]));
  assert.ok((await extract()).file.equals(APP));
});

test('an extraction that has failed writes to no file that is opened later', async () => {
  publish(tarOf({ path: 'bin/app', content: randomBytes(1_000_000) }));
  const real = open();
  const other = join(folder, String(++files));
  let late: Promise<unknown> | undefined;
  const registry: Registry = {
    ...real,
    layer: (layer, use) =>
      new Promise((_, reject) => {
        const inTwoParts = async function* () {
          const bytes = blobs.get(layer.digest)!;
          yield bytes.subarray(0, 200_000);
          reject(new Error('time-out'));
          await once(events, 'failed');
          yield bytes.subarray(200_000);
        };
        late = use(inTwoParts());
      }),
  };
  const events = new EventEmitter();
  const target = join(folder, String(++files));
  await assert.rejects(extractExecutable(registry, await real.image(), '/bin/app', target), /time-out/);
  const opened = openSync(other, 'wx');
  events.emit('failed');
  await refuses(late!, /given up/);
  closeSync(opened);
  assert.equal(readFileSync(other).length, 0);
});

test('a token is fetched where the registry asks for one, and no other origin sees it', async () => {
  publish(tarOf({ path: 'bin/app', content: APP }));
  const elsewhere: (string | undefined)[] = [];
  const store = await listen((request, response) => {
    elsewhere.push(request.headers.authorization);
    response.end(blobs.get(request.url!.slice(1)));
  });
  special = ({ url, headers }, response) => {
    if (url!.startsWith('/token?')) {
      assert.equal(new URL(url!, 'http://a').searchParams.get('scope'), 'repository:team/app:pull');
      response.end('{"token":"for-strangers"}');
    } else if (headers.authorization !== 'Bearer for-strangers') {
      response.setHeader('www-authenticate', `Bearer realm="http://${host}/token",service="here"`);
      response.writeHead(401).end();
    } else if (url!.includes('/blobs/')) {
      response.writeHead(307, { location: `http://${store}/${url!.split('/').at(-1)}` }).end();
    } else return false;
    return true;
  };
  const registry = open(`${host},${store}`);
  const target = join(folder, String(++files));
  const { digest } = await extractExecutable(registry, await registry.image(), '/bin/app', target);
  assert.equal(digest, sha256(APP));
  assert.deepEqual(elsewhere, [undefined]);
  // The guard checks each redirect.
  const strict = open(host);
  const again = join(folder, String(++files));
  await refuses(extractExecutable(strict, await strict.image(), '/bin/app', again), /must be called over https/);
  special = (_, response) => {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="private"' }).end();
    return true;
  };
  await refuses(open().image(), /asks for credentials/);
});

test('a registry that the operator did not allow is not asked', async () => {
  publish(tarOf({ path: 'bin/app', content: APP }));
  await refuses(open('').image(), /must be called over https/);
  assert.equal(asked.length, 0);
});
