/** The pages of a list that is never answered as a whole. */
export const FIRST_TEN = 'Which page of the list is wanted. Absent: the first 10 entries.';
