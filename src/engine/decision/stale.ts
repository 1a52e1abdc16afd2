/** Somebody else was first, or a fact that the decision rests on changed: nothing was written, and everything is decided anew. */
export class StaleDecisionError extends Error {
  override readonly name = 'StaleDecisionError';
}
