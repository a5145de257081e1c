// Collects findings. All of them are reported; none stops the rest.

export class Findings {
  #lines = new Set();

  /** Records that `where` (an address or a file) has the fault `what`. */
  add(where, what) {
    this.#lines.add(`${where}: ${what}`);
  }

  /** Records the fault unless `condition` holds; returns whether it holds. */
  expect(condition, where, what) {
    if (!condition) this.add(where, what);
    return Boolean(condition);
  }

  /** Adds the findings of another collection. */
  take(others) {
    for (const line of others.#lines) this.#lines.add(line);
  }

  /** Prints everything and sets the exit status. `looked` names what was examined, so that an empty check is visible. */
  end(looked) {
    for (const line of this.#lines) console.log(line);
    console.log(`${looked}: ${this.#lines.size} findings`);
    process.exitCode = this.#lines.size > 0 ? 1 : 0;
  }
}
