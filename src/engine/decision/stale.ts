/** Another request was first, or a fact behind the decision changed. Nothing was written, and everything is decided again. */
export class StaleDecisionError extends Error {
  override readonly name = 'StaleDecisionError';
}
