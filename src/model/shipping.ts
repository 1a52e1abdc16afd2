/** The key of the instance's row with the place up to which the record was shipped, as JSON. */
export const SHIP_PLACE = 'ship_place';
