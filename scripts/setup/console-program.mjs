// What set-up starts beside the service: it ends when the console is there, or cannot be made.
import { ROOT } from './become.mjs';
import { inBackground } from './console.mjs';

await inBackground(ROOT);
