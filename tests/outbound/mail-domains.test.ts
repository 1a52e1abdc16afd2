import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { after, test } from 'node:test';
import { mailDomains } from '../../src/outbound/mail-domains.ts';

const [A, MX, AAAA] = [1, 15, 28];

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split('.')
      .filter(Boolean)
      .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);

const short = (n: number): Buffer => Buffer.from([n >> 8, n & 255]);

/** What a name has, by type; 'silent' is not answered, and an unknown name does not exist. */
const ZONES: Record<string, Record<number, Buffer[]> | 'silent' | 'broken'> = {
  'mx.example': { [MX]: [Buffer.concat([short(10), nameBytes('mail.mx.example')])] },
  'null.example': { [MX]: [Buffer.concat([short(0), nameBytes('')])], [A]: [Buffer.from([192, 0, 2, 1])] },
  'a.example': { [A]: [Buffer.from([192, 0, 2, 1])] },
  'aaaa.example': { [AAAA]: [Buffer.alloc(16, 1)] },
  'nothing.example': {},
  'silent.example': 'silent',
  'broken.example': 'broken',
};

/** A name server that knows a few names. */
const server = createSocket('udp4');
server.on('message', (query, { port, address }) => {
  const labels: string[] = [];
  let at = 12;
  for (; query[at] !== 0; at += query[at]! + 1) labels.push(query.subarray(at + 1, at + 1 + query[at]!).toString());
  const type = query.readUInt16BE(at + 1);
  const zone = ZONES[labels.join('.')];
  if (zone === 'silent') return;
  const records = zone === undefined || zone === 'broken' ? [] : (zone[type] ?? []);
  const code = zone === undefined ? 3 : zone === 'broken' ? 2 : 0;
  const head = Buffer.concat([query.subarray(0, 2), short(0x8180 | code), short(1), short(records.length), short(0), short(0)]);
  const answers = records.map((data) =>
    Buffer.concat([short(0xc00c), short(type), short(1), Buffer.from([0, 0, 0, 1]), short(data.length), data]),
  );
  server.send(Buffer.concat([head, query.subarray(12, at + 5), ...answers]), port, address);
});
await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
after(() => server.close());

const asking = (timeout: number) => mailDomains({ timeout, tries: 1, servers: [`127.0.0.1:${server.address().port}`] });
const reaches = asking(60_000);

test('a domain takes mail by its MX, or by an address where it has none', async () => {
  for (const domain of ['mx.example', 'a.example', 'aaaa.example']) assert.equal(await reaches(domain), true, domain);
});

test('one that is not there, has neither, or says that it takes none does not', async () => {
  for (const domain of ['unknown.example', 'nothing.example', 'null.example']) assert.equal(await reaches(domain), false, domain);
});

test('where DNS does not answer, nothing is said', async () => {
  for (const domain of ['silent.example', 'broken.example']) await assert.rejects(asking(200)(domain), domain);
});
