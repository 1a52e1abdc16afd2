/** The pages of a list that is never answered as a whole. */
export const FIRST_TEN = 'How many entries, and from which on. Absent: the first 10.';
