import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileShipper } from '../../src/outbound/record/file.ts';
import { otlpShipper } from '../../src/outbound/record/otlp.ts';
import { syslogShipper } from '../../src/outbound/record/syslog.ts';
import type { Shipper } from '../../src/outbound/types.ts';
import { startOtlp, startSyslog } from '../support/record-receivers.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-record-'));
const shippers: Shipper[] = [];
const kept = (shipper: Shipper): Shipper => {
  shippers.push(shipper);
  return shipper;
};
after(() => {
  for (const shipper of shippers) shipper.close();
  rmSync(folder, { recursive: true, force: true });
});

const lineOf = (id: string, more = '') => ({ id, at: 1_700_000_000_123, text: JSON.stringify({ id, more }) });
const idsIn = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id ?? 'header');
const HEADER = '{"format":"test"}';

test('a file has whole lines, is for this user only, and is made anew after it was rotated', async () => {
  const path = join(folder, 'record.jsonl');
  const shipper = kept(fileShipper(path, HEADER));
  await shipper.send([lineOf('a/1'), lineOf('b/1')]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  renameSync(path, `${path}.1`);
  await shipper.send([lineOf('c/1')]);
  assert.deepEqual(
    [idsIn(`${path}.1`), idsIn(path)],
    [
      ['header', 'a/1', 'b/1'],
      ['header', 'c/1'],
    ],
  );
  truncateSync(path, 0);
  await shipper.send([lineOf('d/1')]);
  assert.deepEqual(idsIn(path), ['header', 'd/1']);
  // A killed process leaves half a line, longer than what is read at once.
  appendFileSync(path, `{"id":"e/1","more":"${'x'.repeat(200_000)}`);
  await kept(fileShipper(path, HEADER)).send([lineOf('f/1')]);
  assert.deepEqual(idsIn(path), ['header', 'd/1', 'f/1']);
  writeFileSync(path, HEADER.slice(0, 5));
  await kept(fileShipper(path, HEADER)).send([lineOf('g/1')]);
  assert.deepEqual(idsIn(path), ['header', 'g/1']);
});

test('a file of another program, and a folder, are refused and left as they are', async () => {
  const path = join(folder, 'notes.txt');
  writeFileSync(path, 'no line break');
  await assert.rejects(kept(fileShipper(path, HEADER)).send([lineOf('a/1')]), /holds something else/);
  assert.equal(readFileSync(path, 'utf8'), 'no line break');
  mkdirSync(join(folder, 'folder'));
  await assert.rejects(kept(fileShipper(join(folder, 'folder'), HEADER)).send([lineOf('a/1')]), /folder/);
});

test('syslog counts bytes, and takes lines only if the receiver read them all', async () => {
  const receiver = await startSyslog();
  const shipper = kept(syslogShipper({ host: '127.0.0.1', port: receiver.port, tls: false }, 'sign.example.com'));
  const sent = [lineOf('a/1', 'ä€𝄞'), lineOf('b/1', 'x'.repeat(3_000_000)), lineOf('c/1')];
  await shipper.send(sent);
  assert.deepEqual(
    receiver.taken,
    sent.map(({ text }) => JSON.parse(text)),
  );
  await receiver.down();
  await assert.rejects(shipper.send([lineOf('d/1')]), /ECONNREFUSED/);
  await receiver.up();
  receiver.hang();
  const hangs = shipper.send([lineOf('e/1', 'x'.repeat(10_000_000))]);
  setTimeout(() => shipper.close(), 50);
  await assert.rejects(hangs, /no answer in time/);
  await receiver.down();
});

test('OTLP says which records it has, and a record that is rejected counts as not sent', async () => {
  const receiver = await startOtlp();
  const place = { url: `http://127.0.0.1:${receiver.port}/v1/logs`, headers: { authorization: 'Bearer secret' } };
  const shipper = kept(otlpShipper(place, 'sign.example.com'));
  await shipper.send([lineOf('a/1'), lineOf('b/1')]);
  assert.deepEqual([receiver.taken.map(({ id }) => id), receiver.headers[0]!.authorization], [['a/1', 'b/1'], 'Bearer secret']);
  for (const [status, body, said] of [
    [200, '{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too\\u001b large"}}', /rejected a record: too large/],
    [503, 'busy', /HTTP 503/],
    [302, '', /HTTP 302/],
  ] as const) {
    receiver.refuse(() => ({ status, body }));
    await assert.rejects(shipper.send([lineOf('c/1')]), said);
  }
  await receiver.down();
  await assert.rejects(shipper.send([lineOf('c/1')]), /no answer/);
});
