/** Descriptions by the name of a field. */
export type Fields = Readonly<Record<string, string>>;

/** The same by the shape or the field around it, such as `Policy`, `attestation` or `SendRow.block`. */
export type Tables = Readonly<Record<string, Fields>>;
