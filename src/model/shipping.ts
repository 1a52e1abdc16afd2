/** The key of the instance's row with the place up to which the record was shipped, as JSON. */
export const SHIP_PLACE = 'ship_place';

export const RECORD_FORMAT = 'countersign-record/1';

/** The first line of a shipped file, which has no last line. */
export const SHIPPED_HEADER = { format: RECORD_FORMAT, shipped: true } as const;
