/** A process that migrates a database, in small batches, and says what it is told, a line each. */
import { openStore } from '../../../src/store/store.ts';

const { DATA_DIR = '', DATABASE_URL, BATCH = '2000' } = process.env;
const say = (text: string, fields: object) => void process.stdout.write(`${JSON.stringify({ text, ...fields })}\n`);
const store = openStore({ folder: DATA_DIR, url: DATABASE_URL, poolSize: 2 });
await store.migrate(1, { say, batch: { rows: Number(BATCH), bytes: 2 ** 20 } });
await store.close();
