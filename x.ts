import { measureLanded } from './bench/sending/landed.ts';
const o = { program: '/work/wt/show/src/main.ts', burst: 1500, rounds: 1, seconds: 2, databaseUrl: async () => undefined, say: console.log };
console.log(JSON.stringify(await measureLanded(o, undefined), null, 1));
