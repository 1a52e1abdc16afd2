import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { SETTINGS } from '../../src/config.ts';
import { cannotRun } from '../runner/sandbox/support.ts';
import { startAnvil } from '../support/anvil.ts';
import { ethereumAccount, resultOf } from '../support/client.ts';
import { engineName, freshDatabase } from '../support/database.ts';
import { blocksOf, type Chapter, chaptersOf, commandsOf, documents, matches, read, runSteps } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import { partOf } from '../support/full.ts';
import { startProcess } from '../support/process.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const withCommands = documents.filter((name) => commandsOf(read(name)).length > 0);

for (const name of partOf(withCommands, 1, 3)) {
  const steps = commandsOf(read(name));
  const runsApps = read(name).includes('./countersign runner');
  test(`${name} does what it says`, { skip: runsApps && cannotRun() }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-docs-'));
    // Other users of a runner go through it.
    chmodSync(folder, 0o711);
    const TMPDIR = join(folder, 'tmp');
    mkdirSync(TMPDIR);
    const database = await freshDatabase();
    // For what the README sends.
    const anvil = read(name).includes('RPC_URL_EIP155_31337:-') ? await startAnvil() : undefined;
    // For the issuer that docs/login/oauth.md starts.
    const ISSUER_PORT = String(await freePort());
    const settings: Record<string, string> = {
      DATA_DIR: join(folder, 'data'),
      OUTBOUND_ALLOW: `localhost:${ISSUER_PORT}`,
      APPS_SOCKET: join(folder, 'apps.sock'),
      ...(database ? { DATABASE_URL: database.url } : {}),
      ...(anvil ? { RPC_URL_EIP155_31337: anvil.url } : {}),
    };
    const service = await startProcess(settings);
    try {
      await service.ready();
      const env = {
        ...settings,
        ISSUER_PORT,
        APPS_PORT: String(await freePort()),
        TMPDIR,
        BASE_URL: service.url,
        PORT: new URL(service.url).port,
      };
      await runSteps(name, steps, env);
    } finally {
      service.child.kill('SIGTERM');
      await service.exited;
      await anvil?.stop();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

test('the matcher: … is anything on a line, alone any lines, and the rest is literal', () => {
  assert.ok(matches([], ''));
  assert.ok(!matches([], 'noise'));
  assert.ok(matches(['a … c (1)'], 'a b c (1)'));
  assert.ok(!matches(['a … c'], 'a b\nc'));
  assert.ok(matches(['a', '…', 'z'], 'a\nb\nc\nz'));
  assert.ok(matches(['a', '…'], 'a'));
  assert.ok(!matches(['a'], 'a\nb'));
});

test('a chapter that imports a package of the examples says how to get it, or its introduction or an earlier chapter does', () => {
  const chapters = new Map(documents.flatMap(chaptersOf).map((chapter) => [chapter.id, chapter]));
  const says = ({ name, text, needs }: Chapter): boolean =>
    [text, read(name).split('\n## ')[0]!].some((part) => part.includes('npm run packages')) ||
    needs.some((id) => says(chapters.get(id)!));
  const importing = [...chapters.values()].filter(({ steps }) =>
    steps.some(({ command }) => /\bfrom '(?:@turnkey\/|viem)/.test(command)),
  );
  assert.ok(importing.length > 10);
  assert.deepEqual(
    importing.filter((chapter) => !says(chapter)).map(({ id }) => id),
    [],
  );
});

test('each row of docs/comparison.md has a public source and the day on which its copy was read', () => {
  const rows = read('docs/comparison.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Service '));
  assert.ok(rows.length > 10);
  assert.deepEqual(
    rows.filter((row) => !/ \| \[[^\]]+\]\(https:\/\/[^)\s]+\) \| 20\d\d-\d\d-\d\d \|$/.test(row)),
    [],
  );
});

test('every relative link in the documents leads somewhere', () => {
  const broken = documents.flatMap((name) =>
    [...read(name).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g)]
      .filter(([, target]) => !existsSync(resolve(ROOT, dirname(name), target!)))
      .map(([, target]) => `${name}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

test('no two documents make a key file of one name: they are read one after the other, in one folder', () => {
  const made = documents.flatMap((name) => {
    const commands = blocksOf(read(name)).filter(({ language }) => language === 'console');
    const text = commands.flatMap(({ lines }) => lines).join('\n');
    const names = [...text.matchAll(/\bkeygen"? (?:"\$1" .*|([a-z][\w-]*))|> "\$DATA_DIR\/([\w-]+)\.credentials\.json"/g)];
    return [...new Set(names.map(([, one, other]) => one ?? other))].filter((one) => one !== undefined).map((one) => [one, name]);
  });
  assert.ok(made.length > 5);
  const twice = made.filter(([one, name]) => made.some(([other, where]) => other === one && where !== name));
  assert.deepEqual(twice, []);
});

test('docs/operating/settings.md has every setting and no other in its tables; secrets’ file forms and metrics are named', () => {
  const text = documents
    .filter((name) => name.startsWith('docs/operating/'))
    .map(read)
    .join('\n');
  const firstCells = [...read('docs/operating/settings.md').matchAll(/^\| ((?:`[A-Z][A-Z0-9_]+`(?:, )?)+) \|/gm)];
  const rows = firstCells.flatMap(([, cell]) => [...cell!.matchAll(/[A-Z][A-Z0-9_]+/g)].map(([name]) => name));
  assert.deepEqual(rows.sort(), SETTINGS.filter((name) => !name.endsWith('_FILE')).sort());
  const files = SETTINGS.filter((name) => name.endsWith('_FILE'));
  const metrics = [...read('src/http/metrics/metrics.ts').matchAll(/'(countersign_\w+)'/g)].map(([, name]) => name!);
  assert.ok(files.length > 0 && metrics.length > 0);
  assert.deepEqual(
    [...files, ...metrics].filter((name) => !text.includes(`\`${name}\``)),
    [],
  );
});

