/** The service of the published package, which has this file as a bundle (scripts/pack.ts). */
import { keepYoungGenerationForThisThread } from './app/young-generation.ts';
import { run } from './serve.ts';

keepYoungGenerationForThisThread();
await run({ runs: 'bundle' });
