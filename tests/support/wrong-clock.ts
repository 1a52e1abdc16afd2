// with others: it is loaded into a service of its own.
/** Loaded into a process with `--import`: its machine's clock is wrong by CLOCK_WRONG_MS. Elapsed time is right. */
const wrong = Number(process.env.CLOCK_WRONG_MS ?? 0);
const right = Date.now;
Date.now = () => right() + wrong;
