/** fast-check with the seed of `npm test`, which draws the same every time. A file that is run by itself draws anew. */
import fc from 'fast-check';

const { TEST_SEED } = process.env;
if (TEST_SEED) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(TEST_SEED) });

export { default } from 'fast-check';
