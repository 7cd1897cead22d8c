/** A value that must never be seen: it prints as `[secret]` in logs, errors, JSON and templates. */
export class Secret {
  readonly #read: () => string;

  /** @param value the value, or a function that returns the current value, if it changes while the bot runs */
  constructor(value: string | (() => string)) {
    this.#read = typeof value === 'function' ? value : () => value;
  }

  /** Only the code that puts the value on the wire asks for it. */
  reveal(): string {
    return this.#read();
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}

export function secretsIn(value: unknown): Secret[] {
  if (value instanceof Secret) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(secretsIn) : [];
}
