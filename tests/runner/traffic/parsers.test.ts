import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { it } from 'node:test';
import { appIdReader } from '../../../src/runner/traffic/hosts.ts';
import { targetOf } from '../../../src/runner/traffic/target.ts';
import { rounds } from '../../support/full.ts';
import fc from '../../support/properties.ts';
import { APP, DOMAIN, hostOf } from './support.ts';

const numRuns = rounds(10_000);
/** Parts of hosts, and what could confuse a reader of them. */
const parts = [
  APP,
  DOMAIN,
  hostOf(APP),
  'app-',
  'APP-',
  '.',
  ':',
  '443',
  '80',
  '[',
  ']',
  '::1',
  '127.0.0.1',
  '0x7f',
  '@',
  '/',
  '?',
  '#',
  '\\',
  '%2e',
  '%00',
  ' ',
  '\0',
  '。',
  'ſ',
  'K',
  'x',
  '-',
  '_',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 3, unit: 'binary' })), { maxLength: 8 })
  .map((all) => all.join(''));

const nearly = fc.tuple(fc.constantFrom(hostOf(APP), hostOf(APP).toUpperCase()), text).map((both) => both.join(''));

it('a Host that leads to an app is the name of the app and nothing else, with a dot and a port at most', () => {
  const appIdOf = appIdReader(DOMAIN);
  let found = 0;
  fc.assert(
    fc.property(fc.oneof(text, nearly), (host) => {
      const id = appIdOf(host);
      if (id === undefined) return;
      found += 1;
      assert.equal(id, APP);
      const [name, port = '', ...more] = host.split(':') as [string, ...string[]];
      assert.deepEqual([name.replace(/\.$/, '').toLowerCase(), more], [hostOf(APP), []]);
      assert.match(port, /^[0-9]{0,5}$/);
    }),
    { numRuns },
  );
  assert.ok(found > 0);
  for (const host of [hostOf(APP), `${hostOf(APP).toUpperCase()}.:65535`]) assert.equal(appIdOf(host), APP);
});

it('a target of CONNECT is a host that URL reads in the same way, and a port', () => {
  let found = 0;
  fc.assert(
    fc.property(text, fc.constantFrom('', ':443', ':0', ':99999'), (host, port) => {
      const target = targetOf(host + port);
      if (target === undefined) return;
      found += 1;
      assert.match(target.hostname, /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/);
      assert.ok(target.port > 0 && target.port < 65_536);
      const again = targetOf(`${target.hostname}:${target.port}`);
      assert.deepEqual(again, target);
      // A number is an address, in whatever form, so the guard sees one.
      const last = target.hostname.replace(/\.$/, '').split('.').at(-1)!;
      if (/^(?:[0-9]+|0x[0-9a-f]*)$/.test(last)) assert.equal(isIP(target.hostname), 4, target.hostname);
    }),
    { numRuns },
  );
  assert.ok(found > 0);
  for (const host of ['127.1', '0x7f.1', '2130706433', '017700000001'])
    assert.equal(targetOf(`${host}:443`)!.hostname, '127.0.0.1');
});
