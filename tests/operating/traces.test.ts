/** Traces, as an operator's collector gets them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { findings } from '../support/canary/encodings.ts';
import { type Client, ethereumAccount, post, resultOf, stampOf } from '../support/client.ts';
import { type Collector, type SeenSpan, startCollector } from '../support/collector.ts';
import { freshDatabase } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { waitFor } from '../support/wait.ts';
import { newEndpoint } from '../workers/webhooks/support.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-traces-'));
const database = await freshDatabase();
after(async () => {
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const CALLER = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const traceparent = `00-${CALLER.trace}-${CALLER.span}-00`;

type Env = Record<string, string>;
/** Names the modules of the SDK that a process loads. */
const preload = join(folder, 'loads.mjs');
writeFileSync(
  preload,
  `import { registerHooks } from 'node:module';
   const isSdk = /opentelemetry.(sdk|exporter|otlp)/;
   registerHooks({ load: (url, context, next) => (isSdk.test(url) && console.error('LOADED', url), next(url, context)) });`,
);

async function start(env: Env): Promise<ServiceProcess> {
  const at = { DATA_DIR: join(folder, 'data'), ...(database ? { DATABASE_URL: database.url } : {}) };
  const service = await startProcess({ ...at, LOG_LEVEL: 'info', OTEL_BSP_SCHEDULE_DELAY: '50', ...env }, preload);
  await service.ready();
  return service;
}

async function stopped(service: ServiceProcess): Promise<void> {
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
}

const named = ({ spans }: Collector, name: string) => waitFor(name, () => spans.find((span) => span.name === name));
const below = ({ spans }: Collector, { spanId }: SeenSpan) => spans.filter(({ parentId }) => parentId === spanId);

async function asked(client: Client): Promise<string> {
  const body = JSON.stringify({ organizationId: client.organizationId });
  const answer = await post(`${client.url}/public/v1/query/whoami`, body, { traceparent, 'x-stamp': stampOf(client.keys, body) });
  assert.equal(answer.status, 200);
  return answer.headers.get('x-request-id')!;
}

