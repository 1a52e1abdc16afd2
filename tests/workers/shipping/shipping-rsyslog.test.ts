import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SHIPPED_HEADER } from '../../../src/model/shipping.ts';
import { verifyFile } from '../../../src/operator/record/verify-file.ts';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { engineName, freshDatabase } from '../../support/database.ts';
import { startProcess } from '../../support/process.ts';
import { noRsyslog, startRsyslog } from '../../support/rsyslog.ts';
import { waitFor } from '../../support/wait.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-rsyslog-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const START = /^audit\.info (\S+) countersign record (\{[\s\S]*\})$/;

test(`rsyslog over TLS has each line, also a long one, as an export has it, on ${engineName}`, { skip: noRsyslog }, async () => {
  const rsyslog = await startRsyslog(folder);
  const database = await freshDatabase();
  const service = await startProcess({
    DATA_DIR: join(folder, 'data'),
    NODE_EXTRA_CA_CERTS: rsyslog.ca,
    AUDIT_SHIP: `syslog+tls://127.0.0.1:${rsyslog.port}`,
    ...(database ? { DATABASE_URL: database.url } : {}),
  });
  try {
    await service.ready();
    const root = service.root();
    const wallet = await root.submit('CREATE_WALLET', { walletName: '%m é "\\ \u2028', accounts: [ethereumAccount()] });
    const [signWith] = resultOf(wallet, 'createWalletResult').addresses;
    const how = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' };
    const long = await root.submit('SIGN_RAW_PAYLOAD_V2', { signWith, payload: 'ü%\n#011'.repeat(100_000), ...how });
    const { id } = long.body.activity;
    await waitFor('the long line', () => rsyslog.lines().some((line) => line.includes(`"id":"${id}/`)));
    const lines = rsyslog.lines().map((line) => START.exec(line)?.[2] ?? assert.fail(line.slice(0, 200)));
    assert.ok(lines.some(({ length }) => length > 1_000_000));
    const file = join(folder, 'record.jsonl');
    writeFileSync(
      file,
      [SHIPPED_HEADER, ...lines.map((line) => JSON.parse(line))].map((one) => `${JSON.stringify(one)}\n`).join(''),
    );
    const problems: string[] = [];
    const summary = await verifyFile(file, (line) => problems.push(...line.problems));
    assert.deepEqual([problems, summary.activities], [[], lines.length]);
    assert.ok(summary.stamps >= 2);
  } finally {
    service.child.kill('SIGTERM');
    await service.exited;
    await rsyslog.stop();
    await database?.drop();
  }
});
