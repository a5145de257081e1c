// Stands in for Immutable.js, from which the editor needs two functions before a save: to pass an entry to `start.js`, and to take it back.
class PassedEntry {
  #entry;

  constructor(entry) {
    this.#entry = entry;
  }

  toJS() {
    return this.#entry;
  }
}

export const fromJS = (entry) => new PassedEntry(entry);
export const isMap = (value) => value instanceof PassedEntry;