test('a request has a span, with its decision, its transaction and the calls that leave the service', async () => {
  const collector = await startCollector();
  const node = createServer(async (request, response) => {
    const { id } = JSON.parse((await buffer(request)).toString());
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x7a69' }));
  });
  const receiver = await startReceiver();
  await new Promise<void>((done) => node.listen(0, '127.0.0.1', done));
  const service = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'signing',
    OUTBOUND_ALLOW: receiver.host,
    RPC_URL_EIP155_31337: `http://127.0.0.1:${(node.address() as AddressInfo).port}/a-key`,
  });
  try {
    const root = service.root();
    await newEndpoint(root, `http://${receiver.host}/a-path-key`);
    const wallet = await root.submit('CREATE_WALLET', { walletName: 'W', accounts: [ethereumAccount()] });
    const [signWith] = resultOf(wallet, 'createWalletResult').addresses;
    const payload = { payload: 'c0ffee', encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' };
    const body = root.bodyOf('SIGN_RAW_PAYLOAD_V2', { signWith, ...payload });
    await root.send('/public/v1/submit/sign_raw_payload', body);
    const invitation = { receiverUserName: 'Guest', receiverUserEmail: 'guest@example.com', receiverUserTags: [] };
    const { userId } = (await root.query('whoami')).body;
    await root.submit('CREATE_INVITATIONS', {
      invitations: [{ ...invitation, accessType: 'ACCESS_TYPE_WEB', senderUserId: userId }],
    });

    const made = await named(collector, 'POST /public/v1/submit/create_wallet');
    assert.equal(made.attributes['countersign.organization_id'], root.organizationId);
    assert.equal(made.attributes['countersign.activity_id'], wallet.body.activity.id);
    assert.equal(made.attributes['http.response.status_code'], 200);
    assert.deepEqual([made.kind, made.parentId, made.resource['service.name']], [2, '', 'signing']);
    const parts = await waitFor('its parts', () => below(collector, made).length >= 2 && below(collector, made));
    assert.deepEqual(parts.map(({ name }) => name).sort(), ['decide', 'transaction']);
    assert.equal(parts.find(({ name }) => name === 'decide')!.attributes['countersign.outcome'], 'OUTCOME_ALLOW');
    const signed = await named(collector, 'POST /public/v1/submit/sign_raw_payload');
    await waitFor('the record', () => below(collector, signed).some(({ name }) => name === 'record'));
    const line = new RegExp(`"activityId":"${wallet.body.activity.id}".*"traceId":"${made.traceId}"`);
    await waitFor('the line of the log', () => line.test(service.output()));

    const mail = await named(collector, 'send mail');
    assert.equal(mail.attributes['countersign.organization_id'], root.organizationId);
    const delivery = (await named(collector, 'webhook')).attributes;
    assert.deepEqual([delivery['server.address'], delivery['http.response.status_code']], [receiver.host, 200]);
    assert.equal(delivery['countersign.organization_id'], root.organizationId);
    const call = await named(collector, 'eth_chainId');
    assert.deepEqual([call.kind, call.attributes['countersign.endpoint']], [3, 'eip155:31337 #1']);

    // A caller's trace is named, and decides neither the id nor whether the request is traced.
    const requestId = await asked(root);
    const linked = await waitFor('a link', () =>
      collector.spans.find(({ attributes }) => attributes['countersign.request_id'] === requestId),
    );
    assert.deepEqual([linked.links, linked.parentId, linked.traceId === CALLER.trace], [[CALLER.span], '', false]);

    await post(`${service.url}/public/v1/submit/nothing`, '{}');
    const refused = await named(collector, 'POST');
    assert.deepEqual([refused.attributes['http.response.status_code'], refused.isError], [404, false]);
    const secrets = [
      ['a stamp', stampOf(root.keys, body)],
      ['a body', body],
      ['a payload', 'c0ffee'],
      ['a contact', 'guest@example.com'],
      ['a key of an endpoint', 'a-key'],
      ['a path of a webhook', 'a-path-key'],
    ].map(([name, text]) => ({ name: name!, text: text! }));
    assert.deepEqual(findings(secrets, [{ name: 'the spans', bytes: Buffer.concat(collector.bodies) }]), []);
    await stopped(service);
    assert.match(service.output(), /LOADED .*sdk-trace/, 'the test of a start without traces can fail');
  } finally {
    service.child.kill('SIGKILL');
    node.close();
    receiver.close();
    await collector.close();
  }
});

test("a caller's trace is the parent if the operator says so, and the last spans come with the stop", async () => {
  const collector = await startCollector();
  const service = await start({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    OTEL_PROPAGATORS: 'tracecontext',
    OTEL_TRACES_SAMPLER: 'always_on',
    OTEL_BSP_SCHEDULE_DELAY: '3600000',
  });
  await asked(service.root());
  await stopped(service);
  const span = await named(collector, 'POST /public/v1/query/whoami');
  assert.deepEqual([span.traceId, span.parentId, span.links], [CALLER.trace, CALLER.span, []]);
  await collector.close();
});

test('a collector that hangs holds up neither requests nor the stop, and the log names it', async () => {
  const collector = await startCollector(false);
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_TIMEOUT: '200' });
  await asked(service.root());
  await service.shows(/traces cannot be exported, and their spans are lost/);
  const seen = collector.asked();
  await asked(service.root());
  await waitFor('another export', () => collector.asked() > seen);
  const begun = performance.now();
  await stopped(service);
  assert.ok(performance.now() - begun < 10_000);
  await collector.close();
});

test('a start without traces loads nothing of the SDK', async () => {
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' });
  await asked(service.root());
  await stopped(service);
  assert.doesNotMatch(service.output(), /LOADED|traceId/);
});
