import { closest, distance } from 'fastest-levenshtein';
import { type Environment, FILE_SECRETS, type Problem } from './environment.ts';
import { fields } from './schema.ts';

const KNOWN = [...Object.keys(fields.shape), ...FILE_SECRETS.map((name) => `${name}_FILE`)];

/** The prefixes of names that no other program uses. */
const UPSTREAMS = /^(?:nac|webhook|authorize|ticket|endpoints)_/i;

/** Finds names that are no setting's, but differ from one by case, by a few letters or by a part. Leaves a machine's own alone. */
export function findMisspelt(environment: Environment): Problem[] {
  return Object.keys(environment).flatMap((name) => {
    if (KNOWN.includes(name)) return [];
    const near = KNOWN.filter((known) => isNear(name, known));
    const meant =
      near.find((known) => flat(known).startsWith(flat(name))) ?? (near[0] && closest(name, near));
    return meant === undefined ? [] : [{ name, message: `is no setting: is ${meant} meant?` }];
  });
}

function isNear(name: string, known: string): boolean {
  const [given, wanted] = [flat(name), flat(known)];
  if (given === wanted) return true;
  if (/_proxy$/i.test(name)) return false; // ALL_PROXY and its like are other programs'.
  if (distance(given, wanted) <= Math.min(3, Math.floor(wanted.length / 4))) return true;
  const [one, other] = [partsOf(name), partsOf(known)];
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const isCommon = short.length < 2 && known !== 'ADMINS'; // Other programs have a part such as PORT or WATCH, too.
  if (isCommon || given.length < 4) return false;
  if (short.length < long.length)
    return long.some((_, index) => long.toSpliced(index, 1).join() === short.join());
  if (given.startsWith(wanted) || wanted.startsWith(given)) return true; // PUBLIC_HOSTNAME, NAC_USER
  const equal = one.filter((part, index) => part === other[index]).length;
  const isOneChanged = name.includes('_') && one[0] === other[0] && equal === one.length - 1;
  return isOneChanged && (equal > 1 || UPSTREAMS.test(name));
}

const flat = (name: string) => name.toLowerCase().replaceAll('_', '');

const partsOf = (name: string) =>
  name
    .replaceAll(/([a-z])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .split('_');
