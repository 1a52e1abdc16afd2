import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { certificate } from '../../outbound/certificate.ts';
import { freshDatabase } from '../../support/database.ts';
import { startProcess } from '../../support/process.ts';
import { startSyslog } from '../../support/record-receivers.ts';
import { waitFor } from '../../support/wait.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-ship-killed-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a service that is killed while it ships over TLS leaves nothing out', async () => {
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, certificate);
  const receiver = await startSyslog({ tls: true });
  const database = await freshDatabase();
  const env = {
    DATA_DIR: join(folder, 'data'),
    NODE_EXTRA_CA_CERTS: ca,
    AUDIT_SHIP: `syslog+tls://127.0.0.1:${receiver.port}`,
    ...(database ? { DATABASE_URL: database.url } : {}),
  };
  const made = new Set<string>();
  try {
    for (let round = 0; round < 3; round++) {
      const service = await startProcess(env);
      await service.ready();
      const root = service.root();
      const before = receiver.taken.length;
      for (let i = 0; i < 30; i++) {
        const { body, text } = await root.submit('CREATE_USER_TAG', { userTagName: `Tag ${round} ${i}`, userIds: [] });
        assert.ok(body.activity, text);
        made.add(body.activity.id);
      }
      const isLast = round === 2;
      const arrived = () => {
        const ids = new Set(receiver.taken.map(({ activity }) => activity.id));
        return isLast ? [...made].every((id) => ids.has(id)) : receiver.taken.length > before;
      };
      await waitFor('lines arrive', arrived);
      service.child.kill(isLast ? 'SIGTERM' : 'SIGKILL');
      await service.exited;
    }
    assert.equal(made.size, 90);
    const lines = new Map<string, string>();
    for (const line of receiver.taken) {
      assert.equal(lines.get(line.id) ?? JSON.stringify(line), JSON.stringify(line), 'a line that comes again is the same');
      lines.set(line.id, JSON.stringify(line));
    }
  } finally {
    await receiver.down();
    await database?.drop();
  }
});
