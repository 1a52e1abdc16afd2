/** A problem that is told in words, without a stack. */
export class SetupError extends Error {}

export const say = (text) => process.stderr.write(`countersign: ${text}\n`);
