/** The examples of the reference. Those of the shell get commands that print what they are given. Those of the client are called. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { TurnkeyClient } from '@turnkey/http';
import { contentOf, type Document, requestsOf } from '../../reference/build/documents.ts';
import { cli, curl, curlByPasskey, curlOfProxy, type Ran, sdk, sdkOfProxy } from '../../reference/build/examples.ts';

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../openapi/${name}.json`, import.meta.url), 'utf8')) as T;
const methods = read<Record<string, string>>('client-methods');

const all = ['public-api', 'auth-proxy']
  .flatMap((name) => {
    const { paths, components } = read<Document>(name);
    return Object.entries(paths).map(([path, { post }]): Ran => {
      const title = components.schemas[String(requestsOf(post)[0]!.$ref).split('/').at(-1)!]?.title;
      const type = path.includes('/submit/') ? String(title) : undefined;
      const key = type?.replace('ACTIVITY_TYPE_', '') ?? post.operationId;
      return { path, name: post.operationId, type, body: contentOf(post.requestBody).examples?.[key]?.value as Ran['body'] };
    });
  })
  .filter(({ body }) => body !== undefined);

/** Each command prints its arguments, or what it reads, ended by a null. */
const COMMANDS = `
curl() { printf '%s\\0' "$2" "$5"; }
countersign() { if [ "$1" = stamp ]; then echo stamp; else printf '%s %s\\0' "$1" "$2"; cat; printf '\\0'; fi; }
`;

function shell(scripts: readonly string[]): string[] {
  const text = COMMANDS + scripts.join('\n').replaceAll('./countersign ', 'countersign ');
  const { status, stdout, stderr } = spawnSync('sh', { input: text, encoding: 'utf8', maxBuffer: 64 << 20, timeout: 60_000 });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout.split('\0').slice(0, -1);
}

const timeless = ({ timestampMs: _, ...body }: Record<string, unknown>) => body;

test('curl sends the bodies that tests ran, to their paths', () => {
  for (const make of [curl, curlByPasskey, curlOfProxy]) {
    const told = shell(all.map(make));
    assert.equal(told.length, 2 * all.length);
    for (const [at, { path, type, body }] of all.entries()) {
      const [sent, url] = [JSON.parse(told[2 * at]!), told[2 * at + 1]!];
      assert.equal(url, `http://localhost:8080${path}`);
      assert.deepEqual(timeless(sent), timeless(body), path);
      if (type !== undefined) assert.match(sent.timestampMs, /^\d{13}$/);
    }
  }
});

test('the command line gets the parameters that tests ran', () => {
  const told = shell(all.map(cli));
  for (const [at, { path, name, type, body }] of all.entries()) {
    assert.equal(told[2 * at], `${type === undefined ? 'query' : 'submit'} ${name}`);
    const { organizationId: _, ...query } = body;
    assert.deepEqual(JSON.parse(told[2 * at + 1]!), type === undefined ? query : body.parameters, path);
  }
});

test('the published client sends the bodies that tests ran, to their paths', async () => {
  for (const ran of all.filter(({ path }) => path.startsWith('/public/'))) {
    const sent: unknown[] = [];
    const client = new TurnkeyClient(
      { baseUrl: 'http://localhost' },
      { stamp: () => Promise.reject(new Error('nothing is sent')) },
    );
    client.request = (...given) => {
      sent.push(...given);
      return Promise.resolve(undefined as never);
    };
    const [, call] = sdk(ran, methods[ran.path]).split('const answer = ');
    await new Function('client', `return ${call!.replace('await ', '')}`)(client);
    assert.equal(sent[0], ran.path);
    assert.deepEqual(timeless(sent[1] as Ran['body']), timeless(ran.body));
  }
});

test('the published client of pages sends the bodies that tests ran to the proxy', async () => {
  const { TurnkeySDKClientBase } = createRequire(import.meta.url)('@turnkey/core/dist/__generated__/sdk-client-base.js');
  const ofProxy = all.filter(({ path }) => path.startsWith('/v1/'));
  assert.ok(ofProxy.length > 10);
  for (const ran of ofProxy) {
    const httpClient = new TurnkeySDKClientBase({ authProxyUrl: 'http://localhost', authProxyConfigId: '' });
    let sent: unknown[] = [];
    httpClient.authProxyRequest = (...given: unknown[]) => {
      sent = given;
    };
    const [, call] = sdkOfProxy(ran, methods[ran.path]!).split('const answer = ');
    await new Function('client', `return ${call!.replace('await ', '')}`)({ httpClient });
    assert.deepEqual(sent.slice(0, 2), [ran.path, ran.body]);
  }
});
