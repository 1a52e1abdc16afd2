/** Texts of users, contracts and nodes must not contain terminal control sequences. */
export const printable = (line: string): string => line.replace(/\p{Cc}/gu, '·');
