/** A command was used rightly, and could not do its work. The message says why; its exit code is 1. */
export class NotDone extends Error {
  override readonly name = 'NotDone';
}
