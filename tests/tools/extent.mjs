// Extent of the checks and limits of waits. A normal run skips repetitions; a long run,
// `TEST_TIMES` greater than 1, skips nothing.

/** Factor for repetitions. */
export const TIMES = whole('TEST_TIMES', 1);
export const isLong = TIMES > 1;

/** Selects the third of a normal run: the day since 1970, or `TEST_SEED`. Three consecutive seeds cover everything. */
export const SEED = whole('TEST_SEED', Math.floor(Date.now() / 86_400_000));

/** The longest wait, in milliseconds. It is no promise of speed. */
export const PATIENCE = 120_000;

/** Returns all items in a long run, otherwise a third of them. */
export function third(items) {
  return isLong ? items : items.filter((_, at) => at % 3 === SEED % 3);
}

/** Returns a note on the selected third of `all` `what`, with the seed that repeats it. */
export function thirdSaid(what, chosen, all) {
  if (chosen === all) return `all ${all} ${what}`;
  return `${chosen} of ${all} ${what}, by seed ${SEED}: TEST_SEED=${SEED} repeats this choice, TEST_TIMES=2 takes all`;
}

function whole(name, otherwise) {
  const value = process.env[name] ? Number(process.env[name]) : otherwise;
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${name} is no whole number: ${process.env[name]}`);
  return value;
}
