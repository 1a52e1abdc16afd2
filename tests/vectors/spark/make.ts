/** Writes frost.json, from the published signer: `node tests/vectors/spark/make.ts`, once `npm ci` ran in tests/spark-signer. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishedSdk } from '../../crypto/spark/published-signer.ts';
import { publishedShare, sessionOf } from '../../crypto/spark/sessions.ts';
import { seededBytes } from '../../crypto/vectors.ts';

const source = 'Shares of the signer in @buildonspark/spark-sdk 0.8.8 (Apache-2.0), by tests/vectors/spark/make.ts';
const frost = (await publishedSdk()).getSparkFrost();
const bytes = seededBytes(29);
const sessions: string[] = [];
for (let i = 0; i < 50; i++) {
  const session = sessionOf(i, bytes);
  sessions.push(`  ${JSON.stringify({ ...session, signatureShare: await publishedShare(frost, session) })}`);
}
const text = `{\n "source": ${JSON.stringify(source)},\n "sessions": [\n${sessions.join(',\n')}\n ]\n}\n`;
writeFileSync(join(import.meta.dirname, 'frost.json'), text);
process.exit(0);
