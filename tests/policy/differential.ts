/** The long run: `node tests/policy/differential.ts --runs 100000 [--seed 1]`. */
import { parseArgs } from 'node:util';
import { agreeOnce } from './agreement.ts';
import { seeded } from './generate.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
const runs = Number(values.runs);
const seed = Number(values.seed);
const counts = new Map<string, number>();
const began = performance.now();
for (let at = 0; at < runs; at += 1) {
  try {
    const result = agreeOnce(seeded(seed + at));
    counts.set(result, (counts.get(result) ?? 0) + 1);
  } catch (error) {
    console.error(`disagreement at --seed ${seed + at} --runs 1`);
    throw error;
  }
}
const spread = [...counts].map(([result, count]) => `${result} ${((100 * count) / runs).toFixed(1)} %`).join(', ');
console.log(`${runs} expressions agree in ${((performance.now() - began) / 1000).toFixed(1)} s: ${spread}`);
