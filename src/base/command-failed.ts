/** A command was used correctly, but could not do its work. The message says why. The exit code is 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}
