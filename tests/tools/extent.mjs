// How much a judge looks at, and how long it waits. A normal run leaves out what says the same thing once more; a long run,
// `TEST_TIMES` greater than 1, leaves out nothing.

/** How many times as long the run is. */
export const TIMES = whole('TEST_TIMES', 1);
export const isLong = TIMES > 1;

/** Chooses the third of a normal run: the day since 1970, or what the environment names. Three seeds in a row choose everything. */
export const SEED = whole('TEST_SEED', Math.floor(Date.now() / 86_400_000));

/** The longest wait for any one thing, in milliseconds: it ends what hangs, and says nothing about speed. */
export const PATIENCE = 120_000;

/** Returns all items in a long run, otherwise a third of them. */
export function third(items) {
  return isLong ? items : items.filter((_, at) => at % 3 === SEED % 3);
}

/** Says which third was chosen of so many `what`, and how the choice is repeated. */
export function thirdSaid(what, chosen, all) {
  if (chosen === all) return `all ${all} ${what}`;
  return `${chosen} of ${all} ${what}, by seed ${SEED}: TEST_SEED=${SEED} repeats this choice, TEST_TIMES=2 takes all`;
}

function whole(name, otherwise) {
  const value = process.env[name] ? Number(process.env[name]) : otherwise;
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${name} is no whole number: ${process.env[name]}`);
  return value;
}
