import { normalise } from './groups.ts';

/** Why a text is not the MAC address that it was meant to be. */
export type MacFault =
  /** Nothing in the text looks like a part of an address. */
  | { kind: 'missing' }
  | { kind: 'bad character'; character: string }
  /** `pairs`: how many of the six are there. */
  | { kind: 'half'; pairs: number }
  | { kind: 'wrong length'; digits: number }
  | { kind: 'wrong groups' }
  | { kind: 'uuid' };

const MISSING: MacFault = { kind: 'missing' };

/** Says what is wrong with a text that holds no MAC address, judged by the first word that resembles one. */
export function faultOf(text: string): MacFault {
  const words = normalise(text).split(/\s+/).filter(Boolean);
  const isSpaced = words.length > 2 && words.every(({ length }) => length === 2);
  const faults = (isSpaced ? [words.join(':')] : words).map(faultOfWord);
  const isAlone = faults.length === 1;
  // Beside other words, a short number is a floor or a port.
  return faults.find((fault) => isTelling(fault) || (isAlone && fault.kind !== 'missing')) ?? MISSING;
}

function isTelling(fault: MacFault): boolean {
  return fault.kind === 'wrong length' ? fault.digits >= 6 : fault.kind !== 'missing';
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function faultOfWord(word: string): MacFault {
  const text = word.replace(/^[^\p{L}\p{N}]+/u, '').replace(/(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/u, '');
  if (UUID.test(text)) return { kind: 'uuid' };
  const bare = text.replace(/[^\p{L}\p{N}]/gu, '');
  const character = /[^0-9a-f]/iu.exec(bare)?.[0];
  if (character !== undefined) {
    // A host's name is no mistyped address.
    const isAlmost = bare.length === 12 && bare.replace(/[^0-9a-f]/gi, '').length >= 8;
    return isAlmost ? { kind: 'bad character', character } : MISSING;
  }
  if (!/\d/.test(bare) && bare.length < 6) return MISSING;
  if (bare.length === 12) return { kind: 'wrong groups' };
  return isHalf(text.split(/[:.-]/))
    ? { kind: 'half', pairs: bare.length / 2 }
    : { kind: 'wrong length', digits: bare.length };
}

/** Three to five pairs, or two groups of four that are no numbers. */
function isHalf(groups: readonly string[]): boolean {
  const [{ length } = ''] = groups;
  if (groups.some((group) => group.length !== length)) return false;
  if (length === 4) return groups.length === 2 && groups.some((group) => /\D/.test(group));
  return length === 2 && groups.length >= 3 && groups.length <= 5;
}
