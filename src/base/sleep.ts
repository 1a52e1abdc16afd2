/** How a worker's loop rests until there may be work. */
export class Sleep {
  #isWoken = false;
  #end: () => void = () => {};

  get isWoken(): boolean {
    return this.#isWoken;
  }

  /** Ends the present rest, or the next one if the loop is at work. */
  wake(): void {
    this.#isWoken = true;
    this.#end();
  }

  /** The loop looks for work now. A later `wake` counts for its next rest. */
  look(): void {
    this.#isWoken = false;
  }

  /** Rests for at most this number of milliseconds. Without a number, only `wake` ends it. */
  rest(ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      timer?.unref();
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#isWoken) this.#end();
    });
  }
}