test('every row of a table is below the head of one', () => {
  const astray = documents.flatMap((name) => {
    const lines = read(name)
      .replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/^\|/gm, ''))
      .split('\n');
    const begins = (i: number) => lines[i]!.startsWith('|') && !lines[i - 1]?.startsWith('|');
    return lines.flatMap((line, i) =>
      begins(i) && !/^\|[\s:|-]+\|$/.test(lines[i + 1] ?? '') ? [`${name}:${i + 1}: ${line}`] : [],
    );
  });
  assert.deepEqual(astray, []);
});

test('docs/clients.md names the packages that tests run, in their versions, and every test of a published client', () => {
  const text = read('docs/clients.md');
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
  const packages = Object.entries(devDependencies).filter(([name]) => name.startsWith('@turnkey/'));
  const files = globSync('tests/e2e/published-*.test.ts', { cwd: ROOT });
  assert.ok(packages.length > 5 && files.length > 5);
  const wanted = [...packages.map(([name, version]) => `\`${name}\` ${version}`), ...files.map((file) => `\`${file}\``)];
  assert.deepEqual(
    wanted.filter((one) => !text.includes(one)),
    [],
  );
  for (const row of text.split('\n').filter((line) => /^\| `@turnkey/.test(line))) {
    const names = [...row.matchAll(/`(@turnkey\/[\w-]+)` \d/g)].map(([, name]) => name!);
    const tests = [...row.matchAll(/`(tests\/[^`]+)`/g)].map(([, file]) => read(file!)).join('\n');
    for (const name of names.filter(() => tests !== ''))
      assert.ok(tests.includes(name), `no test of this row has ${name}: ${row}`);
  }
});

test('AGENTS.md and recipes point at files that exist, and docs/architecture.md at every folder of src/', () => {
  const paths = (name: string) =>
    [...read(name).matchAll(/`((?:src|tests|scripts|docs|bench|openapi)\/[\w./-]*)`/g)].map(([, p]) => p!);
  const named = ['AGENTS.md', 'docs/architecture.md', 'SECURITY.md', 'docs/threat-model.md'];
  for (const name of [...named, ...documents.filter((name) => /^docs\/(recipes|operating)\//.test(name))])
    for (const path of paths(name)) assert.ok(existsSync(join(ROOT, path)), `${name} names ${path}`);
  const text = read('docs/architecture.md');
  const folders = globSync('src/*/', { cwd: ROOT }).map((path) => path.replaceAll('\\', '/').split('/')[1]!);
  assert.deepEqual(
    folders.filter((folder) => !text.includes(`\`${folder}\``) && !text.includes(`src/${folder}/`)),
    [],
  );
});

test('a copy taken of a running SQLite service, with the root key, is the service again; without the key it refuses', {
  skip: engineName === 'postgres' && 'PostgreSQL has tools of its own for this',
}, async () => {
  const live = mkdtempSync(join(tmpdir(), 'countersign-live-'));
  const restored = mkdtempSync(join(tmpdir(), 'countersign-restored-'));
  const keyless = mkdtempSync(join(tmpdir(), 'countersign-keyless-'));
  const service = await startProcess({ DATA_DIR: live });
  try {
    await service.ready();
    const made = await service.root().submit('CREATE_WALLET', { walletName: 'Kept', accounts: [ethereumAccount()] });
    const signWith = resultOf(made, 'createWalletResult').addresses[0];
    const raw = { signWith, payload: '00', encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' };
    const signed = resultOf(await service.root().submit('SIGN_RAW_PAYLOAD_V2', raw), 'signRawPayloadResult');

    // The backup of docs/operating/backup.md, over a second process's connection that cannot write.
    const source = new Database(join(live, 'countersign.db'), { readonly: true });
    source.prepare('VACUUM INTO ?').run(join(restored, 'countersign.db'));
    source.close();
    copyFileSync(join(restored, 'countersign.db'), join(keyless, 'countersign.db'));
    for (const name of ['root.key', 'root-credentials.json']) copyFileSync(join(live, name), join(restored, name));
    const later = await service.root().submit('CREATE_WALLET', { walletName: 'Later', accounts: [] });
    assert.equal(later.status, 200, 'the service goes on while it is copied');

    const again = await startProcess({ DATA_DIR: restored });
    await again.ready();
    assert.match(await (await fetch(`${again.url}/ready`)).text(), /QUARANTINE/);
    const root = again.root();
    // A copy takes no new bodies of a time at which its original may have taken them.
    const timestampMs = String(Date.now() + 299_950);
    const repeated = await root.submit('SIGN_RAW_PAYLOAD_V2', raw, { timestampMs });
    assert.deepEqual(resultOf(repeated, 'signRawPayloadResult'), signed);
    const { wallets } = (await root.query('list_wallets')).body;
    assert.deepEqual(
      wallets.map((w: { walletName: string }) => w.walletName),
      ['Kept'],
    );
    again.child.kill('SIGTERM');
    assert.equal(await again.exited, 0, again.output());

    const refusing = await startProcess({ DATA_DIR: keyless });
    assert.equal(await refusing.exited, 1);
    assert.match(refusing.output(), /root\.key is missing/);
  } finally {
    service.child.kill('SIGTERM');
    await service.exited;
    for (const folder of [live, restored, keyless]) rmSync(folder, { recursive: true, force: true });
  }
});
