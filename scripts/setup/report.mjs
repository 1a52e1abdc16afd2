/** A problem that is reported in one sentence, without a stack. */
export class SetupError extends Error {}

export const say = (text) => process.stderr.write(`countersign: ${text}\n`);
