import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { EventEmitter, on } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';

const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest: `sha256:${'a'.repeat(64)}`, size: 3 };
const manifest = JSON.stringify({ schemaVersion: 2, layers: [layer] });
const held: ServerResponse[] = [];
const events = new EventEmitter();
const registry = createServer((request, response) => {
  if (request.url === '/v2/team/slow/manifests/1.0') {
    held.push(response);
    events.emit('held', held.length);
    return;
  }
  if (request.url === '/v2/team/app/manifests/1.0') response.end(manifest);
  else if (request.url === '/v2/team/none/manifests/1.0') response.end('{"layers":[]}');
  else response.writeHead(404).end('a page with the secrets of another service');
});
await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
after(() => registry.close());
const { port } = registry.address() as AddressInfo;
const host = `127.0.0.1:${port}`;
const alias = `localhost:${port}`;

const { root } = await sharedInstance({ OUTBOUND_ALLOW: `${host},${alias}` });
const ask = (pivotContainerImageUrl: string, more = {}) => root.query('validate_tvc_image', { pivotContainerImageUrl, ...more });

test('the digest of a good image is answered', async () => {
  const resolvedImageDigest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
  for (const name of [`${host}/team/app:1.0`]) assert.deepEqual((await ask(name)).body, { resolvedImageDigest });
});

test('an image that cannot be used is refused with the reason, and nothing else of the answer', async () => {
  for (const [name, why] of [
    [`${host}/team/app:2.0`, /its registry answered with status 404$/],
    [`${host}/team/none:1.0`, /it must have 1 to 128 layers$/],
    ['not an image', /pivotContainerImageUrl must look like/],
    ['127.0.0.1:1/team/app', /must be called over https/],
    ['10.0.0.1/team/app', /has no public address/],
  ] as const)
    refused(await ask(name), [400, 'TVC_IMAGE_VALIDATION_FAILED', why]);
  const secret = { pivotContainerEncryptedPullSecret: 'aa' };
  refused(await ask(`${host}/team/app:1.0`, secret), [400, 'REQUEST_INVALID', /the image must be public/]);
});

test('an organization has four checks of images at a time', async () => {
  const full = (async () => {
    for await (const [count] of on(events, 'held')) if (count === 4) return;
  })();
  const slow = [host, host, alias, alias].map((at) => ask(`${at}/team/slow:1.0`));
  await full;
  refused(await ask(`${host}/team/app:1.0`), [400, 'TVC_IMAGE_VALIDATION_FAILED', /too many requests/]);
  for (const response of held) response.end(manifest);
  for (const answer of await Promise.all(slow)) assert.equal(answer.status, 200, answer.text);
});
