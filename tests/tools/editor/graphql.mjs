// Answers queries of the kind that the editor sends: fields with arguments and other names, and fragments of types, whose fields are all
// taken. A field that the answer lacks is an error, so that a new query of the editor is noticed.

/** Returns the fields of `root` that a query names. Functions are called with the arguments of their field. */
export function answer({ query, variables = {} }, root) {
  const words = query.match(/\.\.\.|[$\w]+|"(?:[^"\\]|\\.)*"|[^\s,]/g);
  // Variables are given, so their types do not matter.
  let at = words.indexOf('{');
  const takes = (word) => words[at] === word && at++ >= 0;
  const until = (end, one) => {
    const all = [];
    while (!takes(end)) all.push(one());
    return all;
  };
  const value = () => {
    if (takes('[')) return until(']', value);
    if (takes('{')) return Object.fromEntries(until('}', argument));
    const word = words[at++];
    if (word.startsWith('$')) return variables[word.slice(1)];
    return /^["\d]|^(true|false|null)$/.test(word) ? JSON.parse(word) : word;
  };
  const argument = () => {
    const name = words[at];
    at += 2;
    return [name, value()];
  };
  const fields = () => (takes('{') ? until('}', field).flat() : null);
  const field = () => {
    if (takes('...')) {
      at += 2;
      return fields();
    }
    const alias = words[at++];
    const name = takes(':') ? words[at++] : alias;
    const given = takes('(') ? Object.fromEntries(until(')', argument)) : {};
    return [{ alias, name, given, inner: fields() }];
  };
  const pick = (object, wanted) => {
    if (!wanted || object === null) return object;
    if (Array.isArray(object)) return object.map((each) => pick(each, wanted));
    const entry = ({ alias, name, given, inner }) => {
      if (!(name in object)) throw new Error(`no field ${name} in ${query}`);
      const found = typeof object[name] === 'function' ? object[name](given) : object[name];
      return [alias, pick(found, inner)];
    };
    return Object.fromEntries(wanted.map(entry));
  };
  return pick(root, fields());
}
