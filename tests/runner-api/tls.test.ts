import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from 'node:tls';
import { CallRefused, callsTo, type ServiceAddress, Silent } from '../../src/runner/service/call.ts';
import { serviceOf } from '../../src/runner/service/service.ts';
import { newDeployment, newQuorumKey, runnersInstance, severalHosted } from '../activities/quorum-keys/support.ts';
import { certificate, key } from '../outbound/certificate.ts';
import { freePort } from '../support/free-port.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-apps-tls-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
writeFileSync(certFile, certificate);
writeFileSync(keyFile, key);

const TOKEN = 'a'.repeat(40);
const port = await freePort();
const { instance } = await runnersInstance({
  APPS_TLS_PORT: String(port),
  APPS_TLS_HOST: '127.0.0.1',
  APPS_TLS_CERT: certFile,
  APPS_TLS_KEY: keyFile,
  APPS_TOKEN: TOKEN,
});
const { root } = instance;
const url = `https://127.0.0.1:${port}`;
const right: ServiceAddress = { url, token: TOKEN, ca: Buffer.from(certificate) };
const serviceAt = (place: ServiceAddress) => serviceOf(callsTo(place), crypto.randomUUID());

test('a runner on another machine leases a deployment over TLS, with the token', async () => {
  const hosted = await severalHosted(root, 2);
  const { quorumPublicKey } = await newQuorumKey(root, hosted);
  const deployed = await newDeployment(root, { quorumPublicKey, hosted });
  await deployed.approve();
  const runner = serviceAt(right);
  const { deployments } = await runner.lease(16);
  assert.ok(deployments.some(({ deploymentId }) => deploymentId === deployed.deploymentId));
  await runner.release(deployments);
});

test('a call without the token, with another, or with an unknown certificate reaches nothing', async () => {
  for (const token of ['b'.repeat(40), `${TOKEN}a`])
    await assert.rejects(serviceAt({ ...right, token }).lease(1), (error: Error) => {
      assert.ok(error instanceof CallRefused);
      return /status 401: .*the token is not that of the service: compare APPS_TOKEN/.test(error.message);
    });
  await assert.rejects(serviceAt({ url, token: TOKEN }).lease(1), (error: Error) => {
    assert.ok(error instanceof Silent);
    return /self.signed|unable to verify/i.test(error.message);
  });
  const answer = await fetch(url.replace('https', 'http')).catch(() => undefined);
  assert.equal(answer, undefined);
});

test('a body without the token is not read', async () => {
  const socket = connect({ port, host: '127.0.0.1', ca: certificate });
  let text = '';
  socket.on('data', (chunk) => (text += chunk)).on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write('POST /v1/lease HTTP/1.1\r\nhost: x\r\ncontent-length: 200000\r\n\r\n{');
  await closed;
  assert.match(text, /^HTTP\/1\.1 401 /);
});
