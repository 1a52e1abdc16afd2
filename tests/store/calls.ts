type Arguments<F> = F extends (...args: infer A) => unknown ? A : never;
export type Calls<T> = { [R in keyof T]: { [M in keyof T[R]]: Arguments<T[R][M]>[] } };
