/** A deployment does not start. The message is for its owner. */
export class Problem extends Error {
  override readonly name = 'Problem';
}
